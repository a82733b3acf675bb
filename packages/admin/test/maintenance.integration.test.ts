import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type pg from "pg";
import { createTestPool } from "../../../test/support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../../../test/support/db/postgres.ts";
import { operate } from "../../../test/support/program/command.ts";

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createDatabase();
  pool = createTestPool(database.url, { max: 1 });
});
afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const run = (...args: string[]) => operate(["maintenance", ...args], { DATABASE_URL: database.url });
const announce = (...more: string[]) =>
  run("announce", "--from", "1h", "--until", "2h", "--text", "Sends wait.", ...more);
const auditOf = async (subject: string) =>
  (
    await pool.query<{ action: string; detail: object }>(
      "SELECT action, detail FROM app.audit_entry WHERE subject = $1 ORDER BY audit_id",
      [subject],
    )
  ).rows;

it("is announced, listed and canceled, each with its entry in the audit log", async () => {
  const { code, out } = await announce("--chain", "31337", "--json");
  expect(code).toBe(0);
  const { noticeId } = JSON.parse(out);
  expect(JSON.parse((await run("list", "--json")).out)).toMatchObject([
    { noticeId, chainId: 31337, text: "Sends wait.", canceledAt: null },
  ]);
  expect(await run("cancel", noticeId)).toMatchObject({ code: 0, out: `${noticeId} is canceled\n` });
  expect(await run("cancel", noticeId)).toMatchObject({
    code: 1,
    err: expect.stringContaining(`there is no notice ${noticeId} that holds`),
  });
  expect((await run("list")).out).toContain("Sends wait.");
  expect(await auditOf(noticeId)).toMatchObject([
    { action: "maintenance announce", detail: { chainId: 31337, text: "Sends wait." } },
    { action: "maintenance cancel", detail: {} },
  ]);
});

it.each([
  ["an end before its beginning", ["--until", "30m"], "--until is not after --from"],
  ["no text", ["--text", " "], "--text has from 1 to 500 characters"],
  ["a text that is too long", ["--text", "x".repeat(501)], "--text has from 1 to 500 characters"],
  ["no end", ["--until", "never"], "--from and --until are times"],
  ["an end that is over", ["--from", "2020-01-01", "--until", "2020-01-02"], "--until is in the past"],
])("is refused with %s, as a wrong command line", async (_what, more, message) => {
  const before = (await pool.query("SELECT FROM app.maintenance_notice")).rowCount;
  expect(await announce(...more)).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  expect((await pool.query("SELECT FROM app.maintenance_notice")).rowCount).toBe(before);
});
