import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { settleChain } from "../../src/archive/settle.ts";
import type { Caller } from "../../src/auth/caller.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { ARCHIVE } from "../support/db/archive.ts";
import { type ClaimOptions, createClaim } from "../support/db/builders/claims.ts";
import { empty } from "../support/db/empty.ts";
import { createOnchain, type Onchain, type Row, type Tabled } from "../support/db/onchain.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";

// What the statements of the archive settle, and when: one case for each condition of theirs.

const CHAIN_ID = 31337;
const OTHER_CHAIN = 31338;
const SECOND = "Second";
const USER = hex(20, 0xa1);
const TX = hex(32, 0x1001);
const ORDER = hex(32, 0xabc001);
const NOW_S = 1_799_000_000n;

let features: Features;
let onchain: Onchain;
let mine: Caller;
let other: Caller;

beforeAll(async () => {
  features = await startFeatures(
    [CHAIN_ID, OTHER_CHAIN].map((chainId) => ({
      ...{ deployment: { chainId, ...CONTRACTS }, products: [PRODUCT, SECOND] },
      ...{ rpcUrls: ["http://127.0.0.1:1"], confirmations: 1 },
    })),
  );
  onchain = await createOnchain(features.deps.pool);
  [mine, other] = [await features.makeCaller(), await features.makeCaller()];
});
afterAll(() => features?.close());
beforeEach(async () => {
  const { pool } = features.deps;
  await empty(pool, "app.transaction_claim", ...ARCHIVE);
  await publish({}, { latest: 20, safe: 10 });
});

/** Replaces the chain: what is not given is not indexed. */
function publish(tables: Tabled, { latest, safe }: { latest: number; safe: number }): Promise<void> {
  const all = { stockOrder: [], cashOperation: [], stockOperation: [], ...tables };
  const block = (number: number) => ({ number: BigInt(number), timestamp: NOW_S + 500n });
  return onchain.replace(CHAIN_ID, all, block(latest), block(safe));
}
const place = { chainId: CHAIN_ID, productType: PRODUCT, txHash: TX, userAddress: USER, blockNumber: 3n };
const times = { createdAt: NOW_S, updatedAt: NOW_S };
const order = (row: Row<"stockOrder"> = {}): Row<"stockOrder"> => ({
  ...{ ...place, ...times, orderId: ORDER, updatedBlock: 3n },
  ...{
    stockAddress: hex(20, 0x571),
    side: "Buy",
    orderType: "Limit",
    status: "open",
    quantity: 1n,
    price: 1n,
  },
  ...row,
});
const withdrawal: Row<"cashOperation"> = {
  ...{ ...place, ...times, opId: hex(32, 1), kind: "withdraw", updatedBlock: 3n, status: "completed" },
  tokenAddress: hex(20, 0x571),
};
const claim = (options: ClaimOptions = {}, caller: Partial<Caller> = {}) =>
  createClaim(features.deps.pool, { ...mine, ...caller }, { txHash: TX, ...options });
const settle = () => settleChain(features.deps, { chainId: CHAIN_ID, confirmations: 1 });
const statuses = async () =>
  (await features.deps.pool.query("SELECT status FROM app.settled_order")).rows.map(({ status }) => status);
const idsIn = async (table: string): Promise<string[]> => {
  const { rows } = await features.deps.pool.query(
    `SELECT claim_id::text FROM app.${table} ORDER BY created_at`,
  );
  return rows.map(({ claim_id }) => claim_id);
};
/** Returns a column of all that is settled. */
const valuesOf = async (column: string): Promise<unknown[]> => {
  const { rows } = await features.deps.pool.query(
    `SELECT ${column} AS value FROM app.settled_order UNION ALL SELECT ${column} FROM app.settled_operation`,
  );
  return rows.map(({ value }) => value);
};
const waiting = async () =>
  (await features.deps.pool.query("SELECT claim_id::text FROM app.unsettled_claim")).rows.map(
    ({ claim_id }) => claim_id,
  );
const archived = async () => [...(await idsIn("settled_order")), ...(await idsIn("settled_operation"))];

it("an order is settled with its last change, once that is final", async () => {
  const claimId = await claim();
  await publish({ stockOrder: [order({ status: "filled", updatedBlock: 11n })] }, { latest: 20, safe: 10 });
  await settle();
  expect([await archived(), await waiting()]).toEqual([[], [claimId]]);
  await publish({ stockOrder: [order({ status: "filled", updatedBlock: 11n })] }, { latest: 20, safe: 12 });
  await settle();
  expect([await archived(), await waiting()]).toEqual([[claimId], []]);
});

it("an order that changed behind the settled block is settled anew", async () => {
  await claim();
  await publish({ stockOrder: [order()] }, { latest: 20, safe: 10 });
  await settle();
  await publish({ stockOrder: [order({ status: "canceled", updatedBlock: 11n })] }, { latest: 20, safe: 12 });
  await settle();
  expect(await statuses()).toEqual(["Canceled"]);
});

it("a claim that failed is settled with the user that it names", async () => {
  const failed = { state: "reverted", source: "send", userAddress: USER } as const;
  const claimIds = [
    await claim({ ...failed, operationType: "deposit" }),
    await claim({ ...failed, txHash: null }),
  ];
  await settle();
  expect([(await archived()).toSorted(), await waiting()]).toEqual([claimIds.toSorted(), []]);
  expect(await valuesOf("user_address")).toEqual([USER, USER]);
  expect(await statuses()).toEqual(["Failed"]);
});

it("what is settled has the time of its last change", async () => {
  const before = new Date(Number(NOW_S - 100n) * 1000);
  await claim({ createdAt: before, updatedAt: before });
  await claim({ createdAt: before, updatedAt: before, operationType: "withdraw" });
  const changed = { updatedAt: NOW_S + 200n };
  const tables = { stockOrder: [order(changed)], cashOperation: [{ ...withdrawal, ...changed }] };
  await publish(tables, { latest: 20, safe: 10 });
  await settle();
  const changedAt = Number(changed.updatedAt);
  expect(await valuesOf("extract(epoch FROM updated_at)::int")).toEqual([changedAt, changedAt]);
});

it("a claim waits while its transaction is not indexed", async () => {
  const claimIds = [await claim(), await claim({ txHash: hex(32, 2), source: "send" })];
  await settle();
  expect([await archived(), (await waiting()).toSorted()]).toEqual([[], claimIds.toSorted()]);
});

it("a claim that was dropped is settled where its transaction is indexed after all", async () => {
  const claimId = await claim({ state: "dropped" });
  await settle();
  expect(await waiting()).toEqual([claimId]);
  await publish({ stockOrder: [order({ blockNumber: 11n, updatedBlock: 11n })] }, { latest: 20, safe: 12 });
  await settle();
  expect([await waiting(), await statuses()]).toEqual([[], ["New"]]);
});

it.each<[string, ClaimOptions, Partial<Caller>, Tabled]>([
  ["of another product", {}, { productType: SECOND }, { stockOrder: [order()] }],
  ["of another kind", { operationType: "deposit" }, {}, { cashOperation: [withdrawal] }],
  ["of cash to stock", { operationType: "stock-deposit" }, {}, { cashOperation: [withdrawal] }],
])("a claim %s than what its transaction did waits", async (_what, options, caller, tables) => {
  const claimId = await claim(options, caller);
  await publish(tables, { latest: 20, safe: 10 });
  await settle();
  expect([await archived(), await waiting()]).toEqual([[], [claimId]]);
});

it("claims to one transaction are settled together, also where only one of them waits", async () => {
  const claimIds = [await claim(), await claim({ operationType: "deposit" })];
  await publish({ stockOrder: [order()] }, { latest: 20, safe: 10 });
  await settle();
  expect([await archived(), (await waiting()).toSorted()]).toEqual([[], claimIds.toSorted()]);
});

it("claims to one transaction are settled together, also where somebody holds one of them", async () => {
  const { pool } = features.deps;
  await settle();
  const [first, second] = [await claim(), await claim({}, other)];
  await publish({ stockOrder: [order()] }, { latest: 20, safe: 10 });
  const holder = await pool.connect();
  try {
    await holder.query("BEGIN");
    await holder.query("SELECT 1 FROM app.unsettled_claim WHERE claim_id = $1 FOR UPDATE", [second]);
    await settle();
    expect([await archived(), (await waiting()).toSorted()]).toEqual([[], [first, second].toSorted()]);
  } finally {
    await holder.query("ROLLBACK");
    holder.release();
  }
  await settle();
  expect(await waiting()).toEqual([]);
});

it("the archive of another chain stays as it is", async () => {
  const { pool } = features.deps;
  await claim({ txHash: hex(32, 0x4000) }, { chainId: OTHER_CHAIN });
  await pool.query("DELETE FROM app.unsettled_claim WHERE chain_id = $1", [OTHER_CHAIN]);
  const begin = "INSERT INTO app.settled_chain (chain_id, build_id, block_number) VALUES ($1, 'first', 3)";
  await pool.query(begin, [OTHER_CHAIN]);
  const others = async () => [
    (await pool.query("SELECT * FROM app.settled_chain WHERE chain_id = $1", [OTHER_CHAIN])).rows,
    (await pool.query("SELECT * FROM app.unsettled_claim WHERE chain_id = $1", [OTHER_CHAIN])).rows,
  ];
  const before = await others();
  await settle();
  await publish({}, { latest: 20, safe: 12 });
  await settle();
  await pool.query("UPDATE app.settled_chain SET build_id = 'another' WHERE chain_id = $1", [CHAIN_ID]);
  await settle();
  expect(await others()).toEqual(before);
});
