import { beforeEach, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import type { Hex } from "viem";
import { createEventWriter } from "../../src/events/writer/write.ts";
import { CHAIN_ID, STOCKS } from "../archive/random-chain.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createAttributions, createClaim, createClaims } from "../support/db/builders/claims.ts";
import { empty } from "../support/db/empty.ts";
import type { Row } from "../support/db/onchain.ts";
import { PRODUCT } from "../support/http/features.ts";
import { useLog } from "./log-fixture.ts";

// What a key sees, as rows (docs/projection.md): filled with what there is, written by claims at once, and with a version.

const { features, onchain, deps, callers, write, readEvents, expectProjected } = await useLog();
const { pool } = features.deps;

const WAD = 10n ** 18n;
const TX = hex(32, 0x1000);
const orderOf = (n: number, block: bigint): Row<"stockOrder"> => ({
  ...{ chainId: CHAIN_ID, productType: PRODUCT, orderId: hex(32, 0xabc000 + n), txHash: hex(32, 0x1000 + n) },
  ...{ blockNumber: block, updatedBlock: block, createdAt: 1_799_000_000n, updatedAt: 1_799_000_100n },
  ...{ userAddress: hex(20, 0xa1), stockAddress: hex(20, 0x571), side: "Buy", orderType: "Limit" },
  ...{ status: "open", quantity: WAD, price: WAD },
});
const EMPTY = {
  stockOrder: [],
  cashOperation: [],
  stockOperation: [],
  attributionSuffix: [],
  eventBlock: [],
};
const blockOf = (number: bigint) => ({ number, timestamp: 1_799_000_000n + number });
const publish = (latest: bigint, tables: object, safe = 10n) =>
  onchain.replace(CHAIN_ID, { ...EMPTY, ...tables }, blockOf(latest), blockOf(safe));
const caller = present(callers[0], "a caller");
const other = present(callers[1], "another caller");
const types = async (who = caller) => (await readEvents(who, { limit: "100" })).rows.map(({ type }) => type);
const rows = async () =>
  (
    await pool.query(
      "SELECT order_id, status, event_id, unreported FROM app.key_order ORDER BY log_index, order_id",
    )
  ).rows;
const chain = async () => {
  const { rows } = await pool.query("SELECT filled, filled_to, build_id FROM app.event_chain");
  return rows[0];
};

beforeEach(async () => {
  await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 1}'`);
  await publish(10n, {});
});

describe("rows of what was so before the log began", () => {
  const COUNT = 250;
  const begin = async () => {
    await publish(10n, { stockOrder: Array.from({ length: COUNT }, (_, n) => orderOf(n, 9n)) });
    await createClaims(
      pool,
      caller,
      Array.from({ length: COUNT }, (_, n) => ({ txHash: hex(32, 0x1000 + n) })),
    );
    await createClaim(pool, caller, { txHash: hex(32, 0x99), state: "reverted" });
    // As the claims of a version that had no log.
    await empty(pool, "app.event_due", "app.key_order", "app.key_change");
  };

  it("are filled, and are no event", async () => {
    await begin();
    await write();
    expect(await chain()).toEqual({ filled: true, filled_to: null, build_id: "" });
    expect(await rows()).toHaveLength(COUNT + 1);
    expect(await types()).toEqual([]);
    await expectProjected();
  });

  it("are an event where the claim is due while they are filled", async () => {
    await begin();
    await pool.query(
      "INSERT INTO app.event_due (chain_id, claim_id) SELECT chain_id, claim_id FROM app.transaction_claim WHERE tx_hash = $1",
      [TX],
    );
    await write();
    expect(await types()).toEqual(["order.placed"]);
    await expectProjected();
  });

  it("are an event where they change later, or their claim loses them", async () => {
    await begin();
    await write();
    await publish(12n, {
      stockOrder: Array.from({ length: COUNT }, (_, n) =>
        n === 0 ? { ...orderOf(0, 12n), status: "filled" as const, filledQuantity: WAD } : orderOf(n, 9n),
      ),
    });
    await write();
    expect(await types()).toEqual(["order.filled"]);
    await createAttributions(pool, other, hex(32, 0x1001));
    await createClaim(pool, other, { source: "attributed", txHash: hex(32, 0x1001) });
    await write();
    expect(await types()).toEqual(["order.filled", "mapping.removed"]);
    expect(await types(other)).toEqual(["order.placed"]);
    await expectProjected();
  });

  it("are filled once more where a version without rows wrote the log meanwhile", async () => {
    await begin();
    await write();
    await pool.query("UPDATE app.key_order SET status = 'Filled' WHERE tx_hash = $1", [TX]);
    await pool.query("UPDATE app.event_chain SET block_number = 11");
    expect(await chain()).toMatchObject({ filled: false });
    await publish(11n, { stockOrder: Array.from({ length: COUNT }, (_, n) => orderOf(n, 9n)) });
    await write();
    expect(await chain()).toMatchObject({ filled: true });
    expect(await types()).toEqual([]);
    await expectProjected();
  });

  it("are compared with another build of the index behind its steps, and stay complete", async () => {
    await begin();
    await write();
    await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 1, "build_id": "next"}'`);
    await pool.query("UPDATE onchain.stock_order SET price = 2 * price WHERE tx_hash = $1", [TX]);
    const run = createEventWriter(deps, { verifyMs: 0 });
    await run(CHAIN_ID);
    expect(await chain()).toMatchObject({ filled: true, build_id: "next", filled_to: expect.any(String) });
    await write();
    expect(await chain()).toMatchObject({ filled: true, filled_to: null });
    expect(await types()).toEqual(["order.placed"]);
    await expectProjected();
  });

  it("wait for a build of the index that is behind them, which has taken nothing back", async () => {
    await begin();
    await write();
    await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 1, "build_id": "next"}'`);
    await publish(9n, {}, 9n);
    await write();
    expect(await rows()).toHaveLength(COUNT + 1);
    expect(await types()).toEqual([]);
  });

  it("wait for the names of tokens, and then are no event", async () => {
    const operation: Row<"stockOperation"> = {
      ...{
        chainId: CHAIN_ID,
        productType: PRODUCT,
        opId: hex(32, 0x0b),
        kind: "stock-deposit",
        txHash: TX,
        amount: WAD,
      },
      ...{
        userAddress: hex(20, 0xa1),
        tokenAddress: present(STOCKS[0], "a stock"),
        blockNumber: 9n,
        createdAt: 1_799_000_000n,
      },
    };
    await publish(10n, { stockOperation: [operation] });
    await createClaim(pool, caller, { operationType: "stock-deposit", txHash: TX });
    await empty(pool, "app.event_due", "app.key_operation", "app.key_change");
    let isNamed = false;
    const named = async (tokens: readonly Hex[]) => {
      if (!isNamed) throw new Error("no node answers");
      return new Map(tokens.map((token) => [token, { symbol: "S0", name: "S0", decimals: 18 }]));
    };
    const known = present(deps.chains.get(CHAIN_ID), "the chain");
    const chains = new Map([[CHAIN_ID, { ...known, tokens: { metadata: named } }]]);
    const run = createEventWriter({ ...deps, chains }, { verifyMs: 0, tokenWaitMs: 10 });
    const runAll = async () => {
      for (let runs = 0; !(await run(CHAIN_ID)).complete; runs++) expect(runs).toBeLessThan(10);
    };
    await runAll();
    expect(await chain()).toMatchObject({ filled: false });
    isNamed = true;
    await runAll();
    await runAll();
    expect(await chain()).toMatchObject({ filled: true });
    const { rows: operations } = await pool.query("SELECT data FROM app.key_operation");
    expect(operations.map(({ data }) => JSON.parse(data).depositOperation.tokenSymbol)).toEqual(["S0"]);
    expect(await types()).toEqual([]);
  });
});

describe("a claim's row", () => {
  beforeEach(write);

  it("is there with the claim, unreported, and follows it until the log reports it", async () => {
    const claimId = await createClaim(pool, caller, { source: "send", txHash: null, clientOrderId: "one" });
    expect(await rows()).toEqual([{ order_id: null, status: "Init", event_id: null, unreported: true }]);
    await write();
    expect(await rows()).toMatchObject([{ status: "Init", event_id: expect.any(String), unreported: false }]);
    await pool.query("UPDATE app.transaction_claim SET state = 'reverted' WHERE claim_id = $1", [claimId]);
    expect(await rows()).toMatchObject([{ status: "Failed", unreported: true }]);
    await write();
    expect(await types()).toEqual(["order.mapped", "order.failed"]);
    await expectProjected();
  });

  it("is not where the transaction carries another key's suffix, and reports its end where it was", async () => {
    await createClaim(pool, caller, { txHash: TX });
    await createAttributions(pool, other, TX);
    await createClaim(pool, other, { source: "attributed", txHash: TX });
    await write();
    expect(await types()).toEqual(["mapping.removed"]);
    expect(await types(other)).toEqual(["order.mapped"]);
    await createClaim(pool, present(callers[2], "a third"), { txHash: TX });
    expect(await rows()).toHaveLength(1);
    await expectProjected();
  });

  it("is taken by the index, and stays as it is where its claim changes", async () => {
    const claimId = await createClaim(pool, caller, { txHash: TX });
    await publish(12n, { stockOrder: [orderOf(0, 12n)] });
    await write();
    const before = await rows();
    expect(before).toMatchObject([{ order_id: hex(32, 0xabc000), status: "New", unreported: false }]);
    await pool.query(
      "UPDATE app.transaction_claim SET state = 'final', updated_at = now() WHERE claim_id = $1",
      [claimId],
    );
    expect(await rows()).toEqual(before);
    await write();
    expect(await types()).toEqual(["order.placed"]);
    await expectProjected();
  });

  it("is there for operations of its kind", async () => {
    await createClaim(pool, caller, { operationType: "withdraw", txHash: TX });
    const read = () => pool.query("SELECT kind, ordinal, status, type, unreported FROM app.key_operation");
    const row = { kind: "withdraw", ordinal: 0, status: "pending", type: "operation.pending" };
    expect((await read()).rows).toEqual([{ ...row, unreported: true }]);
    await write();
    expect((await read()).rows).toEqual([{ ...row, unreported: false }]);
    expect(await rows()).toEqual([]);
    await expectProjected();
  });
});

describe("a reorg", () => {
  /** Never compares all that is not final: what a reorg changed is found by the blocks alone. */
  const run = createEventWriter(deps, { verifyMs: 3_600_000 });
  const follow = async () => {
    while (!(await run(CHAIN_ID)).complete);
  };
  const hashOf = (number: bigint, fork: number) => hex(32, Number(number) * 1000 + fork);
  const mined = (fork: number, ...numbers: bigint[]) =>
    numbers.map((number) => ({ chainId: CHAIN_ID, number, hash: hashOf(number, fork) }));
  const filled = (block: bigint) => ({
    ...orderOf(0, 11n),
    ...{ status: "filled" as const, filledQuantity: WAD, updatedBlock: block },
  });

  beforeEach(async () => {
    await follow();
    await createClaim(pool, caller, { txHash: TX });
    await createClaim(pool, other, { txHash: TX });
    await publish(11n, { stockOrder: [orderOf(0, 11n)], eventBlock: mined(0, 11n) });
    await follow();
  });

  it("takes a fill back that the new block has no event for, though the chain is as high as it was", async () => {
    await publish(13n, { stockOrder: [filled(12n)], eventBlock: mined(0, 11n, 12n) });
    await follow();
    await publish(13n, { stockOrder: [orderOf(0, 11n)], eventBlock: mined(0, 11n) });
    await follow();
    expect(await types()).toEqual(["order.placed", "order.filled", "order.placed"]);
    await expectProjected();
  });

  it("is projected before a step names a block, behind other blocks that came with it", async () => {
    await publish(13n, { stockOrder: [filled(12n)], eventBlock: mined(0, 11n, 12n) });
    await follow();
    const later = { ...orderOf(1, 15n), txHash: TX, logIndex: 9 };
    await publish(15n, { stockOrder: [orderOf(0, 11n), later], eventBlock: mined(1, 11n, 15n) });
    await follow();
    const { rows: blocks } = await pool.query(
      "SELECT block_number, (SELECT count(*)::int FROM app.projected_block) AS known FROM app.event_chain",
    );
    expect(blocks).toEqual([{ block_number: "15", known: 2 }]);
    expect((await types()).slice(2)).toEqual(["order.placed", "order.placed"]);
    await expectProjected();
  });

  it("gives a claim that owned nothing its mapping back", async () => {
    const before = await types(other);
    await publish(11n, { eventBlock: [] });
    await follow();
    expect(await types()).toEqual(["order.placed", "order.mapped"]);
    expect((await types(other)).slice(before.length)).toEqual(["order.mapped"]);
    await publish(12n, { stockOrder: [orderOf(0, 12n)], eventBlock: mined(1, 12n) });
    await follow();
    expect((await types(other)).slice(before.length)).toEqual(["order.mapped", "mapping.removed"]);
    await expectProjected();
  });

  it("is told of whole where it changed more than a step looks at", async () => {
    const COUNT = 320;
    const orders = (block: bigint) =>
      Array.from({ length: COUNT }, (_, n) => ({ ...orderOf(n, 11n), updatedBlock: block }));
    await createClaims(
      pool,
      caller,
      orders(11n)
        .slice(1)
        .map(({ txHash }) => ({ txHash: present(txHash, "a hash") })),
    );
    await publish(12n, { stockOrder: orders(11n), eventBlock: mined(0, 11n) });
    await follow();
    const ended = orders(13n).map((order) => ({ ...order, status: "canceled" as const }));
    await publish(13n, { stockOrder: ended, eventBlock: mined(0, 11n, 13n) });
    await follow();
    await publish(14n, { stockOrder: orders(11n), eventBlock: mined(0, 11n) });
    await follow();
    const { rows: found } = await pool.query(
      "SELECT status, count(*)::int AS count FROM app.key_order GROUP BY 1",
    );
    expect(found).toContainEqual({ status: "New", count: COUNT });
    expect(found).not.toContainEqual(expect.objectContaining({ status: "Canceled" }));
    await expectProjected();
  });
});

describe("the version of a key", () => {
  beforeEach(write);

  const versions = async () => {
    const { rows } = await pool.query(
      `SELECT k.key_id, coalesce((SELECT h.version FROM app.event_head h WHERE h.key_id = k.key_id), 0)
         + coalesce((SELECT sum(c.change) FROM app.key_change c WHERE c.key_id = k.key_id), 0) AS version
       FROM app.api_key k`,
    );
    return new Map(rows.map(({ key_id, version }) => [key_id, version]));
  };

  /** Returns which keys' versions an action moves. */
  async function moved(action: () => Promise<unknown>): Promise<string[]> {
    const before = await versions();
    await action();
    const after = await versions();
    return callers.flatMap(({ keyId }, n) => (before.get(keyId) === after.get(keyId) ? [] : [`key ${n}`]));
  }

  it("moves with a claim, with each change of its rows, and with no other key's", async () => {
    const claimed = () => createClaim(pool, caller, { txHash: TX });
    expect(await moved(claimed)).toEqual(["key 0"]);
    expect(await moved(write)).toEqual(["key 0"]);
    expect(await moved(() => publish(12n, { stockOrder: [orderOf(0, 12n)] }).then(() => write()))).toEqual([
      "key 0",
    ]);
    expect(await moved(() => publish(13n, { stockOrder: [orderOf(0, 12n)] }).then(() => write()))).toEqual(
      [],
    );
    const filled = { ...orderOf(0, 14n), status: "filled" as const, filledQuantity: WAD };
    expect(await moved(() => publish(14n, { stockOrder: [filled] }).then(() => write()))).toEqual(["key 0"]);
    const attributed = async () => {
      await createAttributions(pool, other, TX);
      await createClaim(pool, other, { source: "attributed", txHash: TX });
      await write();
    };
    expect(await moved(attributed)).toEqual(["key 0", "key 1"]);
    const { rows: changes } = await pool.query("SELECT 1 FROM app.key_change");
    expect(changes).toEqual([]);
  });
});

it("is written by a step that begins again where the views move to another build within it", async () => {
  await write();
  await createClaim(pool, caller, { txHash: TX });
  await publish(12n, { stockOrder: [orderOf(0, 12n)] });
  let begun = 0;
  let isMoved = false;
  const move = async (text: unknown) => {
    if (String(text).startsWith("BEGIN")) begun += 1;
    if (isMoved || !String(text).includes("FROM app.event_due d")) return;
    isMoved = true;
    await moveViews();
  };
  await copyViews("next");
  const run = createEventWriter({ ...deps, pool: withHook(pool, move) }, { verifyMs: 0 });
  await run(CHAIN_ID);
  expect(begun).toBe(2);
  expect(await chain()).toMatchObject({ build_id: "next" });
  expect(await types()).toEqual(["order.placed"]);
  await expectProjected();
});

/** Renames schemas, as the indexer does: no lock keeps it from a transaction that reads. */
const moveViews = () =>
  pool.query("ALTER SCHEMA onchain RENAME TO previous_onchain; ALTER SCHEMA next_onchain RENAME TO onchain");

/** Makes what the views are moved to. */
async function copyViews(buildId: string): Promise<void> {
  const { rows: tables } = await pool.query(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'onchain'",
  );
  const copies = tables.map(
    ({ name }) =>
      `CREATE TABLE next_onchain.${name} (LIKE onchain.${name} INCLUDING ALL);
       INSERT INTO next_onchain.${name} SELECT * FROM onchain.${name};`,
  );
  await pool.query(`CREATE SCHEMA next_onchain; ${copies.join("\n")}
    UPDATE next_onchain._ponder_meta SET value = '{"is_ready": 1, "build_id": "${buildId}"}'`);
}

/** Returns a pool that calls a function before each statement of its connections. */
function withHook(of: pg.Pool, before: (text: unknown) => Promise<void>): pg.Pool {
  const hooked = (client: pg.PoolClient) =>
    new Proxy(client, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== "query") return typeof value === "function" ? value.bind(target) : value;
        return async (...args: unknown[]) => {
          await before(args[0]);
          return Reflect.apply(target.query, target, args);
        };
      },
    });
  return new Proxy(of, {
    get: (target, name) => {
      if (name === "connect") return async () => hooked(await target.connect());
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
