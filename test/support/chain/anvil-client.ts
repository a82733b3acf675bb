import {
  type Address,
  encodeDeployData,
  type Hex,
  numberToHex,
  type PublicClient,
  parseEther,
  parseUnits,
} from "viem";
import { bytecode, smartWalletAbi } from "../../../packages/sandbox/src/contracts/bytecode.ts";
import { sendAll } from "../../../packages/sandbox/src/transact.ts";
import { decodeEvents } from "../../contracts/bench.ts";
import { cashToken, LATER, router, stock } from "../../contracts/calls.ts";
import { wallet } from "../../contracts/wallet-calls.ts";
import { present } from "../assert/until.ts";
import { type Product, send } from "./product.ts";

/** Methods of anvil that viem does not know. */
interface MineCall {
  Method: "anvil_mine";
  Parameters: [Hex];
  ReturnType: null;
}
interface GasLimitCall {
  Method: "evm_setBlockGasLimit";
  Parameters: [Hex];
  ReturnType: boolean;
}
interface ReorgCall {
  Method: "anvil_reorg";
  Parameters: [number, [Hex, number][]];
  ReturnType: null;
}
interface RawCall {
  Method: "eth_getRawTransactionByHash";
  Parameters: [Hex];
  ReturnType: Hex;
}

export const mine = (client: PublicClient, blocks: number) =>
  client.request<MineCall>({ method: "anvil_mine", params: [numberToHex(blocks)] });

/** Replaces the last `depth` blocks by empty ones, except for raw transactions, each with its block's index from 0 on. */
export const reorg = (client: PublicClient, depth: number, transactions: [Hex, number][] = []) =>
  client.request<ReorgCall>({ method: "anvil_reorg", params: [depth, transactions] });

export const rawTransaction = (client: PublicClient, hash: Hex) =>
  client.request<RawCall>({ method: "eth_getRawTransactionByHash", params: [hash] });

/** Returns the head, never a cached one. */
export const headOf = (client: PublicClient) => client.getBlockNumber({ cacheTime: 0 });

/** Gas of one transaction is bounded (EIP-7825); as many orders stay below. */
const ORDERS_PER_TRANSACTION = 40;
const GAS = 16_000_000n;
/** Orders whose transactions go out together; the node bounds the size of a request. */
const ROUND = 800;

/** Deploys a wallet contract that places many orders in one transaction, and raises the chain's block gas limit. */
export async function createTrader({ client, deployment, deployer, users }: Product) {
  // A transaction that does not fit into a block waits for the next one; behind the last one none follows.
  await client.request<GasLimitCall>({ method: "evm_setBlockGasLimit", params: [numberToHex(10n ** 9n)] });
  const owner = present(users[0], "a user");
  const cash = present(deployment.cashTokens[0], "a cash token");
  const data = encodeDeployData({
    abi: smartWalletAbi,
    bytecode: bytecode.SmartWallet,
    args: [owner.address],
  });
  const [receipt] = await sendAll(client, owner, [{ name: "wallet", to: null, data, gas: 2_000_000n }]);
  const address = present(receipt?.contractAddress, "a wallet");
  const amount = parseUnits("1000000", cash.decimals);
  await send(client, deployer, cash.address, cashToken("mint", address, amount));
  const calls = [
    { target: cash.address, value: 0n, data: cashToken("approve", deployment.stockRouter, amount) },
    { target: deployment.stockRouter, value: 0n, data: router("deposit", cash.address, amount) },
  ];
  await send(client, owner, address, wallet("executeBatch", calls));
  return { owner, address };
}

/** Places `count` market buys and settles them, as fast as the chain goes. Each makes six events. */
export async function tradeInBulk(
  { client, deployment, settler }: Product,
  trader: { owner: Product["settler"]; address: Address },
  count: number,
): Promise<void> {
  const token = present(deployment.stockTokens[0], "a stock token").address;
  const order = router("placeMarketOrder", token, parseEther("7"), LATER);
  const call = { target: deployment.stockRouter, value: 0n, data: order };
  for (let left = count; left > 0; left -= ROUND) {
    const sizes = Array.from({ length: ROUND / ORDERS_PER_TRANSACTION }, (_, index) =>
      Math.min(ORDERS_PER_TRANSACTION, left - index * ORDERS_PER_TRANSACTION),
    ).filter((size) => size > 0);
    const placings = sizes.map((size) =>
      wallet(
        "executeBatch",
        Array.from({ length: size }, () => call),
      ),
    );
    const toWallet = (data: Hex) => ({ name: "orders", to: trader.address, data, gas: GAS });
    const receipts = await sendAll(client, trader.owner, placings.map(toWallet));
    const placed = receipts.map(({ logs }) =>
      decodeEvents(logs).flatMap(({ name, args }) =>
        name === "MarketOrderPlaced" ? [args.orderId as Hex] : [],
      ),
    );
    const prices = (ids: Hex[]) => ids.map((_, index) => parseEther("100") + BigInt(index));
    const settlements = placed.map((ids) => stock("settleMarketOrders", ids, prices(ids)));
    const toStock = (data: Hex) => ({ name: "settlement", to: deployment.stock, data, gas: GAS });
    await sendAll(client, settler, settlements.map(toStock));
  }
}
