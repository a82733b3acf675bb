import { beforeEach, describe, expect, it } from "@jest/globals";
import { useLog } from "../../../test/events/log-fixture.ts";
import { hex } from "../../../test/support/assert/sample.ts";
import { present } from "../../../test/support/assert/until.ts";
import { createClaim } from "../../../test/support/db/builders/claims.ts";
import type { Row } from "../../../test/support/db/onchain.ts";
import { CHAIN_ID } from "../../../test/support/db/random-chain.ts";
import { PRODUCT } from "../../../test/support/http/features.ts";
import { operate } from "../../../test/support/program/command.ts";
import { check } from "../src/projection/check.ts";
import { Failed } from "../src/terminal.ts";

// The operator's command for the rows that keys see. What a check finds is tested in test/events/check.integration.test.ts.

const { features, onchain, callers, write, readEvents } = await useLog();
const { pool } = features.deps;
const caller = present(callers[0], "a caller");

const run = (...args: string[]) => operate(["projection", ...args], { DATABASE_URL: features.databaseUrl });
const block = (number: bigint) => ({ number, timestamp: 1_799_000_000n + number });
const reached = (latest: bigint) => onchain.replace(CHAIN_ID, {}, block(latest), block(10n));
const NONE = "90000000-0000-0000-0000-000000000000";
const spoil = (id: string) =>
  pool.query("UPDATE app.key_order SET status = 'Failed', client_order_id = $2 WHERE claim_id = $1", [
    id,
    "x".repeat(100),
  ]);

let claimId: string;
beforeEach(async () => {
  await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 1, "build_id": "b1"}'`);
  await reached(11n);
  claimId = await createClaim(pool, caller, {});
  await write();
});

describe("projection show", () => {
  const chain = {
    chainId: CHAIN_ID,
    block: "11",
    indexedBlock: "11",
    lagBlocks: "0",
    buildId: "b1",
    filled: true,
    comparedPercent: 100,
    rowsEstimate: expect.any(Number),
  };
  const shown = async () => JSON.parse((await run("show", "--json")).out);

  it("shows how far a chain is", async () => {
    expect(await shown()).toEqual([chain]);
    await reached(15n);
    expect(await shown()).toEqual([{ ...chain, indexedBlock: "15", lagBlocks: "4" }]);
    const { code, out, err } = await run("show");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(
      /^CHAIN +STATE +BLOCK +INDEXED +LAG +ROWS \(ABOUT\) +BUILD\n31337 +filled +11 +15 +4 +\d+ +b1\n$/,
    );
  });

  it("shows how much of it is compared, and that the index is not ready", async () => {
    await pool.query("UPDATE app.event_chain SET filled_to = $1", [NONE]);
    await pool.query(`UPDATE onchain._ponder_meta SET value = '{"is_ready": 0}'`);
    expect(await shown()).toEqual([{ ...chain, indexedBlock: null, lagBlocks: null, comparedPercent: 56 }]);
    expect((await run("show")).out).toMatch(/31337 +filled, compared again: 56% +11 +- +- /);
    await pool.query("UPDATE app.event_chain SET filled_to = $1, filled = false", [NONE]);
    expect((await run("show")).out).toMatch(/31337 +being filled: 56% /);
  });

  it("counts about as many rows as there are", async () => {
    await pool.query("ANALYZE app.key_order, app.key_operation");
    const [{ rowsEstimate }] = await shown();
    expect(rowsEstimate).toBeGreaterThanOrEqual(1);
    expect(rowsEstimate).toBeLessThan(10);
  });
});

describe("projection rebuild", () => {
  const chains = async () =>
    (await pool.query("SELECT filled, filled_to FROM app.event_chain WHERE chain_id = $1", [CHAIN_ID])).rows;

  it("has rows corrected, while lists go on reading them", async () => {
    await spoil(claimId);
    await write();
    const status = async () => (await pool.query("SELECT status FROM app.key_order")).rows;
    expect(await status()).toEqual([{ status: "Failed" }]);
    const { code, out, err } = await run("rebuild");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/31337 +filled, compared again: 0% /);
    expect(await chains()).toEqual([{ filled: true, filled_to: "00000000-0000-0000-0000-000000000000" }]);
    await write();
    expect(await status()).toEqual([{ status: "Init" }]);
    expect(await chains()).toEqual([{ filled: true, filled_to: null }]);
  });

  it("has what was final taken back, after a reorg that was deeper", async () => {
    const txHash = hex(32, 0x77);
    const order: Row<"stockOrder"> = {
      chainId: CHAIN_ID,
      productType: PRODUCT,
      orderId: hex(32, 0xabc),
      txHash,
      userAddress: hex(20, 0xa1),
      blockNumber: 12n,
      updatedBlock: 12n,
      createdAt: 1_799_000_000n,
      updatedAt: 1_799_000_000n,
      stockAddress: hex(20, 0x571),
      side: "Buy",
      orderType: "Limit",
      status: "open",
      quantity: 10n ** 18n,
      price: 10n ** 18n,
    };
    await createClaim(pool, caller, { txHash });
    await onchain.replace(CHAIN_ID, { stockOrder: [order] }, block(14n), block(13n));
    await write();
    await onchain.replace(CHAIN_ID, { stockOrder: [] }, block(14n), block(13n));
    await write();
    const types = async () => (await readEvents(caller, { limit: "100" })).rows.map(({ type }) => type);
    expect(await types()).toEqual(["order.mapped", "order.placed"]);
    expect((await run("check")).out).toMatch(/orders +0 +order_id +- +0x0+abc\n/);
    await run("rebuild");
    await write();
    expect(await types()).toEqual(["order.mapped", "order.placed", "order.mapped"]);
    expect(await run("check")).toMatchObject({ code: 0 });
  });

  it("is one of a chain where that is asked for, and audited", async () => {
    await pool.query(
      "INSERT INTO app.event_chain (chain_id, block_number, verified_block, filled_to) VALUES (7, 1, 1, NULL)",
    );
    const { code, out } = await run("rebuild", "--chain", "7", "--json");
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^\[/) });
    expect(JSON.parse(out)).toMatchObject([
      { chainId: 7, comparedPercent: 0, indexedBlock: null },
      { chainId: CHAIN_ID, comparedPercent: 100 },
    ]);
    const { rows } = await pool.query(
      "SELECT action, subject, detail FROM app.audit_entry ORDER BY audit_id DESC LIMIT 1",
    );
    expect(rows).toEqual([{ action: "projection rebuild", subject: "7", detail: { chains: 1 } }]);
  });

  it("of a chain that is not projected is an error, and changes nothing", async () => {
    const before = await pool.query("SELECT count(*) FROM app.audit_entry");
    expect(await run("rebuild", "--chain", "8")).toEqual({
      code: 1,
      out: "",
      err: "error: nothing is projected of chain 8: `projection show` has all chains\n",
    });
    expect((await pool.query("SELECT count(*) FROM app.audit_entry")).rows).toEqual(before.rows);
  });
});

describe("projection check", () => {
  it("finds nothing where nothing differs", async () => {
    expect(await run("check", "--chain", String(CHAIN_ID))).toEqual({
      code: 0,
      err: "",
      out: "chain 31337: compared the rows of 1 claim\nno differences\n",
    });
    expect(JSON.parse((await run("check", "--json")).out)).toEqual({
      chains: [CHAIN_ID],
      claims: 1,
      differenceCount: 0,
      differences: [],
      behindCount: 0,
      behind: [],
    });
  });

  it("names differences, shortened in the table, and is exit code 1", async () => {
    await spoil(claimId);
    const { code, out, err } = await run("check");
    expect({ code, err }).toEqual({ code: 1, err: "" });
    const [heading, ...lines] = out.split("\n");
    expect(heading).toMatch(/^CHAIN +CLAIM +LIST +ORDINAL +COLUMN +EXPECTED +FOUND$/);
    const line = (rest: string) =>
      expect.stringMatching(new RegExp(`^31337  ${claimId}  orders +0  ${rest}$`));
    expect(lines).toContainEqual(line("status +Init +Failed"));
    expect(lines).toContainEqual(line("client_order_id +- +x{79}…"));
    expect(lines.slice(2)).toEqual(["", "chain 31337: compared the rows of 1 claim", "2 differences", ""]);
  });

  it("counts those beyond the limit, and has whole values as JSON", async () => {
    await spoil(claimId);
    const { code, out } = await run("check", "--claim", claimId, "--limit", "1", "--json");
    const { differences, differenceCount } = JSON.parse(out);
    expect({ code, differenceCount }).toEqual({ code: 1, differenceCount: 2 });
    expect(differences).toEqual([
      expect.objectContaining({
        chainId: CHAIN_ID,
        claimId,
        list: "orders",
        ordinal: 0,
        column: expect.any(String),
      }),
    ]);
  });

  it("says what cannot be compared, and is no success", async () => {
    await spoil(claimId);
    await reached(12n);
    let out = "";
    const stdout = { write: (text: string) => (out += text) };
    const terminal = { env: { DATABASE_URL: features.databaseUrl }, stdout, stderr: stdout };
    await expect(check(terminal, { limit: 10 }, 1)).rejects.toThrow(Failed);
    expect(out).toBe(
      `chain 31337, claim ${claimId}: not comparable: the projection is behind\nchain 31337: compared the rows of 1 claim\n` +
        "no differences\n1 claim not comparable: the projection is behind\n",
    );
    await expect(check(terminal, { limit: 10, allowBehind: true }, 1)).resolves.toBeUndefined();
  });

  it("of a chain or claim that there is not is an error", async () => {
    expect(await run("check", "--chain", "8")).toMatchObject({ code: 1, out: "" });
    expect(await run("check", "--claim", NONE)).toEqual({
      code: 1,
      out: "",
      err: `error: there is no claim ${NONE}\n`,
    });
  });
});
