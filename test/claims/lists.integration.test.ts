import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Caller } from "../../src/auth/caller.ts";
import type { Deps } from "../../src/context/deps.ts";
import { encodeCursor } from "../../src/context/input/list.ts";
import { readStatus } from "../../src/oneclick/status.ts";
import { readOperations } from "../../src/operations/list-store.ts";
import { readFailures, readQueues } from "../../src/sending/outbox/queue-store.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { LONG } from "../support/assert/long.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { createAttributions, createClaims } from "../support/db/builders/claims.ts";
import { createSends, createWallet } from "../support/db/builders/sends.ts";
import { createOnchain, indexOnchain, type Onchain, type Row } from "../support/db/onchain.ts";
import { mostRowsRead, recordStatements } from "../support/db/plans.ts";
import { project } from "../support/db/projected.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";
import { getOrder, getOrderByTransaction, listOrders } from "../support/http/verbs.ts";

// A page, a status and a metric read a number of rows that does not grow with a key's history.

const CHAIN = 31337;
const TRADES = LONG ? 20_000 : 2_000;
/** Every so many trades, one by the other key that deposited first, in the same call. */
const COMBINED = 5;
const USER = hex(20, 0xa11ce);
const WALLET = hex(20, 0x5e4d);
/** Far fewer than the rows there are, and enough for a page, its joins and its count. */
const FEW = 400;

let features: Features;
let onchain: Onchain;
let trader: Caller;
let depositor: Caller;

beforeAll(async () => {
  features = await startFeatures([
    {
      deployment: { chainId: CHAIN, ...CONTRACTS },
      rpcUrls: ["http://127.0.0.1:1"],
      products: [PRODUCT],
    },
  ]);
  onchain = await createOnchain(features.deps.pool);
  await onchain.setBlock(CHAIN, { number: 50n, timestamp: 1_800_000_000n });
  [trader, depositor] = await Promise.all([features.makeCaller(), features.makeCaller()]);
  await trade(trader, 1, TRADES);
  await trade(depositor, TRADES + 1, TRADES + COMBINED);
  await depositFor(TRADES + 1, TRADES + COMBINED);
  await createClaims(features.deps.pool, trader, 3, { state: "reverted" });
  await send(TRADES);
  await indexOnchain(features.deps.pool);
  await project(features.deps);
  await features.deps.pool.query("VACUUM ANALYZE");
}, 240_000);

afterAll(() => features?.close());

/** Hashes a number to the form of a transaction's hash. */
const hashOf = (text: number | string) =>
  `0x${createHash("sha256").update(String(text)).digest("hex")}` as const;
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Inserts filled orders, one a second, and their claims; their transactions carry the key's suffix. */
async function trade(caller: Caller, from: number, to: number): Promise<void> {
  const { pool } = features.deps;
  const firstMs = Date.parse("2026-01-01T00:00:00Z");
  const hashes = numbers(from, to).map((n) => ({
    txHash: hashOf(n),
    createdAt: new Date(firstMs + n * 1_000),
  }));
  await createClaims(pool, caller, hashes, { state: "final" });
  await createAttributions(pool, caller, ...hashes.map(({ txHash }) => txHash));
  const filled: Row<"stockOrder"> = {
    chainId: CHAIN,
    productType: PRODUCT,
    userAddress: USER,
    stockAddress: USER,
    side: "Buy",
    orderType: "Market",
    status: "filled",
    filledQuantity: 1n,
    filledNotional: 1n,
    fillCount: 1,
  };
  await onchain.insert("stockOrder", ...hashes.map(({ txHash }) => ({ ...filled, orderId: txHash, txHash })));
}

/** Inserts the deposits of combined calls, and as many without an owner. */
async function depositFor(from: number, to: number): Promise<void> {
  const deposit: Row<"cashOperation"> = {
    chainId: CHAIN,
    productType: PRODUCT,
    userAddress: USER,
    tokenAddress: USER,
    kind: "deposit",
    isInstant: true,
    status: "completed",
  };
  const rows = numbers(1, to).map((n) => {
    const hash = hashOf(n);
    return {
      ...deposit,
      opId: hash,
      ...(n >= from ? { orderId: hash, txHash: hash } : { txHash: hashOf(`${n}x`) }),
    };
  });
  await onchain.insert("cashOperation", ...rows);
}

/** Requests of one user's that are final, two that are not, and two that failed. */
async function send(count: number): Promise<void> {
  const { pool } = features.deps;
  const common = { userAddress: USER, wallet: WALLET };
  const failed = { ...common, state: "failed", errCode: "OUT_OF_GAS" };
  const final = { ...common, state: "final", outcome: "confirmed" };
  await createWallet(pool, WALLET);
  await createSends(pool, trader, { ...failed, operation: "1ct/enable" }, failed, common, common);
  await createSends(pool, trader, ...numbers(5, count).map((nonce) => ({ ...final, nonce })));
}

/** Returns the answer, and the most rows that one of its statements read. */
async function cost<T>(work: (deps: Deps) => Promise<T>): Promise<{ answer: T; rows: number }> {
  const recorded = recordStatements(features.deps);
  const answer = await work(recorded.deps);
  expect(recorded.statements.length).toBeGreaterThan(0);
  return { answer, rows: await mostRowsRead(features.deps.pool, recorded.statements) };
}

describe("a list reads few rows", () => {
  const page = { page: 1, limit: 5 };

  it("behind a cursor, however deep it is", async () => {
    const createdMs = Date.parse("2026-01-01T00:00:00Z") + 60_000;
    const position = { createdMs, claimId: "00000000-0000-4000-8000-000000000000", logIndex: 0 };
    const cursor = encodeCursor({ list: "orders", chainId: CHAIN, productType: PRODUCT }, position);
    const { answer, rows } = await cost((deps) => listOrders(deps, trader, { limit: "5", cursor }));
    expect(answer.data.rows).toHaveLength(5);
    expect(rows).toBeLessThan(FEW);
  });

  it("of one order, by its id and by its transaction", async () => {
    const id = hashOf(7);
    const byId = await cost((deps) => getOrder(deps, trader, { orderId: id }));
    const byTx = await cost((deps) => getOrderByTransaction(deps, trader, { txHash: id }));
    expect({ byId: byId.answer.data.orderId, byTx: byTx.answer.data.orderId }).toEqual({
      byId: id,
      byTx: id,
    });
    expect(Math.max(byId.rows, byTx.rows)).toBeLessThan(50);
  });

  it("of orders that failed", async () => {
    const { answer, rows } = await cost((deps) => listOrders(deps, trader, { status: "Failed" }));
    expect(answer.data).toMatchObject({ total: 3, rows: [{}, {}, {}] });
    expect(rows).toBeLessThan(FEW);
  });

  it.each(["deposit", "withdraw", "stock-deposit", "stock-withdraw"] as const)(
    "of the kind %s, where the key has only traded",
    async (kind) => {
      const { answer, rows } = await cost((deps) => readOperations(deps, trader, kind, page));
      expect(answer.data).toMatchObject({ total: 0, rows: [] });
      expect(rows).toBeLessThan(FEW);
    },
  );

  it("of deposits that were made with orders", async () => {
    const { answer, rows } = await cost((deps) => readOperations(deps, depositor, "deposit", page));
    expect(answer.data).toMatchObject({ total: COMBINED });
    expect(answer.data.rows).toHaveLength(COMBINED);
    expect(rows).toBeLessThan(FEW);
  });
});

describe("what is sent is counted without reading all of it", () => {
  it("by queue", async () => {
    const { answer, rows } = await cost(({ pool }) => readQueues(pool, null));
    expect(answer).toMatchObject([{ depth: { accepted: 2, signed: 0, broadcast: 0, mined: 0 } }]);
    expect(rows).toBeLessThan(20);
  });

  it("for the state of a user's delegation", async () => {
    const bound = await features.makeCaller({ userAddress: USER });
    // No node answers; what is asked of the database is asked all the same.
    const { rows } = await cost((deps) => expectRefusal(readStatus(deps, bound), "RPC_UNAVAILABLE"));
    expect(rows).toBeLessThan(20);
  });

  it("by the cause of failure", async () => {
    const { answer, rows } = await cost(({ pool }) => readFailures(pool, null));
    expect(answer).toEqual([{ wallet: WALLET, errCode: "OUT_OF_GAS", count: 2 }]);
    expect(rows).toBeLessThan(20);
  });
});
