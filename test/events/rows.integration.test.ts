import { beforeEach, describe, expect, it } from "@jest/globals";
import type { Hex } from "viem";
import { inTransaction } from "../../src/db/transaction.ts";
import { appendEvent } from "../../src/events/writer/log-store.ts";
import { createEventWriter } from "../../src/events/writer/write.ts";
import { CHAIN_ID } from "../archive/random-chain.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createAttributions, createClaim, createClaims } from "../support/db/builders/claims.ts";
import { empty } from "../support/db/empty.ts";
import { hookedPool } from "../support/db/hooked-pool.ts";
import { useLog } from "./log-fixture.ts";
import { depositOf, EMPTY, filledOrder, orderOf, publisher, TX } from "./rows-fixture.ts";

// What a key sees, as rows (docs/projection.md): filled with what there is, written by claims at once, and with a version.

const { features, onchain, deps, callers, write, readEvents, expectProjected } = await useLog();
const { pool } = features.deps;

const WAD = 10n ** 18n;
const publish = publisher(onchain);
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

/** Creates a projector whose nodes name no token before `name()`. */
function createNamedLater() {
  let isNamed = false;
  const metadata = async (tokens: readonly Hex[]) => {
    if (!isNamed) throw new Error("no node answers");
    return new Map(tokens.map((token) => [token, { symbol: "S0", name: "S0", decimals: 18 }]));
  };
  const known = present(deps.chains.get(CHAIN_ID), "the chain");
  const chains = new Map([[CHAIN_ID, { ...known, tokens: { metadata } }]]);
  const run = createEventWriter({ ...deps, chains }, { verifyMs: 0, tokenWaitMs: 10 });
  return {
    name: () => {
      isNamed = true;
    },
    run: () => run(CHAIN_ID),
    async runAll(): Promise<void> {
      for (let runs = 0; !(await run(CHAIN_ID)).complete; runs++) expect(runs).toBeLessThan(10);
    },
  };
}

beforeEach(async () => {
  await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 1}'`);
  await publish(10n, {});
});

describe("rows of what was so before the log began", () => {
  const COUNT = 250;
  const begin = async () => {
    await publish(10n, { stockOrder: Array.from({ length: COUNT }, (_, n) => orderOf(n, 10n)) });
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
        n === 0 ? { ...orderOf(0, 12n), status: "filled" as const, filledQuantity: WAD } : orderOf(n, 10n),
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
    await publish(11n, { stockOrder: Array.from({ length: COUNT }, (_, n) => orderOf(n, 10n)) });
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
    const deposits = Array.from({ length: 101 }, (_, n) => depositOf(n, 10n));
    await publish(10n, { stockOperation: deposits });
    const claims = deposits.map(({ txHash }) => ({ txHash: present(txHash, "a hash") }));
    await createClaims(pool, caller, claims, { operationType: "stock-deposit" });
    await empty(pool, "app.event_due", "app.key_operation", "app.key_change");
    const projector = createNamedLater();
    await projector.runAll();
    expect(await chain()).toMatchObject({ filled: false });
    projector.name();
    await projector.runAll();
    await projector.runAll();
    expect(await chain()).toMatchObject({ filled: true });
    const { rows: operations } = await pool.query("SELECT data FROM app.key_operation");
    expect(operations.map(({ data }) => JSON.parse(data).depositOperation.tokenSymbol)).toEqual(
      deposits.map(() => "S0"),
    );
    expect(await types()).toEqual([]);
  });

  it("are complete beside a claim that is due and waits for the name of a token", async () => {
    await begin();
    const projector = createNamedLater();
    await projector.run();
    // Of the last claims that are filled: in a step that follows the one that finds it due.
    const claimId = "ffffffff-ffff-4fff-bfff-ffffffffffff";
    await createClaim(pool, caller, { claimId, operationType: "stock-deposit", txHash: hex(32, 0x5000) });
    await onchain.insert("stockOperation", { ...depositOf(0, 10n), txHash: hex(32, 0x5000) });
    await projector.runAll();
    expect(await chain()).toMatchObject({ filled: true, filled_to: null });
    expect(await types()).toEqual([]);
  });

  it("are not reported again where a version without rows reported what a claim had written", async () => {
    await write();
    await createClaim(pool, caller, { txHash: TX });
    await createClaim(pool, caller, { operationType: "withdraw", txHash: TX });
    await write();
    const told = await types();
    await pool.query("UPDATE app.key_order SET unreported = true, event_id = NULL");
    await pool.query("UPDATE app.key_operation SET unreported = true, event_id = NULL");
    await pool.query("UPDATE app.event_chain SET block_number = block_number");
    await write();
    expect(await types()).toEqual(told);
    await expectProjected();
  });

  it("stay complete where the block alone is new", async () => {
    await begin();
    await write();
    await publish(12n, { stockOrder: Array.from({ length: COUNT }, (_, n) => orderOf(n, 10n)) });
    await write();
    expect(await chain()).toMatchObject({ filled: true });
    const { rows: blocks } = await pool.query("SELECT block_number FROM app.event_chain");
    expect(blocks).toEqual([{ block_number: "12" }]);
  });

  it("are not complete before all claims were compared", async () => {
    await begin();
    const run = createEventWriter(deps, { verifyMs: 0 });
    await run(CHAIN_ID);
    await run(CHAIN_ID);
    expect(await chain()).toEqual({ filled: false, filled_to: expect.any(String), build_id: "" });
    expect(await rows()).toHaveLength(100);
  });

  it("are an event where what was not indexed then is indexed", async () => {
    await begin();
    await createClaim(pool, caller, { txHash: hex(32, 0x1000 + COUNT) });
    await empty(pool, "app.event_due", "app.key_order", "app.key_change");
    await write();
    await publish(12n, {
      stockOrder: Array.from({ length: COUNT + 1 }, (_, n) => orderOf(n, n < COUNT ? 10n : 12n)),
    });
    await write();
    expect(await types()).toEqual(["order.placed"]);
    await expectProjected();
  });

  it("are not made by a change of a claim that no step looks at", async () => {
    await createClaim(pool, caller, { txHash: TX });
    await createClaim(pool, caller, { operationType: "withdraw", txHash: TX });
    await write();
    await empty(pool, "app.key_order", "app.key_operation", "app.key_change");
    await pool.query(
      "UPDATE app.transaction_claim SET state = 'final', updated_at = now() + interval '1 day'",
    );
    const { rows: made } = await pool.query(
      "SELECT claim_id FROM app.key_order UNION ALL SELECT claim_id FROM app.key_operation",
    );
    expect(made).toEqual([]);
  });

  it("move the versions of their keys, though they are no event", async () => {
    await begin();
    await write();
    await empty(pool, "app.key_order");
    await pool.query("UPDATE app.event_chain SET block_number = block_number");
    expect(await moved(write)).toEqual(["key 0"]);
    expect(await types()).toEqual([]);
  });

  it("are as the log has them where a version without rows reported a change of them", async () => {
    await publish(10n, { stockOrder: [orderOf(0, 10n), orderOf(1, 10n)] });
    await createClaim(pool, other, { txHash: TX });
    await createClaim(pool, caller, { txHash: hex(32, 0x1001) });
    await write();
    const told = [await types(), await types(other)];
    // It reported a change of the one, and took the other back; with no row it left the rows as they were.
    await pool.query("UPDATE app.key_order SET event_id = NULL, data = '{}' WHERE tx_hash = $1", [TX]);
    await createAttributions(pool, present(callers[2], "a third"), hex(32, 0x1001));
    await pool.query(`DELETE FROM app.event_memory m USING app.transaction_claim c
      WHERE c.claim_id = m.claim_id AND c.tx_hash = '${hex(32, 0x1001)}'`);
    await empty(pool, "app.event_due", "app.key_change");
    await pool.query("UPDATE app.event_chain SET block_number = block_number");
    expect(await moved(write)).toEqual(["key 0", "key 1"]);
    expect([await types(), await types(other)]).toEqual(told);
    expect(await rows()).toHaveLength(1);
    await expectProjected();
  });
});

describe("a claim's row", () => {
  beforeEach(write);

  const expectProjectedAfter = async () => {
    await write();
    await expectProjected();
  };

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

  const CHANGES = [
    ["tx_hash", `'${hex(32, 0x77)}'`, { tx_hash: hex(32, 0x77) }],
    ["source", "'send'", { source: "send" }],
    ["user_address", `'${hex(20, 0xa2)}'`, { user_address: hex(20, 0xa2) }],
    ["created_at", "'2026-01-02T00:00:00Z'", { created_at: new Date("2026-01-02T00:00:00Z") }],
  ] as const;
  const KINDS = [
    ["trade", "key_order", { status: "Failed", on_chain_status: "history", type: "order.failed" }],
    ["withdraw", "key_operation", { status: "failed", type: "operation.failed" }],
  ] as const;

  describe.each(KINDS)("of a %s", (operationType, table, failed) => {
    const read = async () => (await pool.query(`SELECT * FROM app.${table}`)).rows;
    const change = (assignment: string) => pool.query(`UPDATE app.transaction_claim SET ${assignment}`);
    const drop = () => change("state = 'dropped'");
    beforeEach(() => createClaim(pool, caller, { operationType, txHash: TX }));

    it.each([...CHANGES, ["state", "'reverted'", failed]] as const)(
      "follows the %s of its claim, and is reported again",
      async (column, value, row) => {
        await write();
        expect(await moved(() => change(`${column} = ${value}`))).toEqual(["key 0"]);
        expect(await read()).toEqual([expect.objectContaining({ ...row, unreported: true })]);
        await write();
        expect(await types()).toHaveLength(2);
        await expectProjected();
      },
    );

    it("has the time of its claim, which is no event, and stays unreported where it was", async () => {
      const at = new Date("2027-01-02T00:00:00Z");
      const look = () => change(`updated_at = '${at.toISOString()}'`);
      await look();
      expect(await read()).toMatchObject([{ updated_at: at, unreported: true }]);
      await write();
      expect(await moved(() => change("updated_at = created_at"))).toEqual(["key 0"]);
      expect(await moved(look)).toEqual(["key 0"]);
      expect(await read()).toMatchObject([{ updated_at: at, unreported: false }]);
      await write();
      expect(await types()).toHaveLength(1);
    });

    it("stays as it is where its claim changes in nothing that it has", async () => {
      await write();
      expect(await moved(() => change("state = 'final'"))).toEqual([]);
    });

    it("is reported again where it was shown otherwise and is as it was", async () => {
      await write();
      await change("state = 'reverted'");
      await change("state = 'pending'");
      await write();
      expect((await types()).map((type) => type.split(".")[1])).toEqual(
        table === "key_order" ? ["mapped", "mapped"] : ["pending", "pending"],
      );
      await expectProjected();
    });

    it("is reported as removed where it was shown and is gone before it was reported", async () => {
      await drop();
      expect(await read()).toMatchObject([{ unreported: true }]);
      await write();
      expect(await types()).toEqual(["mapping.removed"]);
      await expectProjected();
    });

    it("is reported as removed once, and is there again where its claim lives again", async () => {
      await write();
      await change("state = 'reverted'");
      await drop();
      await write();
      expect((await types()).slice(1)).toEqual(["mapping.removed"]);
      expect(await read()).toEqual([]);
      await change("state = 'pending'");
      expect(await read()).toHaveLength(1);
      await expectProjectedAfter();
    });
  });

  it("is not where its claim was dropped", async () => {
    await createClaim(pool, caller, { txHash: TX, state: "dropped" });
    expect(await rows()).toEqual([]);
  });

  it.each([
    ["its own key's suffix", () => createAttributions(pool, caller, TX), "recorded"],
    [
      "another key's suffix on another chain",
      () => createAttributions(pool, { ...other, chainId: 1 }, TX),
      "recorded",
    ],
    ["another key's suffix where this service sent it", () => createAttributions(pool, other, TX), "send"],
  ] as const)("is there though the transaction carries %s", async (_what, attribute, source) => {
    await attribute();
    await createClaim(pool, caller, { txHash: TX, source });
    expect(await rows()).toHaveLength(1);
    await expectProjectedAfter();
  });

  it.each([
    ["order", "trade", (n: number) => ({ stockOrder: [orderOf(0, 12n), orderOf(n, 12n)] })],
    [
      "operation",
      "stock-deposit",
      (n: number) => ({ stockOperation: [depositOf(0, 12n), depositOf(n, 12n)] }),
    ],
  ] as const)(
    "is not made beside the second %s of its transaction, which it owns alone",
    async (kind, operationType, of) => {
      const tables = Object.fromEntries(
        Object.entries(of(1)).map(([table, [first, second]]) => [
          table,
          [first, { ...second, txHash: TX, userAddress: hex(20, 0xa2), logIndex: 7 }],
        ]),
      );
      await createClaim(pool, other, {
        operationType,
        source: "send",
        txHash: TX,
        userAddress: hex(20, 0xa1),
      });
      const claimId = await createClaim(pool, caller, { operationType, txHash: TX });
      await publish(12n, tables);
      await write();
      const read = async () =>
        (await pool.query(`SELECT ordinal FROM app.key_${kind} WHERE claim_id = $1`, [claimId])).rows;
      expect(await read()).toEqual([{ ordinal: 1 }]);
      await pool.query("UPDATE app.transaction_claim SET updated_at = now() + interval '1 day'");
      expect(await read()).toEqual([{ ordinal: 1 }]);
      await expectProjectedAfter();
    },
  );

  it("stays while a token's name is missing, and then is that of the operation", async () => {
    const projector = createNamedLater();
    await createClaim(pool, caller, { operationType: "stock-deposit", txHash: TX });
    await publish(12n, { stockOperation: [depositOf(0, 12n)] });
    await projector.runAll();
    const read = async () => (await pool.query("SELECT status, unreported FROM app.key_operation")).rows;
    expect(await types()).toEqual([]);
    expect(await read()).toEqual([{ status: "pending", unreported: true }]);
    projector.name();
    await projector.runAll();
    await projector.runAll();
    expect(await types()).toEqual(["operation.completed"]);
    expect(await read()).toEqual([{ status: "completed", unreported: false }]);
  });

  it("is removed with the order's id, where another key owns the order", async () => {
    await createClaim(pool, caller, { txHash: TX });
    await publish(12n, { stockOrder: [orderOf(0, 12n)] });
    await write();
    await createAttributions(pool, other, TX);
    await createClaim(pool, other, { source: "attributed", txHash: TX });
    await write();
    const { rows: events } = await readEvents(caller, { limit: "100" });
    expect(events.at(-1)).toMatchObject({ type: "mapping.removed", data: { orderId: hex(32, 0xabc000) } });
  });

  it("of each of two users of one suffix is right in one step, and where an earlier one comes later", async () => {
    const suffixed = (n: number, block: bigint) => ({
      ...{ chainId: CHAIN_ID, productType: caller.productType, txHash: hex(32, 0x1000 + n) },
      ...{ blockNumber: block, transactionIndex: 0 },
    });
    const claim = (who: typeof caller, n: number) =>
      createClaim(pool, who, {
        ...{ source: "attributed", attributionNonce: "one", txHash: hex(32, 0x1000 + n) },
        userAddress: hex(20, 0xa1),
      });
    await claim(present(callers[2], "a third"), 0);
    await claim(caller, 1);
    await claim(other, 2);
    await publish(13n, {
      stockOrder: [orderOf(1, 12n), orderOf(2, 13n)],
      attributionSuffix: [suffixed(1, 12n), suffixed(2, 13n)],
    });
    await expectProjectedAfter();
    expect([await types(), await types(other)]).toEqual([["order.placed"], ["mapping.removed"]]);
    await publish(14n, {
      stockOrder: [orderOf(0, 14n), orderOf(1, 12n), orderOf(2, 13n)],
      attributionSuffix: [suffixed(0, 11n), suffixed(1, 12n), suffixed(2, 13n)],
    });
    await expectProjectedAfter();
    expect((await types()).slice(1)).toEqual(["mapping.removed"]);
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
    await publish(12n, { stockOrder: [orderOf(0, 12n)], eventBlock: mined(1, 12n) });
    await follow();
    expect((await types(other)).slice(before.length)).toEqual(["order.mapped", "mapping.removed"]);
    await expectProjected();
  });

  it("does not wait for the names of tokens, however much of it does", async () => {
    const deposits = Array.from({ length: 300 }, (_, n) => depositOf(n + 1, 12n));
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

  it.each([
    ["of the same build", ""],
    ["behind steps that named no build", "UPDATE app.event_chain SET build_id = NULL, steps = steps + 1"],
  ])("leaves the index lower, and takes back what was behind it: %s", async (_what, statement) => {
    await publish(13n, { stockOrder: [filledOrder(13n)], eventBlock: mined(0, 11n, 13n) });
    await follow();
    if (statement) await pool.query(statement);
    await publish(12n, { stockOrder: [orderOf(0, 11n)], eventBlock: mined(0, 11n) });
    await follow();
    expect((await types()).slice(1)).toEqual(["order.filled", "order.placed"]);
    await expectProjected();
  });

  it("that leaves the index lower is seen where that keeps no blocks", async () => {
    await publish(13n, { stockOrder: [filledOrder(13n)] });
    await follow();
    await pool.query("ALTER TABLE onchain.event_block RENAME TO no_block");
    try {
      const { eventBlock: _none, ...tables } = EMPTY;
      const at = (number: bigint) => ({ number, timestamp: 1_799_000_000n + number });
      await onchain.replace(CHAIN_ID, { ...tables, stockOrder: [orderOf(0, 11n)] }, at(12n), at(10n));
      await follow();
    } finally {
      await pool.query("ALTER TABLE onchain.no_block RENAME TO event_block");
    }
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

  it("ends with the block that completes its batch", async () => {
    const COUNT = 301;
    const orders = Array.from({ length: COUNT }, (_, n) => orderOf(n, n < 300 ? 12n : 13n));
    await publish(14n, { stockOrder: orders });
    const run = createEventWriter(deps, { verifyMs: 0 });
    expect(await run(CHAIN_ID)).toEqual({ complete: false });
    const { rows: blocks } = await pool.query("SELECT block_number FROM app.event_chain");
    expect(blocks).toEqual([{ block_number: "12" }]);
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
