import { beforeEach, describe, expect, it } from "@jest/globals";
import { hex } from "../support/assert/sample.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { empty } from "../support/db/empty.ts";
import { depositOf, orderOf, TX, useRows } from "./rows-fixture.ts";

// app.event_memory, which release 0.3.0 compares with, is written by triggers of the rows. After each step it equals the rows
// (expectProjected); these tests cover the time between two steps, and writes by that release itself.

const { pool, publish, caller, write, expectProjected } = await useRows();

const KINDS = [
  ["order", "trade", "order.mapped", "order.placed"],
  ["operation", "stock-deposit", "operation.pending", "operation.completed"],
] as const;

describe.each(KINDS)("what the version before remembers of an %s", (name, operationType, mapped, made) => {
  const index = (block: bigint) =>
    publish(
      12n,
      name === "order" ? { stockOrder: [orderOf(0, block)] } : { stockOperation: [depositOf(0, block)] },
    );
  const memory = async () =>
    (await pool.query("SELECT tx_hash, object_id, type, data_hash, fingerprint FROM app.event_memory")).rows;
  const change = (assignment: string) => pool.query(`UPDATE app.transaction_claim SET ${assignment}`);
  const pending = { tx_hash: TX, object_id: null, type: mapped, data_hash: null, fingerprint: null };
  beforeEach(async () => {
    await write();
    await createClaim(pool, caller, { operationType, txHash: TX });
  });

  it("is nothing before it is reported, and is gone with its row", async () => {
    expect(await memory()).toEqual([]);
    await write();
    expect(await memory()).toEqual([pending]);
    await change("state = 'dropped'");
    await write();
    expect(await memory()).toEqual([]);
  });

  it("is its last report, also where its claim has changed since", async () => {
    await write();
    await change(`tx_hash = '${hex(32, 0x77)}', state = 'reverted'`);
    expect(await memory()).toEqual([pending]);
    await write();
    expect(await memory()).toMatchObject([{ tx_hash: hex(32, 0x77), data_hash: null }]);
    await expectProjected();
  });

  it("is nothing of what was so before the log began", async () => {
    await empty(pool, "app.event_due", "app.key_order", "app.key_operation", "app.key_change");
    await index(9n);
    await pool.query("UPDATE app.event_chain SET filled_to = '00000000-0000-0000-0000-000000000000'");
    for (let n = 0; n < 2; n++) await write();
    const { rows } = await pool.query(`SELECT event_id FROM app.key_${name}`);
    expect(rows).toEqual([{ event_id: null }]);
    expect(await memory()).toEqual([]);
  });

  it.each([
    ["tx_hash", "tx_hash", hex(32, 0x99)],
    [`${name}_id`, "object_id", hex(32, 0x99)],
    ["row_hash", "row_hash", "00000000-0000-4000-8000-000000000099"],
    ["block_number", "block_number", "99"],
  ])("follows the %s of its row, also where that alone changes", async (column, remembered, value) => {
    await index(11n);
    for (let n = 0; n < 2; n++) await write();
    await pool.query(`UPDATE app.key_${name} SET ${column} = $1`, [value]);
    const { rows } = await pool.query(`SELECT ${remembered}::text AS value FROM app.event_memory`);
    expect({ column, rows }).toEqual({ column, rows: [{ value }] });
  });

  it("stays as that version writes it in the statement that writes the row", async () => {
    await index(11n);
    for (let n = 0; n < 2; n++) await write();
    expect(await memory()).toMatchObject([{ type: made, fingerprint: null }]);
    const [eventId, fingerprint] = [
      "00000000-0000-4000-8000-000000000001",
      "00000000-0000-4000-8000-000000000002",
    ];
    await pool.query(`
      WITH remembered AS (UPDATE app.event_memory SET event_id = '${eventId}', fingerprint = '${fingerprint}')
      UPDATE app.key_${name} SET event_id = '${eventId}'`);
    expect(await memory()).toMatchObject([{ type: made, fingerprint }]);
  });
});
