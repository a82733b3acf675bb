import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { migrate } from "../../../src/db/migrate.ts";
import { createRoles } from "../../../src/db/roles.ts";
import { canary } from "../../../test/support/assert/logs.ts";
import { createTestPool } from "../../../test/support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../../../test/support/db/postgres.ts";
import { operate } from "../../../test/support/program/command.ts";

// A personal login beside a URL that all operators share (docs/DATABASE.md#logins-of-operators).

const PASSWORD = canary("operator's password", "p%40:/?#s of alice");
let database: TestDatabase;
const name = `operator_${process.pid}`;

beforeAll(async () => {
  database = await createDatabase();
  await createRoles(database.url);
  await migrate(database.url, { info: () => undefined });
  await query(`CREATE ROLE ${name} LOGIN PASSWORD '${PASSWORD}' IN ROLE partner_operator`);
});
afterAll(async () => {
  await query(`DROP ROLE ${name}`);
  await database.drop();
});

async function query(text: string) {
  const pool = createTestPool(database.url, { max: 1 });
  try {
    return (await pool.query(text)).rows;
  } finally {
    await pool.end();
  }
}

let users = 0;
const create = (login: Record<string, string>) =>
  operate(["dashboard-users", "create", "--name", `user-${users++}`, "--role", "viewer"], {
    DATABASE_URL: database.url,
    ...login,
  });

it("does what the shared URL would, as the operator's own login", async () => {
  expect(await create({ OPERATOR_LOGIN: name, OPERATOR_PASSWORD: PASSWORD })).toMatchObject({ code: 0 });
  expect(await query("SELECT action, login FROM app.audit_entry")).toEqual([
    { action: "dashboard-users create", login: name },
  ]);
});

it("takes empty variables for none", async () => {
  expect(await create({ OPERATOR_LOGIN: "", OPERATOR_PASSWORD: "" })).toMatchObject({ code: 0 });
});

it("falls back to no other login", async () => {
  expect(await create({ OPERATOR_LOGIN: name })).toMatchObject({
    code: 1,
    err: "error: OPERATOR_LOGIN is set, and OPERATOR_PASSWORD is not\n",
  });
  const wrong = await create({ OPERATOR_LOGIN: name, OPERATOR_PASSWORD: "guess" });
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("password authentication failed") });
});
