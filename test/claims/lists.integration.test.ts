import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { z } from "zod";
import type { Caller } from "../../src/auth/caller.ts";
import type { Deps } from "../../src/context/deps.ts";
import { encodeCursor } from "../../src/input/list.ts";
import { readStatus } from "../../src/oneclick/status.ts";
import { readOperations } from "../../src/operations/store.ts";
import { readFailures, readQueues } from "../../src/sending/outbox/queue-store.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { createOnchain, indexOnchain } from "../support/db/onchain.ts";
import { mostRowsRead, recordStatements } from "../support/db/plans.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";
import { getOrder, getOrderByTransaction, listOrders } from "../support/http/verbs.ts";

// What a page, a status and a metric read of the database must not grow with what a key has done before.

const CHAIN = 31337;
const TRADES = 20_000;
/** Every so many trades, one by the other key that deposited first, in the same call. */
const COMBINED = 5;
const USER = hex(20, 0xa11ce);
const WALLET = hex(20, 0x5e4d);
/** Far fewer than the rows there are, and enough for a page, its joins and its count. */
const FEW = 400;

let features: Features;
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
  const onchain = await createOnchain(features.deps.pool);
  await onchain.setBlock(CHAIN, { number: 50n, timestamp: 1_800_000_000n });
  [trader, depositor] = await Promise.all([features.makeCaller(), features.makeCaller()]);
  await trade(trader, 1, TRADES);
  await trade(depositor, TRADES + 1, TRADES + COMBINED);
  await depositFor(TRADES + 1, TRADES + COMBINED);
  await revert(trader, 3);
  await send(TRADES);
  await indexOnchain(features.deps.pool);
}, 120_000);

afterAll(() => features?.close());

const query = (text: string, values: unknown[]) => features.deps.pool.query(text, values);
const HASH = "'0x' || md5(n::text) || md5(n::text)";

/** Filled orders, one a second, and their claims; their transactions carry the key's suffix. */
async function trade(caller: Caller, from: number, to: number): Promise<void> {
  await query(
    `INSERT INTO app.transaction_claim (key_id, chain_id, product_type, operation_type, tx_hash, source, state, created_at)
     SELECT $1, $2, $3, 'trade', ${HASH}, 'recorded', 'final', timestamptz '2026-01-01' + n * interval '1 second'
     FROM generate_series($4::int, $5::int) n`,
    [caller.keyId, CHAIN, PRODUCT, from, to],
  );
  await query(
    `INSERT INTO app.transaction_attribution (chain_id, tx_hash, key_id)
     SELECT $1, ${HASH}, $2 FROM generate_series($3::int, $4::int) n`,
    [CHAIN, caller.keyId, from, to],
  );
  await query(
    `INSERT INTO onchain.stock_order (chain_id, product_type, order_id, tx_hash, log_index, block_number, created_at,
       user_address, stock_address, side, order_type, deadline, locked_amount, locked_remaining, status, filled_quantity,
       filled_notional, fee, fill_count, updated_at, updated_block)
     SELECT $1, $2, ${HASH}, ${HASH}, 0, 1, 1, $3, $3, 'Buy', 'Market', 0, 0, 0, 'filled', 1, 1, 0, 1, 1, 1
     FROM generate_series($4::int, $5::int) n`,
    [CHAIN, PRODUCT, USER, from, to],
  );
}

/** The deposits of combined calls, beside as many that are nobody's. */
async function depositFor(from: number, to: number): Promise<void> {
  await query(
    `INSERT INTO onchain.cash_operation (chain_id, product_type, op_id, kind, user_address, token_address, is_instant, status,
       order_id, tx_hash, log_index, block_number, created_at, updated_at, updated_block)
     SELECT $1, $2, ${HASH}, 'deposit', $3, $3, true, 'completed', CASE WHEN n >= $4 THEN ${HASH} END,
       CASE WHEN n >= $4 THEN ${HASH} ELSE ${HASH.replaceAll("n::text", "n || 'x'")} END, 1, 1, 1, 1, 1
     FROM generate_series(1, $5::int) n`,
    [CHAIN, PRODUCT, USER, from, to],
  );
}

async function revert(caller: Caller, count: number): Promise<void> {
  await query(
    `INSERT INTO app.transaction_claim (key_id, chain_id, product_type, operation_type, tx_hash, source, state)
     SELECT $1, $2, $3, 'trade', '0x' || lpad(to_hex(n), 64, '0'), 'recorded', 'reverted' FROM generate_series(1, $4) n`,
    [caller.keyId, CHAIN, PRODUCT, count],
  );
}

/** Requests of one user's that are final, two that are not, and two that failed. */
async function send(count: number): Promise<void> {
  await query("INSERT INTO app.delegatee_wallet (chain_id, address) VALUES ($1, $2)", [CHAIN, WALLET]);
  await query(
    `INSERT INTO app.send_request (request_id, key_id, chain_id, product_type, operation, user_address, wallet, to_address,
       call_data, gas_limit, input_hash, nonce, state, outcome, err_code)
     SELECT gen_random_uuid(), $1, $2, $3, CASE n WHEN 1 THEN '1ct/enable' ELSE 'orders/send' END, $4, $5, $5, '', 1, '',
       CASE WHEN n > 4 THEN n END,
       CASE WHEN n IN (1, 2) THEN 'failed' WHEN n IN (3, 4) THEN 'accepted' ELSE 'final' END,
       CASE WHEN n > 4 THEN 'confirmed' END, CASE WHEN n IN (1, 2) THEN 'OUT_OF_GAS' END
     FROM generate_series(1, $6::int) n`,
    [trader.keyId, CHAIN, PRODUCT, USER, WALLET, count],
  );
}

/** The answer, and the most rows that one statement behind it looked at. */
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
    const place = { createdMs, claimId: "00000000-0000-4000-8000-000000000000", logIndex: 0 };
    const cursor = encodeCursor({ list: "orders", chainId: CHAIN, productType: PRODUCT }, place);
    const { answer, rows } = await cost((deps) => listOrders(deps, trader, { limit: "5", cursor }));
    expect(answer.data.rows).toHaveLength(5);
    expect(rows).toBeLessThan(FEW);
  });

  it("of one order, by its id and by its transaction", async () => {
    const { rows: found } = await query(`SELECT ${HASH} AS id FROM (SELECT 7 AS n) one`, []);
    const { id } = z.object({ id: z.string() }).parse(found[0]);
    const byId = await cost((deps) => getOrder(deps, trader, { orderId: id }));
    const byTx = await cost((deps) => getOrderByTransaction(deps, trader, { txHash: id }));
    expect([byId.answer.data.orderId, byTx.answer.data.orderId]).toEqual([id, id]);
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
      const { answer, rows } = await cost(({ prisma }) => readOperations(prisma, trader, kind, page));
      expect(answer.data).toMatchObject({ total: 0, rows: [] });
      expect(rows).toBeLessThan(FEW);
    },
  );

  it("of deposits that were made with orders", async () => {
    const { answer, rows } = await cost(({ prisma }) => readOperations(prisma, depositor, "deposit", page));
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
