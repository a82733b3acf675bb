import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Hex, type LocalAccount, parseEther, type TransactionReceipt } from "viem";
import type { Caller } from "../../../src/auth/caller.ts";
import { effectsOf } from "../../../src/claims/effects.ts";
import { splitSuffix } from "../../../src/contracts/attribution-suffix.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { DAY, LATER, oneClick, router, stock } from "../../../test/contracts/calls.ts";
import { contractState } from "../../../test/indexer/contract-state.ts";
import { present } from "../../../test/support/assert/until.ts";
import { attributionRun } from "../../../test/support/chain/attribution.ts";
import { account, type Product, send, startProduct } from "../../../test/support/chain/product.ts";
import { createClaim } from "../../../test/support/db/builders/claims.ts";
import { createAttempt, createSends, createWallet } from "../../../test/support/db/builders/sends.ts";
import { createOnchain, type Onchain } from "../../../test/support/db/onchain.ts";
import { seedTerms } from "../../../test/support/db/seed.ts";
import { type Features, lower, PRODUCT, startFeatures } from "../../../test/support/http/features.ts";
import { orderCalldata } from "../../../test/support/http/verbs.ts";
import { createChecks } from "../src/reconcile/actions.ts";
import { runCheck } from "../src/reconcile/check.ts";

// Every column that reconcile compares with the chain, each altered alone in rows that match the contracts and receipts.

const CHAIN_ID = 31337;
const SCOPE = { chainId: CHAIN_ID, productType: PRODUCT };
const FEES = { type: "eip1559", maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n } as const;
const sender = account(7);
const WALLET = lower(sender.address);
const OTHER_HASH = `0x${"c".repeat(64)}`;
const OTHER_ADDRESS = `0x${"9".repeat(40)}`;

let product: Product;
let features: Features;
let onchain: Onchain;
let caller: Caller;
let other: Caller;
let ann: LocalAccount;
let aapl: Hex;
let rows: Awaited<ReturnType<typeof writeRows>>;

beforeAll(async () => {
  product = await startProduct({ users: 1 });
  features = await startFeatures([{ deployment: product.deployment, rpcUrls: [product.rpcUrl] }]);
  onchain = await createOnchain(features.deps.pool);
  await seedTerms(onchain, product);
  [caller, other] = await Promise.all([features.makeCaller(), features.makeCaller()]);
  ann = present(product.users[0], "a user");
  aapl = present(product.deployment.stockTokens[0], "a stock").address;
  rows = await writeRows();
});
afterAll(async () => {
  await features?.close();
  await product?.stop();
});

const pool = () => features.deps.pool;
const rpc = (method: string, params: unknown[]) =>
  product.client.transport.request({ method, params }) as Promise<unknown>;

/** Makes transactions on the chain, and writes the rows that the indexer and the worker would. */
async function writeRows() {
  const order = await tradedOrder();
  const claimId = await createClaim(pool(), caller, { txHash: order.txHash, state: "final" });
  const suffixed = await suffixedOrder();
  await delegate();
  const sent = await revertedRequest();
  await balances();
  await rpc("evm_increaseTime", [3_600]);
  await rpc("anvil_mine", ["0x5"]);
  const { number, timestamp } = await product.client.getBlock();
  await onchain.setBlock(CHAIN_ID, { number, timestamp });
  return { ...order, claimId, suffixed, ...sent };
}

const effectOf = ({ logs }: TransactionReceipt) => {
  const config = present(features.deps.deployments.chains[0]?.products[0], "the product");
  return present(effectsOf(logs, { ...config, chainId: CHAIN_ID })[0], "an order");
};

/** Writes an order in its present state on the contract. */
async function index(receipt: TransactionReceipt): Promise<Hex> {
  const { orderId, userAddress, logIndex } = effectOf(receipt);
  const id = present(orderId ?? undefined, "an orderId");
  const state = await contractState(product).order(id);
  const at = { txHash: receipt.transactionHash, blockNumber: receipt.blockNumber, logIndex };
  await onchain.insert("stockOrder", {
    ...SCOPE,
    ...at,
    orderId: id,
    userAddress,
    stockAddress: aapl,
    side: "Buy",
    orderType: state.order_type === "Limit" ? "Limit" : "Market",
    status: "open",
    filledQuantity: BigInt(state.filled_quantity),
    filledNotional: BigInt(state.filled_notional),
    lockedRemaining: BigInt(state.locked_remaining),
  });
  expect(state.status).toBe("open");
  return id;
}

/** Returns a limit order that is filled in part. */
async function tradedOrder() {
  const { client, deployment, settler } = product;
  const [quantity, price] = [parseEther("4"), parseEther("10")];
  const buy = router("placeLimitOrder", aapl, quantity, price, DAY, LATER);
  const receipt = await send(client, ann, deployment.stockRouter, buy);
  const placed = present(effectOf(receipt).orderId ?? undefined, "an orderId");
  await send(
    client,
    settler,
    deployment.stock,
    stock("settleLimitOrders", [placed], [parseEther("1")], [price]),
  );
  return { orderId: await index(receipt), txHash: receipt.transactionHash };
}

/** Returns an order with the API's calldata, and writes the rows that follow from its suffix. */
async function suffixedOrder(): Promise<Hex> {
  const args = { stockAddress: aapl, side: "Buy", type: "Market", notional: "10", deadline: LATER };
  const { data } = await orderCalldata(features.deps, caller, { ...args, userAddress: ann.address });
  const receipt = await send(product.client, ann, product.deployment.stockRouter, data.callData);
  const { transactionHash: txHash, blockNumber, transactionIndex } = receipt;
  const split = present(splitSuffix(data.callData) ?? undefined, "a suffix");
  const at = { ...SCOPE, txHash, blockNumber, transactionIndex };
  await onchain.insert("attributionSuffix", { ...at, fromAddress: lower(ann.address), ...split });
  await index(receipt);
  await onchain.setBlock(CHAIN_ID, await product.client.getBlock());
  await attributionRun(features.deps)();
  await pool().query("UPDATE app.transaction_claim SET state = 'final' WHERE source = 'attributed'");
  return txHash;
}

async function delegate(): Promise<void> {
  const { client, deployment } = product;
  const message = { user: ann.address, delegatee: sender.address, nonce: 0n, deadline: LATER };
  const field = (name: string, type: string) => ({ name, type });
  const signature = await ann.signTypedData({
    domain: {
      name: "OneClickRouter",
      version: "1",
      chainId: CHAIN_ID,
      verifyingContract: deployment.oneClickRouter,
    },
    types: {
      Delegate: [
        field("user", "address"),
        field("delegatee", "address"),
        field("nonce", "uint64"),
        field("deadline", "uint32"),
      ],
    },
    primaryType: "Delegate",
    message,
  });
  const call = oneClick("delegateBySig", ann.address, sender.address, 0n, LATER, signature);
  await send(client, sender, deployment.oneClickRouter, call);
  const { delegatee, nonce } = await contractState(product).delegation(ann.address);
  expect([delegatee, nonce]).toEqual([WALLET, "1"]);
  await onchain.insert("delegation", {
    ...SCOPE,
    userAddress: lower(ann.address),
    delegatee: WALLET,
    nonce: 1n,
  });
}

/** Writes a request of the wallet whose call reverted, with its claim. */
async function revertedRequest() {
  const { client, deployment } = product;
  const to = deployment.stockRouter;
  const data = router("placeMarketOrder", OTHER_ADDRESS as Hex, parseEther("10"), LATER);
  const nonce = await client.getTransactionCount({ address: sender.address });
  const bytes = await sender.signTransaction({
    ...FEES,
    chainId: CHAIN_ID,
    to,
    data,
    nonce,
    gas: 1_000_000n,
  });
  const txHash = await client.sendRawTransaction({ serializedTransaction: bytes });
  const { blockNumber, blockHash, status } = await client.waitForTransactionReceipt({ hash: txHash });
  expect(status).toBe("reverted");
  await createWallet(pool(), WALLET, { nextNonce: BigInt(nonce) + 1n });
  const claimId = await createClaim(pool(), caller, { txHash, source: "send", state: "reverted" });
  const mined = {
    minedBlock: blockNumber,
    minedBlockHash: blockHash,
    minedSuccess: false,
    minedFiller: false,
  };
  const [requestId = ""] = await createSends(pool(), caller, {
    userAddress: lower(ann.address),
    wallet: WALLET,
    state: "final",
    outcome: "reverted",
    nonce: BigInt(nonce),
    txHash,
    claimId,
    ...mined,
  });
  const signed = { signedBytes: Buffer.from(bytes.slice(2), "hex"), txHash, nonce: BigInt(nonce) };
  await createAttempt(pool(), { requestId, chainId: CHAIN_ID, wallet: WALLET }, signed);
  return { requestId, sentTxHash: txHash };
}

async function balances(): Promise<void> {
  const state = contractState(product);
  const [cash, shares] = [await state.cash(ann.address), await state.stock(ann.address, aapl)];
  const toRow = ({ available, locked }: typeof cash) => ({
    available: BigInt(available),
    locked: BigInt(locked),
  });
  const userAddress = lower(ann.address);
  await onchain.insert("cashBalance", { ...SCOPE, userAddress, ...toRow(cash) });
  await onchain.insert("stockBalance", { ...SCOPE, userAddress, stockAddress: aapl, ...toRow(shares) });
}

/**
 * Compares everything with the chain.
 * @returns the differences, as `kind: field`
 */
async function differences(): Promise<string[]> {
  const chain = present(features.deps.chains.get(CHAIN_ID), "the chain");
  const sources = { pool: pool(), chain, keys: features.deps.attributionKeys };
  const found: string[] = [];
  for (const check of await createChecks(sources, {}, null))
    for await (const step of runCheck({ pool: pool(), chainId: CHAIN_ID, pauseMs: 0 }, check)) {
      expect(step.unverified).toBe(0);
      found.push(...step.differences.map(({ kind, field }) => `${kind}: ${field}`));
    }
  return found.sort();
}

/** Changes one row, as an attacker with every right on the database who passes all triggers. */
const change = (text: string, values: readonly unknown[] = []) =>
  inTransaction(pool(), async (client) => {
    await client.query("SET LOCAL session_replication_role = replica");
    expect((await client.query(text, [...values])).rowCount).toBe(1);
  });

/** Sets columns of one row to SQL expressions while `work` runs. */
async function altering(
  { table, where, columns }: { table: string; where: string; columns: Record<string, string> },
  work: () => Promise<void>,
): Promise<void> {
  const names = Object.keys(columns);
  const { rows: before } = await pool().query(`SELECT ${names.join(", ")} FROM ${table} WHERE ${where}`);
  const set = (value: (name: string, n: number) => unknown) =>
    `UPDATE ${table} SET ${names.map((name, n) => `${name} = ${value(name, n)}`).join(", ")} WHERE ${where}`;
  await change(set((name) => columns[name]));
  try {
    await work();
  } finally {
    const text = set((_name, n) => `$${n + 1}`);
    await change(
      text,
      names.map((name) => before[0][name]),
    );
  }
}

const ORDER = () => `order_id = '${rows.orderId}'`;
const CLAIM = () => `claim_id = '${rows.claimId}'`;
const REQUEST = () => `request_id = '${rows.requestId}'`;
const SENT_CLAIM = () => `tx_hash = '${rows.sentTxHash}'`;
const SUFFIXED = () => `tx_hash = '${rows.suffixed}'`;
const ALL = () => "true";

describe("reconcile", () => {
  it("finds no difference where every row is what the chain says", async () => {
    expect(await differences()).toEqual([]);
  });

  it.each<[string, () => string, Record<string, string>, readonly string[]]>([
    ["onchain.cash_balance", ALL, { available: "available + 1" }, ["cash-balance: available"]],
    ["onchain.cash_balance", ALL, { locked: "locked - 1" }, ["cash-balance: locked"]],
    ["onchain.stock_balance", ALL, { available: "available + 1" }, ["stock-balance: available"]],
    ["onchain.stock_balance", ALL, { locked: "locked + 1" }, ["stock-balance: locked"]],
    ["onchain.stock_order", ORDER, { status: "'canceling'" }, ["order: status"]],
    ["onchain.stock_order", ORDER, { status: "'filled'" }, ["order: status"]],
    ["onchain.stock_order", ORDER, { filled_quantity: "filled_quantity - 1" }, ["order: filledQuantity"]],
    ["onchain.stock_order", ORDER, { filled_notional: "filled_notional + 1" }, ["order: filledNotional"]],
    ["onchain.stock_order", ORDER, { locked_remaining: "locked_remaining - 1" }, ["order: lockedRemaining"]],
    ["onchain.stock_order", ORDER, { block_number: "block_number - 1" }, ["claim: block of <order>"]],
    ["onchain.stock_order", ORDER, { user_address: `'${OTHER_ADDRESS}'` }, ["claim: user of <order>"]],
    ["onchain.stock_order", ORDER, { tx_hash: `'${OTHER_HASH}'` }, ["claim: log of <order>"]],
    ["onchain.delegation", ALL, { delegatee: "NULL" }, ["delegation: delegatee"]],
    ["onchain.delegation", ALL, { delegatee: `'${OTHER_ADDRESS}'` }, ["delegation: delegatee"]],
    ["onchain.delegation", ALL, { nonce: "nonce - 1" }, ["delegation: nonce"]],
    ["app.delegatee_wallet", ALL, { next_nonce: "next_nonce - 1" }, ["wallet: nextNonce"]],
    ["app.send_request", REQUEST, { mined_block: "mined_block - 1" }, ["send: block"]],
    ["app.send_request", REQUEST, { mined_block_hash: `'${OTHER_HASH}'` }, ["send: block"]],
    [
      ...(["app.send_request", REQUEST] as const),
      { state: "'mined'", outcome: "NULL", mined_block_hash: `'${OTHER_HASH}'` },
      ["send: block"],
    ],
    ["app.send_request", REQUEST, { outcome: "'confirmed'" }, ["send: claim", "send: outcome"]],
    ["app.send_request", REQUEST, { wallet: `'${OTHER_ADDRESS}'` }, ["send: wallet"]],
    [
      "app.send_request",
      REQUEST,
      { nonce: "nonce + 900" },
      ["send: nonce of <sent>", "wallet: mined request"],
    ],
    [
      ...(["app.send_request", REQUEST] as const),
      { state: "'broadcast'", outcome: "NULL" },
      ["send: state", "wallet: unmined request"],
    ],
    [
      ...(["app.send_request", REQUEST] as const),
      { state: "'failed'", outcome: "NULL", err_code: "'OUT_OF_GAS'" },
      ["send: state"],
    ],
    [
      ...(["app.send_attempt", REQUEST] as const),
      { tx_hash: `'${OTHER_HASH}'` },
      ["send: hash of what was signed", "send: transaction"],
    ],
    [
      ...(["app.send_attempt", REQUEST] as const),
      { signed_bytes: "set_byte(signed_bytes, 20, get_byte(signed_bytes, 20) # 1)" },
      ["send: hash of what was signed"],
    ],
    ["app.transaction_claim", CLAIM, { state: "'reverted'" }, ["claim: state"]],
    ["app.transaction_claim", CLAIM, { tx_hash: `'${OTHER_HASH}'` }, ["claim: state"]],
    ["app.transaction_claim", SENT_CLAIM, { state: "'final'" }, ["send: claim"]],
    ["app.transaction_claim", SUFFIXED, { user_address: `'${OTHER_ADDRESS}'` }, ["claim: user"]],
    ["app.transaction_claim", SUFFIXED, { key_id: "<other>" }, ["attribution: claim"]],
    ["app.transaction_attribution", SUFFIXED, { key_id: "<other>" }, ["attribution: claim"]],
  ])("finds exactly what was altered: %s %#", async (table, where, columns, expected) => {
    const named = Object.fromEntries(
      Object.entries(columns).map(([column, value]) => [
        column,
        value.replace("<other>", `'${other.keyId}'`),
      ]),
    );
    await altering({ table, where: where(), columns: named }, async () => {
      const inFull = expected.map((each) =>
        each.replace("<order>", rows.orderId).replace("<sent>", rows.sentTxHash),
      );
      expect(await differences()).toEqual(inFull);
    });
  });
});
