import { describe, expect, it } from "@jest/globals";
import { pino } from "pino";
import { createEventWriter } from "../../src/events/writer/write.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createAttributions, createClaim, createClaims } from "../support/db/builders/claims.ts";
import { empty } from "../support/db/empty.ts";
import { CHAIN_ID } from "../support/db/random-chain.ts";
import { depositOf, orderOf, TX, useRows } from "./rows-fixture.ts";

// Rows of keys (docs/projection.md), filled in the background for existing claims.

const {
  pool,
  publish,
  caller,
  other,
  types,
  rows,
  chain,
  moved,
  createNamedLater,
  onchain,
  deps,
  write,
  expectProjected,
} = await useRows();
const WAD = 10n ** 18n;

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
    // Claims of a version without an event log have no rows here.
    await empty(pool, "app.event_due", "app.key_order", "app.key_change");
  };

  const fillAgain = () =>
    pool.query("UPDATE app.event_chain SET filled_to = '00000000-0000-0000-0000-000000000000'");

  it("are filled, and are no event", async () => {
    await begin();
    await write();
    expect(await chain()).toEqual({ filled: true, filled_to: null, build_id: "" });
    expect(await rows()).toHaveLength(COUNT + 1);
    expect(await types()).toEqual([]);
    await expectProjected();
  });

  it("are said once to be complete, when they are", async () => {
    await begin();
    const lines: string[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
    const run = createEventWriter({ ...deps, log }, { verifyMs: 0 });
    const said = async () => {
      const { complete } = await run(CHAIN_ID);
      return { complete, said: lines.splice(0).map((line) => JSON.parse(line).msg) };
    };
    // The log of the chain begins, and two steps fill 100 rows each.
    for (let step = 0; step < 3; step++) expect(await said()).toEqual({ complete: false, said: [] });
    expect(await said()).toEqual({ complete: true, said: ["the rows of keys are complete"] });
    await createClaim(pool, caller, { txHash: hex(32, 0x98) });
    expect(await said()).toEqual({ complete: true, said: [] });
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
    // Claims with high ids are filled last, in a step after the one that finds the claim due.
    const claimId = "ffffffff-ffff-4fff-bfff-ffffffffffff";
    await createClaim(pool, caller, { claimId, operationType: "stock-deposit", txHash: hex(32, 0x5000) });
    await onchain.insert("stockOperation", { ...depositOf(0, 10n), txHash: hex(32, 0x5000) });
    await projector.runAll();
    expect(await chain()).toMatchObject({ filled: true, filled_to: null });
    expect(await types()).toEqual([]);
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
    await fillAgain();
    expect(await moved(write)).toEqual(["key 0"]);
    expect(await types()).toEqual([]);
  });
});
