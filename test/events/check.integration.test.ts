import { beforeEach, describe, expect, it } from "@jest/globals";
import { inTransaction } from "../../src/db/transaction.ts";
import { checkRows, compareRows, type RowDifference } from "../../src/events/writer/check.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createAttributions, createClaim, createClaims } from "../support/db/builders/claims.ts";
import type { Row } from "../support/db/onchain.ts";
import { CHAIN_ID, STOCKS } from "../support/db/random-chain.ts";
import { PRODUCT } from "../support/http/features.ts";
import { useLog } from "./log-fixture.ts";

// The comparison of keys' rows with the index: each kind of wrong row is reported.

const { features, onchain, callers, write } = await useLog();
const { pool } = features.deps;
const caller = present(callers[0], "a caller");
const other = present(callers[1], "another caller");

const WAD = 10n ** 18n;
const [TX, MOVED, PENDING] = [hex(32, 0x1000), hex(32, 0x2000), hex(32, 0x3000)];
const ids = { chainId: CHAIN_ID, productType: PRODUCT };
const times = { createdAt: 1_799_000_000n, userAddress: hex(20, 0xa1) };
const order: Row<"stockOrder"> = {
  ...ids,
  ...times,
  orderId: hex(32, 0xabc),
  txHash: TX,
  blockNumber: 11n,
  updatedBlock: 11n,
  updatedAt: 1_799_000_100n,
  stockAddress: hex(20, 0x571),
  side: "Buy",
  orderType: "Limit",
  status: "open",
  quantity: WAD,
  price: WAD,
};
const operation: Row<"stockOperation"> = {
  ...ids,
  ...times,
  opId: hex(32, 0x0b),
  kind: "stock-deposit",
  txHash: MOVED,
  amount: WAD,
  tokenAddress: present(STOCKS[0], "a stock"),
  blockNumber: 11n,
};
const EMPTY = {
  stockOrder: [],
  cashOperation: [],
  stockOperation: [],
  attributionSuffix: [],
  eventBlock: [],
};
const publish = (latest: bigint, tables: object) =>
  onchain.replace(
    CHAIN_ID,
    { ...EMPTY, ...tables },
    { number: latest, timestamp: 1_799_000_000n + latest },
    { number: 10n, timestamp: 1_799_000_010n },
  );

let claimId: string;
let moving: string;
beforeEach(async () => {
  await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 1}'`);
  await publish(10n, {});
  await write();
  claimId = await createClaim(pool, caller, { txHash: TX });
  moving = await createClaim(pool, caller, { txHash: MOVED, operationType: "stock-deposit" });
  await createClaim(pool, caller, { txHash: PENDING });
  await publish(11n, { stockOrder: [order], stockOperation: [operation] });
  await write();
});

const FIRST = "00000000-0000-0000-0000-000000000000";
const WHOLE = { after: FIRST, max: 1_000 };

class Undone extends Error {}

/** Returns the differences that a statement makes, which is undone. */
async function planted(statement: string): Promise<RowDifference[]> {
  let differences: RowDifference[] = [];
  const run = inTransaction(pool, async (client) => {
    await client.query(statement);
    ({ differences } = await compareRows(client, CHAIN_ID, { part: WHOLE }));
    throw new Undone();
  });
  await expect(run).rejects.toThrow(Undone);
  return differences;
}

describe("a difference is named", () => {
  const VALUES: Readonly<Record<string, string>> = {
    uuid: "gen_random_uuid()",
    text: "'other'",
    boolean: "true",
    numeric: "77",
    integer: "77",
    smallint: "77",
    bigint: "77",
    "timestamp with time zone": "'2020-01-01T00:00:00Z'",
  };

  it.each([
    ["key_order", "order_id", ["claim_id", "ordinal"]],
    ["key_operation", "operation_id", ["claim_id", "kind", "ordinal"]],
  ])("in each column of app.%s", async (table, id, key) => {
    const { rows: columns } = await pool.query(
      `SELECT column_name, data_type FROM information_schema.columns
       WHERE table_schema = 'app' AND table_name = $1 AND column_name <> 'event_id'`,
      [table],
    );
    expect(columns.length).toBeGreaterThan(20);
    const name =
      table === "key_order" ? { claimId, list: "orders" } : { claimId: moving, list: "stock/deposits" };
    for (const { column_name: column, data_type: type } of columns) {
      const value = present(VALUES[type], type);
      const found = await planted(`UPDATE app.${table} SET ${column} = ${value} WHERE ${id} IS NOT NULL`);
      if (key.includes(column))
        expect(found).toEqual([
          { ...name, ordinal: 0, column: "row", expected: "one", found: "none" },
          expect.objectContaining({ column: "row", expected: "none", found: "one" }),
        ]);
      else expect(found).toEqual([expect.objectContaining({ ...name, ordinal: 0, column })]);
    }
  });

  const cases: [what: string, statement: string, found: object[]][] = [
    [
      "a row that is missing",
      "DELETE FROM app.key_order WHERE order_id IS NOT NULL",
      [{ list: "orders", ordinal: 0, column: "row", expected: "one", found: "none" }],
    ],
    [
      "a row that its claim has no right to",
      `INSERT INTO app.key_order SELECT (jsonb_populate_record(r, '{"ordinal": 3}')).* FROM app.key_order r
       WHERE order_id IS NOT NULL`,
      [{ list: "orders", ordinal: 3, column: "row", expected: "none", found: "one" }],
    ],
    [
      "a row of no claim",
      `INSERT INTO app.key_order SELECT (jsonb_populate_record(r, '{"claim_id": "ffffffff-0000-0000-0000-000000000000"}')).*
       FROM app.key_order r WHERE order_id IS NOT NULL`,
      [{ claimId: "ffffffff-0000-0000-0000-000000000000", column: "row", expected: "none", found: "one" }],
    ],
    [
      "a row that is another key's",
      `UPDATE app.key_order SET key_id = '${other.keyId}' WHERE order_id IS NOT NULL`,
      [{ column: "key_id", expected: caller.keyId, found: other.keyId }],
    ],
    [
      "a row that is left as not reported",
      `UPDATE app.key_order SET unreported = true WHERE tx_hash = '${PENDING}'`,
      [{ column: "unreported", expected: "false", found: "true" }],
    ],
    [
      "fields of an object",
      `UPDATE app.key_order SET data = replace(data, '"price":"1"', '"price":"2"') WHERE order_id IS NOT NULL`,
      [{ column: "data.openOrder.price", expected: '"1"', found: '"2"' }],
    ],
    [
      "an object of other text and the same fields",
      "UPDATE app.key_order SET data = data || ' ' WHERE order_id IS NOT NULL",
      [{ column: "data" }],
    ],
    [
      "a row that the index has as nothing",
      "UPDATE app.key_order SET order_id = NULL, data = NULL WHERE order_id IS NOT NULL",
      [
        { column: "order_id", expected: order.orderId, found: null },
        { column: "data", found: null },
      ],
    ],
  ];
  it.each(cases)("for %s", async (_what, statement, found) => {
    const differences = await planted(statement);
    expect(differences).toHaveLength(found.length);
    expect(differences).toEqual(expect.arrayContaining(found.map((one) => expect.objectContaining(one))));
  });

  it("and nothing else is", async () => {
    expect(await planted("SELECT 1")).toEqual([]);
  });
});

/** Looks again at once, unless something is to happen meanwhile. */
async function checked({ pauseMs = 1, claimId }: { pauseMs?: number; claimId?: string } = {}) {
  const found = { claims: 0, differences: [] as string[], behind: [] as string[] };
  for await (const step of checkRows(pool, { chainId: CHAIN_ID, pauseMs, claimId })) {
    found.claims += step.claims;
    found.differences.push(...step.differences.map((each) => `${each.claimId} ${each.column}`));
    found.behind.push(...step.behind);
  }
  return found;
}

const spoil = () => pool.query("UPDATE app.key_order SET status = 'Filled' WHERE claim_id = $1", [claimId]);
const enterDue = (id: string) =>
  pool.query("INSERT INTO app.event_due (chain_id, claim_id) VALUES ($1, $2)", [CHAIN_ID, id]);

describe("a check", () => {
  it("reports a difference once, of one claim where that is asked for", async () => {
    await spoil();
    expect(await checked()).toEqual({ claims: 3, differences: [`${claimId} status`], behind: [] });
    expect(await checked({ claimId })).toEqual({ claims: 1, differences: [`${claimId} status`], behind: [] });
    expect(await checked({ claimId: moving })).toEqual({ claims: 1, differences: [], behind: [] });
  });

  it("goes through all pages, with rows of no claim between them", async () => {
    await createClaims(pool, caller, 450);
    await write();
    const { rows: last } = await pool.query("SELECT max(claim_id::text) AS id FROM app.transaction_claim");
    await pool.query("UPDATE app.key_order SET status = 'Filled' WHERE claim_id = $1", [last[0].id]);
    const ownerless = ["00000000-0000-0000-0000-000000000001", "7fffffff-0000-0000-0000-000000000001"];
    ownerless.push("ffffffff-ffff-ffff-ffff-ffffffffffff");
    for (const id of ownerless)
      await pool.query(
        `INSERT INTO app.key_order SELECT (jsonb_populate_record(r, jsonb_build_object('claim_id', $1::text))).*
         FROM app.key_order r WHERE claim_id = $2`,
        [id, claimId],
      );
    const { claims, differences, behind } = await checked();
    expect({ claims, behind }).toEqual({ claims: 453, behind: [] });
    expect(differences.sort()).toEqual(
      [`${last[0].id} status`, ...ownerless.map((id) => `${id} row`)].sort(),
    );
  });

  it("reports nothing of rows that differ while they are due, or decided by a claim that is", async () => {
    await spoil();
    await enterDue(claimId);
    expect(await checked()).toMatchObject({ differences: [], behind: [claimId] });
    await write();
    expect(await checked()).toMatchObject({ differences: [], behind: [] });
    await createAttributions(pool, other, TX);
    await createClaim(pool, other, { source: "attributed", txHash: TX });
    await pool.query("DELETE FROM app.event_due WHERE claim_id = $1", [claimId]);
    const { differences, behind } = await checked();
    expect(differences).toEqual([]);
    expect(behind).toContain(claimId);
  });

  it.each([
    ["the index is ahead", () => publish(12n, { stockOrder: [order], stockOperation: [operation] })],
    [
      "another build is indexed",
      () => pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 1, "build_id": "next"}'`),
    ],
    ["the rows are to be filled", () => pool.query("UPDATE app.event_chain SET filled_to = $1", [FIRST])],
  ])("reports nothing of rows that differ while %s", async (_what, change) => {
    await spoil();
    await change();
    expect(await checked()).toMatchObject({ differences: [], behind: [claimId] });
    await write();
    expect(await checked()).toMatchObject({ behind: [] });
  });

  it("waits for a projection that is behind", async () => {
    const filled = { ...order, status: "filled" as const, filledQuantity: WAD, updatedBlock: 12n };
    await publish(12n, { stockOrder: [filled], stockOperation: [operation] });
    const check = checked({ pauseMs: 1_000 });
    await write();
    expect(await check).toEqual({ claims: 3, differences: [], behind: [] });
  });

  it("waits for an index that is not ready, and says so where it stays so", async () => {
    await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 0}'`);
    await expect(checked()).rejects.toThrow(`the index of chain ${CHAIN_ID} is not ready`);
  });
});
