import { beforeEach, describe, expect, it } from "@jest/globals";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createAttributions, createClaim } from "../support/db/builders/claims.ts";
import { CHAIN_ID } from "../support/db/random-chain.ts";
import { depositOf, orderOf, TX, useRows } from "./rows-fixture.ts";

// Rows of keys (docs/projection.md) that claims write at once, before anything is indexed.

const {
  pool,
  publish,
  caller,
  other,
  types,
  rows,
  moved,
  createNamedLater,
  callers,
  write,
  readEvents,
  expectProjected,
} = await useRows();

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
    [
      "trade",
      "key_order",
      ["order.mapped", "order.failed"],
      { status: "Failed", on_chain_status: "history" },
    ],
    ["withdraw", "key_operation", ["operation.pending", "operation.failed"], { status: "failed" }],
  ] as const;

  describe.each(KINDS)("of a %s", (operationType, table, [mapped, ended], failed) => {
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

    it("has the type of its last report, whatever its claim writes, so that the next one takes that back", async () => {
      await write();
      await change("state = 'reverted'");
      expect(await read()).toMatchObject([{ ...failed, type: mapped, unreported: true }]);
      await write();
      expect(await read()).toMatchObject([{ ...failed, type: ended, unreported: false }]);
      for (const state of ["pending", "reverted", "pending"]) await change(`state = '${state}'`);
      expect(await read()).toMatchObject([{ type: ended, unreported: true }]);
      await write();
      const { rows: events } = await readEvents(caller, { limit: "100" });
      expect(events.map(({ type, retracts }) => [type, retracts])).toEqual([
        [mapped, null],
        [ended, null],
        [mapped, events[1]?.eventId],
      ]);
      await expectProjected();
    });

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
      chainId: CHAIN_ID,
      productType: caller.productType,
      txHash: hex(32, 0x1000 + n),
      blockNumber: block,
      transactionIndex: 0,
    });
    const claim = (who: typeof caller, n: number) =>
      createClaim(pool, who, {
        source: "attributed",
        attributionNonce: "one",
        txHash: hex(32, 0x1000 + n),
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
    expect({ types: await types(), typesOfOther: await types(other) }).toEqual({
      types: ["order.placed"],
      typesOfOther: ["mapping.removed"],
    });
    await publish(14n, {
      stockOrder: [orderOf(0, 14n), orderOf(1, 12n), orderOf(2, 13n)],
      attributionSuffix: [suffixed(0, 11n), suffixed(1, 12n), suffixed(2, 13n)],
    });
    await expectProjectedAfter();
    expect((await types()).slice(1)).toEqual(["mapping.removed"]);
  });
});
