import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { settleChain } from "../../src/archive/settle.ts";
import { nextBlock } from "../../src/archive/store.ts";
import type { Caller } from "../../src/auth/caller.ts";
import { recount } from "../../src/cli/lists/recount.ts";
import { runCommand } from "../../src/cli/run.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { LONG } from "../support/assert/long.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { SEED, seededRandom } from "../support/assert/seeded-random.ts";
import { present } from "../support/assert/until.ts";
import { ARCHIVE } from "../support/db/archive.ts";
import { createClaim, createInvalidAttributions } from "../support/db/builders/claims.ts";
import { dyingPool } from "../support/db/dying-pool.ts";
import { empty } from "../support/db/empty.ts";
import { waitsForLock } from "../support/db/locks.ts";
import { createOnchain, type Onchain, type Row } from "../support/db/onchain.ts";
import { PROJECTED, project } from "../support/db/projected.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";
import { wrongCounts } from "./counts.ts";
import { CHAIN_ID, createRandomChain, OURS, STOCKS, USERS } from "./random-chain.ts";
import { createRandomClaims } from "./random-claims.ts";

// What is settled is what claims own. Lists are read from the rows of keys; the archive stays for the version before (docs/lists.md).

const PRODUCTS = [PRODUCT, "Second"];
const DAYS = LONG ? 20 : 1;
const STEPS = LONG ? 30 : 14;
/** Claims that a day must settle to show anything. */
const SETTLED_MIN = 20;
let features: Features;
let onchain: Onchain;
let callers: Caller[];

beforeAll(async () => {
  features = await startFeatures([
    {
      ...{ deployment: { chainId: CHAIN_ID, ...CONTRACTS }, products: PRODUCTS },
      ...{ rpcUrls: ["http://127.0.0.1:1"], confirmations: 1 },
    },
  ]);
  onchain = await createOnchain(features.deps.pool);
  callers = await Promise.all([
    features.makeCaller(),
    features.makeCaller(),
    features.makeCaller({ userAddress: USERS[0] ?? null }),
  ]);
  await onchain.insert(
    "stockToken",
    ...PRODUCTS.flatMap((productType) =>
      STOCKS.map((tokenAddress, n) => ({
        ...{ chainId: CHAIN_ID, productType, tokenAddress, symbol: `S${n}`, multiplier: 10n ** 18n },
      })),
    ),
  );
});

afterAll(() => features?.close());

beforeEach(async () => {
  await empty(
    features.deps.pool,
    "app.transaction_claim",
    "app.transaction_attribution",
    "app.invalid_attribution",
    ...ARCHIVE,
    ...PROJECTED,
  );
});

const CHAIN = { chainId: CHAIN_ID, confirmations: 1 };
const settle = () => settleChain(features.deps, CHAIN);
/** Runs the operator's command. @returns its exit code */
const rebuild = (write: (text: string) => unknown = () => undefined) =>
  runCommand(["lists", "rebuild"], {
    env: { DATABASE_URL: features.databaseUrl },
    ...{ stdout: { write }, stderr: { write } },
  });
/** Begins an archive that is complete and has settled nothing. */
const createProgressRows = (pool: pg.Pool) =>
  pool.query(
    "INSERT INTO app.settled_chain (chain_id, build_id, block_number, complete) VALUES ($1, 'first', 10, true)",
    [CHAIN_ID],
  );

const COLUMNS = `claim_id, log_index, key_id, chain_id, product_type, tx_hash, created_at, updated_at, status, side, order_type, stock, user_address`;
const settledRows = `
  SELECT claim_id, log_index, key_id, chain_id, product_type, tx_hash, created_at, updated_at, status, side, order_type,
    stock_address AS stock, user_address FROM app.settled_order
  UNION ALL SELECT claim_id, log_index, key_id, chain_id, product_type, tx_hash, created_at, updated_at, status, kind, '',
    token_address, user_address FROM app.settled_operation`;
const projectedRows = `
  SELECT claim_id, log_index, key_id, chain_id, product_type, tx_hash, created_at, updated_at, status, side, order_type,
    stock_address AS stock, user_address, block_number FROM app.key_order
  UNION ALL SELECT claim_id, log_index, key_id, chain_id, product_type, tx_hash, created_at, updated_at, status, kind, '',
    token_address, user_address, block_number FROM app.key_operation`;
/** What changed behind the settled block is settled as it was before. */
const CHANGED = `SELECT k.claim_id FROM (${projectedRows}) k, app.settled_chain c WHERE k.block_number > c.block_number`;

/** What the archive has is what the projector finds, and it has all of the claims that do not wait. */
async function expectAsProjected(): Promise<void> {
  await project(features.deps);
  const { rows } = await features.deps.pool.query(`
    SELECT 'settled' AS only, d.* FROM (
      SELECT ${COLUMNS} FROM (${settledRows}) s WHERE s.claim_id NOT IN (${CHANGED})
      EXCEPT SELECT ${COLUMNS} FROM (${projectedRows}) k) d
    UNION ALL
    SELECT 'projected', d.* FROM (
      SELECT ${COLUMNS} FROM (${projectedRows}) k
      WHERE k.claim_id NOT IN (${CHANGED}) AND k.claim_id NOT IN (SELECT claim_id FROM app.unsettled_claim)
      EXCEPT SELECT ${COLUMNS} FROM (${settledRows}) s) d
    WHERE EXISTS (SELECT FROM app.settled_chain WHERE complete)`);
  expect(rows).toEqual([]);
}

it.each(Array.from({ length: DAYS }, (_, day) => SEED + day))(
  "what is settled is what is projected, on a random day (TEST_SEED=%d)",
  async (seed) => {
    const random = seededRandom(seed);
    const chain = createRandomChain(onchain, random, ...PRODUCTS);
    const elsewhere = callers.map((caller) => ({ ...caller, productType: "Second" }));
    const scopes = [...callers, ...callers, ...elsewhere];
    const claims = createRandomClaims(features.deps.pool, scopes, { random, chain });
    let settled = 0;
    await chain.mine();
    // Chance may let little become final: such a day lasts longer.
    for (let step = 0; step < STEPS || (settled <= SETTLED_MIN && step < 10 * STEPS); step++) {
      for (let n = random.below(16); n >= 0; n--) {
        const { mine, reorg } = chain;
        const { add, change, rebind } = claims;
        await random.of([mine, mine, mine, mine, reorg, add, add, add, change, () => rebind()])();
      }
      await claims.watch();
      if (random.chance(0.6)) {
        const workers = random.chance(0.3) ? [settle(), settle()] : [settle()];
        for (const { claims: count } of await Promise.all(workers)) settled += count;
      }
      await expectAsProjected();
    }
    await claims.unbind();
    expect(settled).toBeGreaterThan(SETTLED_MIN);
    expect(await wrongCounts(features.deps.pool)).toEqual([]);
  },
  180_000,
);

describe("a key with orders that are final", () => {
  const WAD = 10n ** 18n;
  const orderOf = (n: number): Row<"stockOrder"> => ({
    ...{
      chainId: CHAIN_ID,
      productType: PRODUCT,
      orderId: hex(32, 0xabc000 + n),
      txHash: hex(32, 0x1000 + n),
    },
    ...{ blockNumber: 3n, updatedBlock: 3n, createdAt: 1_799_000_000n, updatedAt: 1_799_000_100n },
    ...{ userAddress: hex(20, 0xa1), stockAddress: hex(20, 0x571), side: "Buy", orderType: "Limit" },
    ...{ status: "open", quantity: WAD, price: WAD },
  });
  const ORDERS = 12;
  const block = (number: bigint) => ({ number, timestamp: 1_799_000_200n });
  const publish = (
    change: (row: Row<"stockOrder">, n: number) => Row<"stockOrder"> = (row) => row,
    stockOperation: Row<"stockOperation">[] = [],
  ) => {
    const stockOrder = Array.from({ length: ORDERS }, (_, n) => change(orderOf(n), n));
    return onchain.replace(CHAIN_ID, { stockOrder, stockOperation }, block(20n), block(10n));
  };
  const caller = () => present(callers[0], "a caller");
  /** Returns the ids of the orders that are settled for a key, by their transactions. */
  const ids = async (query: { status?: string } = {}, { keyId } = caller()): Promise<string[]> => {
    const { rows } = await features.deps.pool.query(
      `SELECT o.order_id FROM app.settled_order s JOIN onchain.stock_order o ON o.tx_hash = s.tx_hash
       WHERE s.key_id = $1 AND s.status = coalesce($2, s.status)`,
      [keyId, query.status],
    );
    return rows.map(({ order_id }) => order_id);
  };
  /** Returns how many there are by what is kept of their number. */
  const total = async ({ status }: { status?: string }): Promise<number> => {
    const counts = "SELECT key_id, status, row_count FROM";
    const { rows } = await features.deps.pool.query(
      `SELECT coalesce(sum(n.row_count), 0)::int AS total
       FROM (${counts} app.settled_count UNION ALL ${counts} app.settled_count_change) n
       WHERE n.key_id = $1 AND n.status = coalesce($2, n.status)`,
      [caller().keyId, status],
    );
    return Number(rows[0].total);
  };
  const settledCount = async () => {
    const { rows } = await features.deps.pool.query("SELECT count(*)::int AS settled FROM app.settled_order");
    return Number(rows[0].settled);
  };

  beforeEach(async () => {
    await features.deps.pool.query(
      `UPDATE onchain._ponder_meta SET value = '{"is_ready": 1, "build_id": "first"}'`,
    );
    await publish();
    for (let n = 0; n < ORDERS; n++) {
      const createdAt = new Date(1_799_000_110_000 + n);
      await createClaim(features.deps.pool, caller(), {
        txHash: hex(32, 0x1000 + n),
        createdAt,
        updatedAt: createdAt,
      });
    }
  });

  it("has them in the archive, and nothing left in the tail", async () => {
    expect(await settle()).toMatchObject({ complete: true });
    const { rows } = await features.deps.pool.query("SELECT count(*)::int AS left FROM app.unsettled_claim");
    expect([await settledCount(), rows[0].left]).toEqual([ORDERS, 0]);
    expect(await ids()).toHaveLength(ORDERS);
  });

  it("loses what a key claims later with a better right, in the transaction of that claim", async () => {
    await settle();
    const other = present(callers[1], "another caller");
    await createClaim(features.deps.pool, other, { txHash: hex(32, 0x1005), source: "send" });
    expect(await ids()).not.toContain(hex(32, 0xabc005));
    expect(await settledCount()).toBe(ORDERS - 1);
    await settle();
    expect([(await ids()).length, await ids({}, other)]).toEqual([ORDERS - 1, [hex(32, 0xabc005)]]);
  });

  it("loses what has a suffix in our form while it has no verdict, and gets it with the verdict", async () => {
    const { pool } = features.deps;
    const txHash = hex(32, 0x1005);
    const at = { chainId: CHAIN_ID, productType: PRODUCT, txHash, blockNumber: 5n, transactionIndex: 0 };
    await onchain.insert("attributionSuffix", { ...at, callData: "0x", suffix: OURS, fromAddress: "0x" });
    await settle();
    expect(await ids()).toHaveLength(ORDERS);
    // By the rule before, it needs none.
    await pool.query("UPDATE app.transaction_claim SET rule_version = 2 WHERE tx_hash = $1", [txHash]);
    expect(await ids()).not.toContain(hex(32, 0xabc005));
    await settle();
    expect([await ids(), await settledCount()]).toEqual([expect.any(Array), ORDERS - 1]);
    await createInvalidAttributions(pool, CHAIN_ID, txHash);
    await settle();
    expect([(await ids()).length, await settledCount()]).toEqual([ORDERS, ORDERS]);
    await pool.query("DELETE FROM onchain.attribution_suffix");
  });

  it("stays the key's when another user is bound to it, settled or not, and goes when another key's record is made anew", async () => {
    const { pool } = features.deps;
    const [other, first] = [present(callers[1], "another caller"), hex(32, 0x1000)];
    const lists = async () => [(await ids()).length, (await ids({}, other)).length];
    const bind = ({ keyId }: Caller, user: string | null) =>
      pool.query("UPDATE app.api_key SET user_address = $2 WHERE key_id = $1", [keyId, user]);
    const createdAt = new Date(1_799_000_120_000);
    await createClaim(pool, other, { txHash: first, ruleVersion: 2, beforeFinal: true, createdAt });
    for (let n = 0; n < 2; n++) {
      await bind(caller(), hex(20, 0xbad));
      await bind(other, hex(20, 0xa1));
      await settle();
      expect(await lists()).toEqual([ORDERS, 0]);
    }
    expect(await settledCount()).toBe(ORDERS);
    await pool.query(
      "UPDATE app.transaction_claim SET created_at = created_at + interval '1 millisecond' WHERE key_id = $1",
      [other.keyId],
    );
    expect(await lists()).toEqual([ORDERS - 1, 0]);
    await settle();
    expect([await lists(), await settledCount()]).toEqual([[ORDERS - 1, 1], ORDERS]);
    for (const key of [caller(), other]) await bind(key, null);
  });

  it("takes back all that one statement changes, before and after, and nothing for what changes no list", async () => {
    await settle();
    const { pool } = features.deps;
    const moved = [hex(32, 0x1001), hex(32, 0x1002)];
    const other = present(callers[1], "another caller");
    const unsettled = async () => {
      const { rows } = await pool.query("SELECT tx_hash FROM app.unsettled_claim ORDER BY tx_hash");
      return rows.map(({ tx_hash }) => tx_hash);
    };
    await pool.query("UPDATE app.transaction_claim SET updated_at = updated_at, state = 'final'");
    expect([await unsettled(), await settledCount()]).toEqual([[], ORDERS]);
    await createClaim(pool, other, { txHash: null, source: "send" });
    await createClaim(pool, other, { txHash: null, source: "send", operationType: "deposit" });
    expect([await unsettled(), await settledCount()]).toEqual([[null, null], ORDERS]);
    await pool.query(
      `UPDATE app.transaction_claim SET tx_hash = (CASE operation_type WHEN 'trade' THEN $1::text[] ELSE $2::text[] END)[1]
       WHERE tx_hash IS NULL`,
      [moved.slice(0, 1), moved.slice(1)],
    );
    expect(await unsettled()).toEqual([moved[0], moved[0], moved[1], moved[1]]);
    expect(await settledCount()).toBe(ORDERS - 2);
    expect(await ids()).not.toContain(hex(32, 0xabc001));
    await settle();
    expect(await ids({}, other)).toEqual([hex(32, 0xabc001)]);
    await pool.query("UPDATE app.transaction_claim SET tx_hash = NULL WHERE key_id = $1", [other.keyId]);
    await settle();
    // Before: the transactions are the first key's again.
    expect(await ids()).toHaveLength(ORDERS);
  });

  it("settles what a transaction did after all although its claim was settled as failed", async () => {
    const txHash = hex(32, 0x2000);
    const claimId = await createClaim(features.deps.pool, caller(), {
      ...{ txHash, operationType: "stock-withdraw" },
      updatedAt: new Date(1_799_000_110_000),
    });
    await features.deps.pool.query(
      "UPDATE app.transaction_claim SET state = 'reverted' WHERE claim_id = $1",
      [claimId],
    );
    await settle();
    const statuses = async () => {
      const { rows } = await features.deps.pool.query("SELECT status FROM app.settled_operation");
      return rows.map(({ status }) => status);
    };
    expect(await statuses()).toEqual(["failed"]);
    await publish(undefined, [
      {
        ...{ chainId: CHAIN_ID, productType: PRODUCT, txHash, opId: hex(32, 0xdef), kind: "stock-withdraw" },
        ...{ userAddress: hex(20, 0xa1), tokenAddress: hex(20, 0x571), amount: WAD, blockNumber: 15n },
      },
    ]);
    const block = (number: bigint) => ({ number, timestamp: 1_799_000_200n });
    await onchain.setBlock(CHAIN_ID, block(20n), block(16n));
    await settle();
    expect(await statuses()).toEqual(["completed"]);
  });

  it("has changed when it was mapped, although a clock was set back after that", async () => {
    const mappedAt = 1_799_000_150;
    await createClaim(features.deps.pool, caller(), {
      ...{ txHash: hex(32, 0x3000), state: "reverted" },
      ...{ createdAt: new Date(mappedAt * 1000), updatedAt: new Date((mappedAt - 40) * 1000) },
    });
    await settle();
    const { rows } = await features.deps.pool.query(
      "SELECT extract(epoch FROM updated_at)::int AS at FROM app.settled_order WHERE tx_hash = $1",
      [hex(32, 0x3000)],
    );
    expect(rows).toEqual([{ at: mappedAt }]);
  });

  it("is settled anew from another build of the index", async () => {
    await settle();
    await features.deps.pool.query(
      `UPDATE onchain._ponder_meta SET value = '{"is_ready": 1, "build_id": "second"}'`,
    );
    await publish((row) => ({ ...row, status: "canceled" }));
    await settle();
    expect(await ids({ status: "Canceled" })).toHaveLength(ORDERS);
    const { rows } = await features.deps.pool.query("SELECT build_id, complete FROM app.settled_chain");
    expect(rows).toEqual([{ build_id: "second", complete: true }]);
  });

  it("is settled once the index is ready, and not before", async () => {
    const { pool } = features.deps;
    await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 0, "build_id": "first"}'`);
    expect(await settle()).toMatchObject({ complete: true, claims: 0 });
    await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 1, "build_id": "first"}'`);
    await settle();
    expect(await settledCount()).toBe(ORDERS);
  });

  it("is settled without waiting for claims that somebody else holds", async () => {
    const { pool } = features.deps;
    await createProgressRows(pool);
    const holder = await pool.connect();
    try {
      await holder.query("BEGIN");
      await holder.query("SELECT 1 FROM app.unsettled_claim WHERE tx_hash = $1 FOR UPDATE", [
        hex(32, 0x1003),
      ]);
      expect(await settle()).toMatchObject({ complete: true, claims: ORDERS - 1 });
    } finally {
      await holder.query("ROLLBACK");
      holder.release();
    }
    expect(await settle()).toMatchObject({ complete: true, claims: 1 });
  });

  it("is settled without waiting for another worker that settles the chain", async () => {
    const { pool } = features.deps;
    await createProgressRows(pool);
    const holder = await pool.connect();
    try {
      await holder.query("BEGIN");
      await holder.query("SELECT 1 FROM app.settled_chain WHERE chain_id = $1 FOR UPDATE", [CHAIN_ID]);
      expect(await settle()).toMatchObject({ complete: true, claims: 0 });
    } finally {
      await holder.query("ROLLBACK");
      holder.release();
    }
  });

  it("moves on by a bounded number of changes at a time", async () => {
    await publish((row, n) => ({ ...row, updatedBlock: BigInt(4 + n) }));
    const next = (block: bigint, changesMax: number) =>
      nextBlock(features.deps.pool, { chainId: CHAIN_ID, block, safe: 10n, changesMax });
    expect([await next(3n, 2), await next(5n, 2), await next(5n, 5)]).toEqual([5n, 7n, 10n]);
    expect([await next(5n, 6), await next(8n, 3)]).toEqual([10n, 10n]);
    await publish((row, n) => ({ ...row, updatedBlock: BigInt(4 + (n % 3)) }));
    expect([await next(3n, 12), await next(3n, 13)]).toEqual([6n, 10n]);
  });

  it("is settled anew by the operator's command", async () => {
    await settle();
    await features.deps.pool.query("UPDATE app.settled_order SET status = 'Expired'");
    expect(await ids({ status: "Expired" })).toHaveLength(ORDERS);
    const output: string[] = [];
    expect(await rebuild((text) => output.push(text))).toBe(0);
    expect(output.at(-1)?.trim().split(/ {2,}/)).toEqual([String(CHAIN_ID), "being filled", "10", "0"]);
    await settle();
    expect(await ids({ status: "Expired" })).toEqual([]);
    expect(await ids({ status: "New" })).toHaveLength(ORDERS);
    expect(await settledCount()).toBe(ORDERS);
  });

  it("has its totals right again by the operator's command", async () => {
    await settle();
    const { pool } = features.deps;
    await pool.query("UPDATE app.settled_count SET row_count = row_count + 5");
    expect(await total({})).toBe(ORDERS + 5);
    expect(await rebuild()).toBe(0);
    await settle();
    expect([await total({}), await total({ status: "New" })]).toEqual([ORDERS, ORDERS]);
    expect(await wrongCounts(pool)).toEqual([]);
  });

  it("is counted while several transactions take rows of it out of the archive, and none waits for another", async () => {
    await settle();
    const { pool } = features.deps;
    const holders = await Promise.all([pool.connect(), pool.connect()]);
    try {
      for (const [n, holder] of holders.entries()) {
        await holder.query("BEGIN");
        await holder.query("SET LOCAL lock_timeout = '1s'");
        await holder.query("SELECT app.unsettle($1::int[], $2::text[], '{}', false)", [
          [CHAIN_ID],
          [hex(32, 0x1000 + n)],
        ]);
      }
      expect(await total({})).toBe(ORDERS);
      await holders[0]?.query("COMMIT");
      await holders[1]?.query("ROLLBACK");
    } finally {
      for (const holder of holders) holder.release();
    }
    expect([await settledCount(), await total({ status: "New" })]).toEqual([ORDERS - 1, ORDERS - 1]);
    expect(await wrongCounts(pool)).toEqual([]);
    await settle();
    const { rows } = await pool.query("SELECT count(*)::int AS unmerged FROM app.settled_count_change");
    expect(rows).toEqual([{ unmerged: 0 }]);
    expect(await wrongCounts(pool)).toEqual([]);
  });

  it("is counted once more without waiting for a transaction that has not committed, and exactly", async () => {
    await settle();
    const { pool } = features.deps;
    await empty(pool, "app.settled_count", "app.settled_count_change");
    const writer = await pool.connect();
    try {
      await writer.query("BEGIN");
      await writer.query("DELETE FROM app.settled_order WHERE tx_hash = $1", [hex(32, 0x1000)]);
      await writer.query("UPDATE app.settled_order SET status = 'Expired' WHERE tx_hash = $1", [
        hex(32, 0x1001),
      ]);
      await pool.query("SELECT app.recount_settled()");
      expect(await total({})).toBe(ORDERS);
      await writer.query("COMMIT");
    } finally {
      writer.release();
    }
    expect([await total({}), await total({ status: "Expired" })]).toEqual([ORDERS - 1, 1]);
    await pool.query("SELECT app.recount_settled()");
    expect(await wrongCounts(pool)).toEqual([]);
  });

  it("is counted once more by two at once, who add what is lacking once", async () => {
    await settle();
    const { pool } = features.deps;
    await empty(pool, "app.settled_count", "app.settled_count_change");
    let second: Promise<unknown> = Promise.resolve();
    await inTransaction(pool, async (tx) => {
      await tx.query("SELECT app.recount_settled()");
      second = pool.query("SELECT app.recount_settled()");
      await waitsForLock(pool, "%app.recount_settled%", second);
    });
    await second;
    expect(await total({})).toBe(ORDERS);
    expect(await wrongCounts(pool)).toEqual([]);
  });

  it("is counted once more beside a worker that settles, without a deadlock", async () => {
    await settle();
    const { pool } = features.deps;
    const add = async (client: pg.Pool | pg.PoolClient, table: string, keyId: string): Promise<void> => {
      const kind = table === "app.settled_order" ? "" : "kind, ";
      await client.query(
        `INSERT INTO ${table} (claim_id, log_index, key_id, chain_id, product_type, created_at, updated_at, ${kind}status)
         VALUES (gen_random_uuid(), 0, $1, $2, 'other', now(), now(), ${kind && "'deposit', "}'completed')`,
        [keyId, CHAIN_ID],
      );
    };
    const [first, last] = ["0", "f"].map((digit) => digit.repeat(32)) as [string, string];
    await add(pool, "app.settled_operation", first);
    await add(pool, "app.settled_order", last);
    await empty(pool, "app.settled_count", "app.settled_count_change");
    let recounted: Promise<unknown> = Promise.resolve();
    await inTransaction(pool, async (worker) => {
      await worker.query("SELECT FROM app.settled_chain FOR UPDATE");
      await add(worker, "app.settled_order", last);
      recounted = pool.query("SELECT app.recount_settled()");
      await waitsForLock(pool, "%app.recount_settled%", recounted);
      await add(worker, "app.settled_operation", first);
    });
    await recounted;
    expect(await wrongCounts(pool)).toEqual([]);
  });

  it("has its totals right again after a worker that settles, however long it takes", async () => {
    await settle();
    const { pool } = features.deps;
    await inTransaction(pool, async (tx) => {
      await tx.query("SELECT FROM app.settled_chain FOR UPDATE");
      const rebuilt = rebuild();
      // Longer than a statement of the command may take otherwise.
      if (LONG) await Promise.race([sleep(10_500), rebuilt]);
      await waitsForLock(pool, "%app.recount_settled%", rebuilt);
      await tx.query("COMMIT");
      expect(await rebuilt).toBe(0);
    });
  }, 30_000);

  it("is not counted once more while a transaction keeps it locked for long, which the operator is told of", async () => {
    await settle();
    const { pool } = features.deps;
    const notes: string[] = [];
    const write = (text: string) => notes.push(text);
    const terminal = { env: {}, stdout: { write }, stderr: { write } };
    await inTransaction(pool, async (tx) => {
      const { rows } = await tx.query("SELECT pg_backend_pid() AS pid FROM app.settled_chain FOR UPDATE");
      const waiting = pool.query("SELECT app.recount_settled()");
      await waitsForLock(pool, "%app.recount_settled%", waiting);
      const holder = `process ${rows[0].pid} of PostgreSQL (partner-trading, in a transaction since 20`;
      await expect(recount(terminal, pool, { waitMs: 20, attempts: 2 })).rejects.toThrow(
        `the archive is locked by ${holder}`,
      );
      expect(notes).toEqual([expect.stringContaining(`waits for ${holder}`)]);
      expect(notes.join("").match(/process/g)).toHaveLength(1);
      await tx.query("COMMIT");
      await waiting;
    });
    await recount(terminal, pool, { waitMs: 20, attempts: 1 });
  });

  it.each([1, 2, 3, 4, 5, 6, 8, 10, 12])(
    "is complete although the worker dies at statement %d",
    async (statements) => {
      await expect(
        settleChain({ ...features.deps, pool: dyingPool(features.deps.pool, statements) }, CHAIN),
      ).rejects.toThrow("died");
      await settle();
      expect(await ids()).toHaveLength(ORDERS);
      expect(await settledCount()).toBe(ORDERS);
    },
  );
});
