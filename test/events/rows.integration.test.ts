import { beforeEach, describe, expect, it } from "@jest/globals";
import { sql } from "../../src/db/sql.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { NOTHING, type Source } from "../../src/events/writer/source.ts";
import { createEventWriter } from "../../src/events/writer/write.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createAttributions, createClaim, createClaims } from "../support/db/builders/claims.ts";
import { hookedPool } from "../support/db/hooked-pool.ts";
import { CHAIN_ID } from "../support/db/random-chain.ts";
import { appendEvent } from "../support/events/append-event.ts";
import { depositOf, filledOrder, orderOf, TX, useRows } from "./rows-fixture.ts";

// Rows of keys (docs/projection.md): after reorgs, with a version, and written in one step.

const {
  pool,
  publish,
  caller,
  other,
  types,
  chain,
  versions,
  moved,
  createNamedLater,
  deps,
  write,
  readEvents,
  expectProjected,
} = await useRows();
const WAD = 10n ** 18n;

describe("a reorg", () => {
  /** Never compares all that is not final: what a reorg changed is found by the blocks alone. */
  const run = createEventWriter(deps, { verifyMs: 3_600_000 });
  const follow = async () => {
    while (!(await run(CHAIN_ID)).complete);
  };
  const hashOf = (number: bigint, fork: number) => hex(32, Number(number) * 1000 + fork);
  const mined = (fork: number, ...numbers: bigint[]) =>
    numbers.map((number) => ({ chainId: CHAIN_ID, number, hash: hashOf(number, fork) }));
  beforeEach(async () => {
    await follow();
    await createClaim(pool, caller, { txHash: TX });
    await createClaim(pool, other, { txHash: TX });
    await publish(11n, { stockOrder: [orderOf(0, 11n)], eventBlock: mined(0, 11n) });
    await follow();
  });

  it("takes a fill back that the new block has no event for, though the chain is as high as it was", async () => {
    await publish(13n, { stockOrder: [filledOrder(12n)], eventBlock: mined(0, 11n, 12n) });
    await follow();
    await publish(13n, { stockOrder: [orderOf(0, 11n)], eventBlock: mined(0, 11n) });
    await follow();
    expect(await types()).toEqual(["order.placed", "order.filled", "order.placed"]);
    await expectProjected();
  });

  it("is projected before a step names a block, behind other blocks that came with it", async () => {
    await publish(13n, { stockOrder: [filledOrder(12n)], eventBlock: mined(0, 11n, 12n) });
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
    // The present claim is shown, and not the object as it was when the row was written.
    const { rows: unindexed } = await pool.query(
      "SELECT order_id, data FROM app.key_order WHERE key_id = $1",
      [caller.keyId],
    );
    expect(unindexed).toEqual([{ order_id: null, data: null }]);
    await publish(12n, { stockOrder: [orderOf(0, 12n)], eventBlock: mined(1, 12n) });
    await follow();
    expect((await types(other)).slice(before.length)).toEqual(["order.mapped", "mapping.removed"]);
    await expectProjected();
  });

  it("does not wait for the names of tokens, however much of it does", async () => {
    // More than a step looks at, by more than two for each of ten steps.
    const deposits = Array.from({ length: 330 }, (_, n) => depositOf(n + 1, 12n));
    await createClaims(
      pool,
      caller,
      deposits.map(({ txHash }) => ({ operationType: "stock-deposit", txHash: present(txHash, "a hash") })),
    );
    const stockOrder = [orderOf(0, 11n)];
    const projector = createNamedLater();
    await publish(12n, { stockOrder, stockOperation: deposits, eventBlock: mined(0, 11n, 12n) });
    await projector.runAll();
    await publish(13n, {
      stockOrder,
      stockOperation: deposits,
      eventBlock: [...mined(0, 11n), ...mined(1, 12n)],
    });
    await projector.runAll();
    const { rows: blocks } = await pool.query("SELECT block_number FROM app.event_chain");
    expect(blocks).toEqual([{ block_number: "13" }]);
    projector.name();
    await projector.runAll();
    await projector.runAll();
    const { rows: found } = await pool.query(
      "SELECT count(*)::int AS count FROM app.key_operation WHERE data IS NOT NULL",
    );
    expect(found).toEqual([{ count: deposits.length }]);
  });

  it.each([
    ["exactly what", 300],
    ["more than", 320],
  ])("is told of whole where it changed %s a step looks at", async (_what, COUNT) => {
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
    expect(await run(CHAIN_ID)).toEqual({ complete: false });
    const { rows: blocks } = await pool.query("SELECT block_number FROM app.event_chain");
    expect(blocks).toEqual([{ block_number: "13" }]);
    await follow();
    const { rows: found } = await pool.query(
      "SELECT status, count(*)::int AS count FROM app.key_order GROUP BY 1",
    );
    expect(found).toContainEqual({ status: "New", count: COUNT });
    expect(found).not.toContainEqual(expect.objectContaining({ status: "Canceled" }));
    await expectProjected();
  });

  it("that left no other trace is told of whole where it changed more than a step looks at", async () => {
    const COUNT = 301;
    const orders = (price: bigint) =>
      Array.from({ length: COUNT }, (_, n) => ({ ...orderOf(n, 11n), price }));
    const claims = orders(WAD).slice(1);
    await createClaims(
      pool,
      caller,
      claims.map(({ txHash }) => ({ txHash: present(txHash, "a hash") })),
    );
    await publish(11n, { stockOrder: orders(2n * WAD), eventBlock: mined(0, 11n) });
    const comparing = createEventWriter(deps, { verifyMs: 0 });
    while (!(await comparing(CHAIN_ID)).complete);
    await publish(11n, { stockOrder: orders(WAD), eventBlock: mined(0, 11n) });
    expect(await comparing(CHAIN_ID)).toEqual({ complete: false });
    expect(await comparing(CHAIN_ID)).toEqual({ complete: true });
    await expectProjected();
  });

  it("of what no key owns is remembered", async () => {
    const blocks = async () =>
      (await pool.query("SELECT hash FROM app.projected_block ORDER BY number")).rows;
    await publish(11n, { stockOrder: [orderOf(0, 11n)], eventBlock: mined(0, 11n, 12n) });
    await publish(12n, { stockOrder: [orderOf(0, 11n)], eventBlock: mined(0, 11n, 12n) });
    await follow();
    await publish(12n, { stockOrder: [orderOf(0, 11n)], eventBlock: [...mined(0, 11n), ...mined(1, 12n)] });
    await follow();
    expect(await blocks()).toEqual([{ hash: hashOf(11n, 0) }, { hash: hashOf(12n, 1) }]);
    expect(await types()).toEqual(["order.placed"]);
  });

  it("leaves the index lower, and takes back what was behind it", async () => {
    await publish(13n, { stockOrder: [filledOrder(13n)], eventBlock: mined(0, 11n, 13n) });
    await follow();
    await publish(12n, { stockOrder: [orderOf(0, 11n)], eventBlock: mined(0, 11n) });
    await follow();
    expect((await types()).slice(1)).toEqual(["order.filled", "order.placed"]);
    await expectProjected();
  });
});

describe("the version of a key", () => {
  beforeEach(write);

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

  it("is a new one where a step takes the changes of it, of its own chain alone", async () => {
    await createClaim(pool, caller, { txHash: TX });
    await write();
    const seen = [await versions()];
    await pool.query("UPDATE app.transaction_claim SET updated_at = now() + interval '1 day'");
    seen.push(await versions());
    await pool.query(
      "INSERT INTO app.key_change (key_id, chain_id, product_type, change) VALUES ($1, 1, 'x', 7)",
      [other.keyId],
    );
    await createClaim(pool, other, { txHash: hex(32, 0x1001) });
    await write();
    seen.push(await versions());
    expect(new Set(seen.map((of) => of.get(caller.keyId))).size).toBe(3);
    const { rows: changes } = await pool.query("SELECT chain_id FROM app.key_change");
    expect(changes).toEqual([{ chain_id: 1 }]);
  });

  it("moves with an operation that a claim writes, and with an event of another room", async () => {
    const claimed = () => createClaim(pool, caller, { operationType: "withdraw", txHash: TX });
    expect(await moved(claimed)).toEqual(["key 0"]);
    await write();
    const event = { type: "send.submitted", resource: "sends", data: {} } as const;
    const append = () => inTransaction(pool, (client) => appendEvent(client, { ...caller, ...event }));
    expect(await moved(append)).toEqual(["key 0"]);
  });

  it("stays where another key's row of the same transaction changes", async () => {
    await createClaim(pool, caller, { txHash: TX });
    const second = { ...orderOf(1, 12n), txHash: TX, userAddress: hex(20, 0xa2), logIndex: 7 };
    await createClaim(pool, other, { source: "send", txHash: TX, userAddress: hex(20, 0xa2) });
    await publish(12n, { stockOrder: [orderOf(0, 12n), second] });
    await write();
    await publish(13n, {
      stockOrder: [orderOf(0, 12n), { ...second, status: "canceled", updatedBlock: 13n }],
    });
    expect(await moved(write)).toEqual(["key 1"]);
    await expectProjected();
  });
});

describe("a step", () => {
  beforeEach(write);

  it("reports the changes of several blocks in their order, and those of a block in that of their mappings", async () => {
    for (const n of [0, 1]) await createClaim(pool, caller, { txHash: hex(32, 0x1000 + n) });
    const second = { ...orderOf(2, 13n), txHash: TX, logIndex: 7 };
    await publish(14n, { stockOrder: [second, orderOf(0, 13n), orderOf(1, 12n)] });
    await write();
    const { rows: events } = await readEvents(caller, { limit: "100" });
    expect(events.map(({ data }) => (data as { orderId: string }).orderId)).toEqual(
      [1, 0, 2].map((n) => hex(32, 0xabc000 + n)),
    );
  });

  it("finds an order that is another transaction's by now, although its block is the same", async () => {
    const other = hex(32, 0x1001);
    for (const txHash of [TX, other]) await createClaim(pool, caller, { txHash });
    await publish(12n, { stockOrder: [orderOf(0, 12n)] });
    await write();
    await publish(12n, { stockOrder: [{ ...orderOf(0, 12n), txHash: other }] });
    await write();
    await expectProjected();
  });

  it("gives a claim its mapping back where the index no longer has what no key owned", async () => {
    await createClaim(pool, caller, { source: "send", txHash: TX, userAddress: hex(20, 0xa2) });
    await publish(12n, { stockOrder: [orderOf(0, 12n)] });
    await write();
    const shown = async () => (await pool.query("SELECT order_id FROM app.key_order")).rows;
    expect(await shown()).toEqual([]);
    await publish(12n, {});
    await write();
    expect(await shown()).toEqual([{ order_id: null }]);
    // It is not remembered as what no key owns, or each later step would compare it again.
    const { rows: unowned } = await pool.query("SELECT object_id FROM app.event_unowned");
    expect(unowned).toEqual([]);
    await expectProjected();
  });

  it("ends with the block that completes its batch", async () => {
    const COUNT = 301;
    const orders = Array.from({ length: COUNT }, (_, n) => orderOf(n, n < 300 ? 12n : 13n));
    await publish(14n, { stockOrder: orders });
    const run = createEventWriter(deps, { verifyMs: 0 });
    expect(await run(CHAIN_ID)).toEqual({ complete: false });
    const { rows: blocks } = await pool.query("SELECT block_number FROM app.event_chain");
    expect(blocks).toEqual([{ block_number: "12" }]);
  });

  it("is done where there is no index to read, and fails where the database does", async () => {
    const run = createEventWriter(deps, { verifyMs: 0 });
    await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 0}'`);
    expect(await run(CHAIN_ID)).toEqual({ complete: true });
    await pool.query("ALTER SCHEMA onchain RENAME TO no_onchain");
    try {
      expect(await run(CHAIN_ID)).toEqual({ complete: true });
    } finally {
      await pool.query("ALTER SCHEMA no_onchain RENAME TO onchain");
    }
    await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 1}'`);
    const refuse = async (text: string) => {
      if (!text.startsWith("BEGIN")) throw Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    };
    const unreachable = createEventWriter({ ...deps, pool: hookedPool(pool, refuse) });
    await expect(unreachable(CHAIN_ID)).rejects.toMatchObject({ errCode: "DATABASE_UNAVAILABLE" });
  });

  it("that is the first of its chain goes down to an index that was set back meanwhile", async () => {
    await pool.query("UPDATE app.event_chain SET block_number = 15, build_id = NULL");
    await publish(12n, {});
    await write();
    const { rows: chains } = await pool.query("SELECT block_number, build_id FROM app.event_chain");
    expect(chains).toEqual([{ block_number: "12", build_id: "" }]);
  });

  it("writes what is final now though the block is no other, and takes nothing of that back", async () => {
    const read = async () =>
      (
        await pool.query(
          "SELECT verified_block, (SELECT json_agg(number ORDER BY number) FROM app.projected_block) AS blocks FROM app.event_chain",
        )
      ).rows;
    const eventBlock = [11n, 12n, 13n].map((number) => ({
      chainId: CHAIN_ID,
      number,
      hash: hex(32, Number(number)),
    }));
    await createClaim(pool, caller, { txHash: TX });
    await publish(13n, { eventBlock });
    await write();
    expect(await read()).toEqual([{ verified_block: "10", blocks: [11, 12, 13] }]);
    await publish(13n, { eventBlock }, 12n);
    await write();
    expect(await read()).toMatchObject([{ verified_block: "12" }]);
    await publish(13n, { eventBlock }, 11n);
    await createClaim(pool, caller, { txHash: hex(32, 0x1001) });
    await write();
    expect(await read()).toEqual([{ verified_block: "12", blocks: [13] }]);
  });

  it("decides by a suffix of its own chain's products who owns the order of an earlier block", async () => {
    const { chains } = deps.deployments;
    const others = chains.map((chain) => ({ ...chain, chainId: 1, products: [] }));
    const deployments = { ...deps.deployments, chains: [...others, ...chains] };
    const run = createEventWriter({ ...deps, deployments }, { verifyMs: 3_600_000 });
    const claimOf = (who: typeof caller, txHash: typeof TX) =>
      createClaim(pool, who, { source: "attributed", attributionNonce: "one", txHash });
    await claimOf(caller, TX);
    await claimOf(other, hex(32, 0x1001));
    await publish(12n, { stockOrder: [orderOf(1, 12n)] });
    while (!(await run(CHAIN_ID)).complete);
    expect(await types(other)).toEqual(["order.placed"]);
    const { productType } = caller;
    const suffix = { chainId: CHAIN_ID, productType, txHash: TX, blockNumber: 13n, transactionIndex: 0 };
    await publish(13n, { stockOrder: [orderOf(1, 12n)], attributionSuffix: [suffix] });
    await run(CHAIN_ID);
    expect(await types(other)).toEqual(["order.placed", "mapping.removed"]);
    await expectProjected();
  });

  it("asks a source for what differs though nothing is new, and goes on while that has more", async () => {
    let pages = 2;
    const paged: Source = {
      name: "paged",
      differentIds: () => sql`SELECT '["one"]'::json`,
      compare: async () => ({ ...NOTHING, complete: --pages === 0 }),
    };
    const run = createEventWriter(deps, { verifyMs: 0, moreSources: [paged] });
    expect(await run(CHAIN_ID)).toEqual({ complete: false });
    expect(await run(CHAIN_ID)).toEqual({ complete: true });
  });

  it("is done with what is due of a source that this worker does not have", async () => {
    const due = "INSERT INTO app.event_due (chain_id, claim_id, resource) VALUES ($1, gen_random_uuid(), $2)";
    await pool.query(due, [CHAIN_ID, "users/activities"]);
    await createEventWriter(deps)(CHAIN_ID);
    expect((await pool.query("SELECT 1 FROM app.event_due")).rows).toEqual([]);
  });
});

it("is written by a step that begins again where the views move to another build within it", async () => {
  await write();
  await createClaim(pool, caller, { txHash: TX });
  await publish(12n, { stockOrder: [orderOf(0, 12n)] });
  let begun = 0;
  let isMoved = false;
  const move = async (text: string) => {
    if (text.startsWith("BEGIN")) begun += 1;
    if (isMoved || !text.includes("FROM app.event_due d")) return;
    isMoved = true;
    await moveViews();
  };
  await copyViews("next");
  const run = createEventWriter({ ...deps, pool: hookedPool(pool, move) }, { verifyMs: 0 });
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
