import { type Hex, keccak256, type LocalAccount, type TransactionReceipt } from "viem";
import type { Caller } from "../../../src/auth/caller.ts";
import { effectsOf } from "../../../src/claims/effects.ts";
import { recordTransaction } from "../../../src/claims/record.ts";
import { splitSuffix } from "../../../src/contracts/attribution-suffix.ts";
import { LATER } from "../../contracts/calls.ts";
import { present } from "../assert/until.ts";
import { empty } from "../db/empty.ts";
import { createOnchain, type Onchain } from "../db/onchain.ts";
import { PROJECTED, projected } from "../db/projected.ts";
import { seedTerms } from "../db/seed.ts";
import { type Features, lower, PRODUCT, type ServedChain, startFeatures } from "../http/features.ts";
import { getOrderByTransaction, listOrders, orderCalldata } from "../http/verbs.ts";
import { attributionRun } from "./attribution.ts";
import { type Product, send, startProduct } from "./product.ts";

/** Blocks after which the chain is final. */
const CONFIRMATIONS = 3;

/** A chain with a product, whose transactions the test submits, indexes and has verified one by one. */
export interface ClaimedChain {
  product: Product;
  features: Features;
  onchain: Onchain;
  ann: LocalAccount;
  bob: LocalAccount;
  aapl: Hex;
  /** Takes all claims and all of the index away. */
  clear(): Promise<void>;
  /** Returns the calldata of a small market buy, as the API gives it to a caller; of a limit buy with `price`. */
  calldata(caller: Caller, user: LocalAccount | null, price?: string): Promise<Hex>;
  submit(from: LocalAccount, data: Hex): Promise<TransactionReceipt>;
  /** Signs a call of the router, and sends nothing. */
  signed(from: LocalAccount, data: Hex): Promise<{ hash: Hex; bytes: Hex }>;
  /** Runs `work` while no block is mined, and mines one. */
  unmined<T>(work: () => Promise<T>): Promise<T>;
  /** Writes what the indexer would of a mined transaction. */
  index(txHash: Hex, blockNumber?: bigint): Promise<void>;
  /** Takes it back. */
  unindex(txHash: Hex): Promise<void>;
  /** Submits and indexes. */
  placed(from: LocalAccount, data: Hex): Promise<Hex>;
  /** Makes all blocks final, for nodes and for the index. */
  finalize(): Promise<void>;
  /** Verifies, as the worker does, what is indexed. */
  verify(): Promise<void>;
  record(caller: Caller, txHash: Hex): ReturnType<typeof recordTransaction>;
  byTx(caller: Caller, txHash: Hex): ReturnType<typeof getOrderByTransaction>;
  /** Returns the transactions in a key's list. */
  listed(caller: Caller): Promise<(Hex | null)[]>;
  stop(): Promise<void>;
}

const TABLES = [
  "app.transaction_claim",
  "app.transaction_attribution",
  "app.invalid_attribution",
  "app.attribution_place",
] as const;

/** @param others further chains of the installation */
export async function startClaimedChain(others: ServedChain[] = []): Promise<ClaimedChain> {
  const product = await startProduct();
  const { client, deployment } = product;
  const features = await startFeatures([
    { deployment, rpcUrls: [product.rpcUrl], confirmations: CONFIRMATIONS, products: [PRODUCT] },
    ...others,
  ]);
  const { deps } = features;
  const onchain = await createOnchain(deps.pool);
  const [ann, bob] = [present(product.users[0], "a user"), present(product.users[1], "a user")];
  const aapl = present(deployment.stockTokens[0], "a stock").address;
  const rpc = (method: string, params: unknown[] = []) =>
    client.transport.request({ method, params }) as Promise<unknown>;
  const setSafe = (block: bigint) => {
    const checkpoint = `${"1".repeat(10)}${"0".repeat(16)}${String(block).padStart(16, "0")}${"0".repeat(33)}`;
    return deps.pool.query("UPDATE onchain._ponder_checkpoint SET safe_checkpoint = $1", [checkpoint]);
  };
  const submit = (from: LocalAccount, data: Hex) => send(client, from, deployment.stockRouter, data);

  async function index(txHash: Hex, at?: bigint): Promise<void> {
    const { logs, transactionIndex, ...receipt } = await client.waitForTransactionReceipt({ hash: txHash });
    const { input, from, to } = await client.getTransaction({ hash: txHash });
    const row = { chainId: 31337, productType: PRODUCT, txHash, blockNumber: at ?? receipt.blockNumber };
    const config = present(deps.deployments.chains[0]?.products[0], "the product");
    for (const { userAddress, orderId, logIndex } of effectsOf(logs, { ...config, chainId: 31337 })) {
      if (orderId === null) continue;
      const order = { side: "Buy", orderType: "Limit", status: "open", stockAddress: aapl } as const;
      await onchain.insert("stockOrder", { ...row, logIndex, userAddress, orderId, ...order });
    }
    const split = to && lower(to) === deployment.stockRouter ? splitSuffix(input) : null;
    if (split)
      await onchain.insert("attributionSuffix", { ...row, transactionIndex, fromAddress: from, ...split });
  }

  async function signed(from: LocalAccount, data: Hex) {
    const bytes = await from.signTransaction({
      to: deployment.stockRouter,
      data,
      gas: 1_000_000n,
      type: "eip1559",
      chainId: 31337,
      maxFeePerGas: 100_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
      nonce: await client.getTransactionCount({ address: from.address, blockTag: "pending" }),
    });
    return { bytes, hash: keccak256(bytes) };
  }

  return {
    product,
    features,
    onchain,
    ann,
    bob,
    aapl,
    submit,
    signed,
    index,
    clear: async () => {
      await empty(deps.pool, ...TABLES, ...PROJECTED);
      await onchain.clear();
      await seedTerms(onchain, product);
      await setSafe(1n);
    },
    calldata: async (caller, user, price) => {
      const limit = { type: "Limit", quantity: "0.1", timeInForce: "DAY", price };
      const terms = price === undefined ? { type: "Market", notional: "10" } : limit;
      const order = { stockAddress: aapl, side: "Buy", deadline: LATER, userAddress: user?.address };
      return (await orderCalldata(deps, caller, { ...order, ...terms })).data.callData;
    },
    unmined: async (work) => {
      await rpc("evm_setAutomine", [false]);
      try {
        return await work();
      } finally {
        await rpc("evm_setAutomine", [true]);
        await rpc("anvil_mine", []);
      }
    },
    unindex: async (txHash) => {
      for (const table of ["stock_order", "attribution_suffix"])
        await deps.pool.query(`DELETE FROM onchain.${table} WHERE tx_hash = $1`, [txHash]);
    },
    placed: async (from, data) => {
      const { transactionHash } = await submit(from, data);
      await index(transactionHash);
      return transactionHash;
    },
    finalize: async () => {
      await rpc("anvil_mine", [`0x${CONFIRMATIONS.toString(16)}`]);
      await setSafe(await client.getBlockNumber());
    },
    verify: async () => void (await attributionRun(deps)()),
    record: (caller, txHash) => recordTransaction(deps, caller, "trade", { txHash }),
    byTx: (caller, txHash) => projected(getOrderByTransaction)(deps, caller, { txHash }),
    listed: async (caller) =>
      (await projected(listOrders)(deps, caller, {})).data.rows.map(({ txHash }) => txHash as Hex | null),
    stop: async () => {
      await features.close();
      await product.stop();
    },
  };
}
