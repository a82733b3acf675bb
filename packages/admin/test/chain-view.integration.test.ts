import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { createChains } from "../../../src/chain/clients.ts";
import { stockAbi } from "../../../src/contracts/abi/index.ts";
import { present } from "../../../test/support/assert/until.ts";
import { type Product, startProduct } from "../../../test/support/chain/product.ts";
import { openChainView } from "../src/reconcile/chain-view.ts";

let product: Product;
beforeAll(async () => {
  product = await startProduct({ users: 1 });
});
afterAll(() => product?.stop());

it("reads answers that are together larger than a node takes for the code of a contract, where no Multicall3 is", async () => {
  const config = {
    chainId: 31337,
    rpcUrls: [product.rpcUrl],
    wsUrls: [],
    confirmations: 1,
    pollingIntervalMs: 100,
    ephemeral: true,
    multicall3: null,
    products: [],
  };
  const chain = present(createChains({ chains: [config] }).get(31337), "the chain");
  const { number, timestamp } = await product.client.getBlock();
  const view = await openChainView(chain, number, { number, timestamp });
  const call = { address: product.deployment.stock, abi: stockAbi, functionName: "getStockTokens" };
  const answers = await view.read(Array.from({ length: 200 }, () => ({ ...call, args: [] })));
  const [first] = answers;
  // A word for each token, and some around each answer: more than 24,576 bytes.
  expect((first as unknown[]).length * 32 + 160).toBeGreaterThan(24_576 / answers.length);
  expect(answers).toEqual(Array.from({ length: 200 }, () => first));
});
