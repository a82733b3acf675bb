import { beforeEach, describe, expect, it } from "@jest/globals";
import { createEventWriter } from "../../src/events/writer/write.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { dyingPool } from "../support/db/dying-pool.ts";
import { empty } from "../support/db/empty.ts";
import { hookedPool } from "../support/db/hooked-pool.ts";
import { waitsForLock } from "../support/db/locks.ts";
import { PROJECTED } from "../support/db/projected.ts";
import { CHAIN_ID } from "../support/db/random-chain.ts";
import { useLog } from "./log-fixture.ts";
import { depositOf, filledOrder, orderOf, publisher, TX } from "./rows-fixture.ts";

// Steps and claims at once: who comes first is forced by locks. Rows, events and versions are of one state in every order.

const { features, onchain, deps, callers, write, readEvents, expectProjected, expectNoGap } = await useLog();
const { pool } = features.deps;
const publish = publisher(onchain);
const caller = present(callers[0], "a caller");
const types = async () => (await readEvents(caller, { limit: "100" })).rows.map(({ type }) => type);
const statuses = async () => (await pool.query("SELECT status, unreported FROM app.key_order")).rows;

/** Statements of a step. */
const LOCK = "FROM app.event_chain c WHERE";
const APPEND = "WITH said AS";
const UPDATE = "UPDATE app.transaction_claim";
const waits = (statement: string, ended: Promise<unknown>) => waitsForLock(pool, `%${statement}%`, ended);

beforeEach(async () => {
  await publish(10n, {});
  await write();
});

async function expectWhole(...expected: string[]): Promise<void> {
  await write();
  await expectProjected();
  await expectNoGap();
  expect(await types()).toEqual(expected);
}

/**
 * Creates the projector of another process, whose steps can be held.
 * @param deadlockTimeout after which the append of a step that waits for a lock looks whether that is a deadlock
 */
function createProjector(deadlockTimeout = "1s") {
  let hold: { at: string; arrive: () => void; gate: Promise<void> } | null = null;
  let begun = 0;
  const through = hookedPool(pool, async (text, client) => {
    if (text.startsWith("BEGIN")) begun += 1;
    if (text.includes(APPEND)) await client.query(`SET LOCAL deadlock_timeout = '${deadlockTimeout}'`);
    if (!hold || !text.includes(hold.at)) return;
    const { arrive, gate } = hold;
    hold = null;
    arrive();
    await gate;
  });
  const run = createEventWriter({ ...deps, pool: through }, { verifyMs: 0 });
  return {
    run: () => run(CHAIN_ID),
    /** Returns the number of step transactions that began. */
    begun: () => begun,
    /** Runs a step, and returns once it is before a statement. */
    async runTo(at: string) {
      const [there, gate] = [signal(), signal()];
      hold = { at, arrive: there.send, gate: gate.sent };
      const done = run(CHAIN_ID);
      await Promise.race([there.sent, done]);
      return { done, release: gate.send };
    },
  };
}

function signal() {
  let send = () => {};
  const sent = new Promise<void>((resolve) => {
    send = resolve;
  });
  return { sent, send };
}

/** Runs statements in a transaction that stays open. */
async function open(...statements: string[]) {
  const client = await pool.connect();
  for (const statement of ["BEGIN", ...statements]) await client.query(statement);
  const end = async (how: "COMMIT" | "ROLLBACK") => {
    await client.query(how);
    client.release();
  };
  return { client, end };
}

const revert = (claimId: string) =>
  `UPDATE app.transaction_claim SET state = 'reverted', updated_at = now() + interval '1 day' WHERE claim_id = '${claimId}'`;

describe("a claim's change while a step holds its row", () => {
  it("waits, and is written over what the step reported", async () => {
    const claimId = await createClaim(pool, caller, { txHash: TX });
    const { done, release } = await createProjector().runTo("COMMIT");
    const changed = pool.query(revert(claimId));
    await waits(UPDATE, changed);
    release();
    await Promise.all([done, changed]);
    expect(await statuses()).toEqual([{ status: "Failed", unreported: true }]);
    await expectWhole("order.mapped", "order.failed");
  });

  it("waits for the row that the step fills, and changes that", async () => {
    const claimId = await createClaim(pool, caller, { txHash: TX });
    await empty(pool, "app.event_due", "app.key_order", "app.key_change");
    await pool.query("UPDATE app.event_chain SET filled_to = '00000000-0000-0000-0000-000000000000'");
    const { done, release } = await createProjector().runTo("COMMIT");
    const changed = pool.query(revert(claimId));
    await waits(UPDATE, changed);
    release();
    await Promise.all([done, changed]);
    expect(await statuses()).toEqual([{ status: "Failed", unreported: true }]);
    await expectWhole("order.failed");
  });

  it.each([
    ["order", "trade", "order.placed"],
    ["operation", "stock-deposit", "operation.completed"],
  ] as const)("leaves the row of an %s that the step found indexed", async (kind, operationType, type) => {
    const index = (...numbers: number[]) => {
      const block = 11n + BigInt(numbers.length);
      return kind === "order"
        ? publish(block, { stockOrder: numbers.map((n) => orderOf(n, 12n)) })
        : publish(block, { stockOperation: numbers.map((n) => depositOf(n, 12n)) });
    };
    // The first one, so that the projector knows the token's name.
    const projector = createProjector();
    await createClaim(pool, caller, { txHash: hex(32, 0x1001), operationType });
    await index(1);
    while (!(await projector.run()).complete);
    const claimId = await createClaim(pool, caller, { txHash: TX, operationType });
    await index(1, 0);
    const { done, release } = await projector.runTo("COMMIT");
    const changed = pool.query(revert(claimId));
    await waits(UPDATE, changed);
    release();
    await Promise.all([done, changed]);
    const { rows } = await pool.query(`SELECT ${kind}_id, unreported FROM app.key_${kind}`);
    expect(rows).toHaveLength(2);
    expect(rows).not.toContainEqual(expect.objectContaining({ [`${kind}_id`]: null }));
    expect(rows).not.toContainEqual(expect.objectContaining({ unreported: true }));
    await expectWhole(type, type);
  });
});

describe("a step while a claim's change holds its row", () => {
  it.each([
    ["begins again, and reports the newer state, where that is committed", "COMMIT", 2, "order.failed"],
    ["goes on where that is rolled back", "ROLLBACK", 1, "order.mapped"],
  ] as const)("waits, and %s", async (_what, how, begun, type) => {
    const claimId = await createClaim(pool, caller, { txHash: TX });
    const claims = await open(revert(claimId));
    const projector = createProjector();
    const done = projector.run();
    await waits(APPEND, done);
    await claims.end(how);
    await done;
    expect(projector.begun()).toBe(begun);
    expect(await types()).toEqual([type]);
    await expectWhole(type);
  });
});

describe("two projectors at once", () => {
  it("work one after the other, and the second begins again with what the first left", async () => {
    await createClaim(pool, caller, { txHash: TX });
    await publish(12n, { stockOrder: [orderOf(0, 12n)] });
    const first = await createProjector().runTo("COMMIT");
    const second = createProjector();
    const done = second.run();
    await waits(LOCK, done);
    first.release();
    await Promise.all([first.done, done]);
    expect(second.begun()).toBe(2);
    await expectWhole("order.placed");
  });

  it("and a claim's change report each state once where the change waits for the first", async () => {
    const claimId = await createClaim(pool, caller, { txHash: TX });
    const first = await createProjector().runTo("COMMIT");
    const second = createProjector().run();
    await waits(LOCK, second);
    const changed = pool.query(revert(claimId));
    await waits(UPDATE, changed);
    first.release();
    await Promise.all([first.done, second, changed]);
    await expectWhole("order.mapped", "order.failed");
  });

  it.each([
    ["COMMIT", "order.failed"],
    ["ROLLBACK", "order.mapped"],
  ] as const)(
    "and a claim's change report one state where the first waits for it until %s",
    async (how, type) => {
      const claimId = await createClaim(pool, caller, { txHash: TX });
      const claims = await open(revert(claimId));
      const first = createProjector().run();
      await waits(APPEND, first);
      const second = createProjector().run();
      await waits(LOCK, second);
      await claims.end(how);
      await Promise.all([first, second]);
      await expectWhole(type);
    },
  );

  it("and a reorg between them report what holds", async () => {
    await createClaim(pool, caller, { txHash: TX });
    await publish(13n, { stockOrder: [filledOrder(13n)] });
    const first = await createProjector().runTo("COMMIT");
    await publish(13n, { stockOrder: [orderOf(0, 11n)] });
    const second = createProjector().run();
    await waits(LOCK, second);
    first.release();
    await Promise.all([first.done, second]);
    await expectWhole("order.filled", "order.placed");
  });
});

describe("a deadlock of claims and a step", () => {
  it("that ends the claims' transaction leaves the step at work, and the transaction can be repeated", async () => {
    const hashes = [1, 2].map((n) => hex(32, 0x1000 + n));
    for (const txHash of hashes) await createClaim(pool, caller, { txHash });
    const { rows } = await pool.query("SELECT claim_id AS id FROM app.transaction_claim ORDER BY claim_id");
    const [first, last] = rows.map(({ id }) => id);
    const claims = await open("SET LOCAL deadlock_timeout = '1ms'", revert(last));
    const projector = createProjector("1h");
    const done = projector.run();
    await waits(APPEND, done);
    await expect(claims.client.query(revert(first))).rejects.toMatchObject({ code: "40P01" });
    await claims.end("ROLLBACK");
    await done;
    expect(projector.begun()).toBe(1);
    const again = await open(revert(last), revert(first));
    await again.end("COMMIT");
    await expectWhole("order.mapped", "order.mapped", "order.failed", "order.failed");
  });

  it("that ends the step has it begin again, and the claims' transaction succeeds", async () => {
    const claimId = await createClaim(pool, caller, { txHash: TX });
    const projector = createProjector("1ms");
    const { done, release } = await projector.runTo(APPEND);
    // A transaction that changes claims and appends an event of its own at the end, like those of other rooms.
    const claims = await open(`SET LOCAL deadlock_timeout = '1h'`, revert(claimId));
    const lock = "SELECT 1 FROM app.event_chain FOR UPDATE";
    const locked = claims.client.query(lock);
    await waits(lock, locked);
    release();
    await locked;
    await claims.end("COMMIT");
    await done;
    expect(projector.begun()).toBeGreaterThan(1);
    await expectWhole("order.failed");
  });

  it("is none where one statement changes several claims", async () => {
    for (let n = 0; n < 20; n++) await createClaim(pool, caller, { txHash: hex(32, 0x1000 + n) });
    const { done, release } = await createProjector().runTo("COMMIT");
    const changed = pool.query(
      "UPDATE app.transaction_claim SET state = 'reverted' WHERE claim_id IN (SELECT claim_id FROM app.transaction_claim ORDER BY claim_id DESC)",
    );
    await waits(UPDATE, changed);
    release();
    await Promise.all([done, changed]);
    await write();
    expect(await types()).toHaveLength(40);
    await expectProjected();
    await expectNoGap();
  });
});

describe("a step that is killed", () => {
  const BLOCK = { chainId: CHAIN_ID, number: 12n, hash: hex(32, 12) };

  /** Returns the contents of all tables that a step writes. */
  async function state(): Promise<string> {
    const tables = await Promise.all(
      PROJECTED.map((table) => pool.query(`SELECT to_jsonb(t)::text AS row FROM ${table} t ORDER BY 1`)),
    );
    return JSON.stringify(tables.map(({ rows }) => rows));
  }

  it("leaves all of it or nothing, at whichever statement", async () => {
    await createClaim(pool, caller, { txHash: TX });
    await publish(11n, { stockOrder: [orderOf(0, 11n)], eventBlock: [{ ...BLOCK, number: 11n }] });
    await write();
    // A fill, an order and an operation behind a reorg, and a claim that is dropped.
    const dropped = await createClaim(pool, caller, { source: "send", txHash: null });
    await write();
    await createClaim(pool, caller, { txHash: hex(32, 0x1001) });
    await createClaim(pool, caller, { txHash: hex(32, 0x1002), operationType: "withdraw" });
    await pool.query("UPDATE app.transaction_claim SET state = 'dropped' WHERE claim_id = $1", [dropped]);
    await publish(13n, { stockOrder: [filledOrder(12n), orderOf(1, 13n)], eventBlock: [BLOCK] });
    const before = await state();
    let statements = 0;
    for (let isDone = false; !isDone; statements++) {
      const run = createEventWriter({ ...deps, pool: dyingPool(pool, statements) }, { verifyMs: 0 });
      isDone = await run(CHAIN_ID).then(
        () => true,
        (error) => {
          expect([error.message, error.cause?.message]).toContain("died");
          return false;
        },
      );
      expect((await state()) === before).toBe(!isDone);
    }
    expect(statements).toBeGreaterThan(10);
    const after = await state();
    await expectWhole(
      "order.placed",
      "order.mapped",
      "mapping.removed",
      "operation.pending",
      "order.filled",
      "order.placed",
    );
    expect(JSON.parse(after).slice(0, 3)).toEqual(JSON.parse(await state()).slice(0, 3));
  });
});
