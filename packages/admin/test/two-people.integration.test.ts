import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { migrate } from "../../../src/db/migrate.ts";
import { createRoles, ROLES } from "../../../src/db/roles.ts";
import { createApiKey } from "../../../test/support/db/builders/keys.ts";
import { createWallet } from "../../../test/support/db/builders/sends.ts";
import { createTestPool } from "../../../test/support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../../../test/support/db/postgres.ts";
import { deployments } from "../../../test/support/http/auth.ts";
import { operate } from "../../../test/support/program/command.ts";

// docs/DATABASE.md, "Two people": actions that cannot be undone, by two operators with a login each.
const ALICE = `operator_alice_${process.pid}`;
const BOB = `operator_bob_${process.pid}`;
const WALLET = `0x${"ab".repeat(20)}` as const;
const directory = mkdtempSync(join(tmpdir(), "two-people-"));
let database: TestDatabase;
let admin: pg.Pool;

beforeAll(async () => {
  database = await createDatabase();
  admin = createTestPool(database.url, { max: 2 });
  await createRoles(database.url);
  await migrate(database.url, { info: () => undefined });
  for (const login of [ALICE, BOB])
    await admin.query(`CREATE ROLE ${login} LOGIN PASSWORD 'pw' IN ROLE ${ROLES.operator}`);
  const chains = deployments.chains.map(({ wsUrls, rpcUrls, ...chain }) => ({
    ...chain,
    rpcUrls: [...rpcUrls, ...wsUrls],
  }));
  writeFileSync(join(directory, "deployments.json"), JSON.stringify({ chains }));
});
afterAll(async () => {
  for (const login of [ALICE, BOB]) await admin.query(`DROP ROLE ${login}`);
  await admin.end();
  await database.drop();
  rmSync(directory, { recursive: true });
});

function urlOf(login: string): string {
  const url = new URL(database.url);
  [url.username, url.password] = [login, "pw"];
  return url.href;
}
const run = (login: string, ...args: string[]) =>
  operate(args, {
    DATABASE_URL: urlOf(login),
    DEPLOYMENTS_FILE: join(directory, "deployments.json"),
    MASTER_KEYS: `test:${"0a".repeat(32)}`,
  });

/** Runs a statement by hand, with the rights of an operator. */
async function byHand(login: string, statement: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: urlOf(login) });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}

const setRules = (...actions: string[]) =>
  admin.query("INSERT INTO app.second_login SELECT unnest($1::text[])", [actions]);
const entriesOf = async (subject: string) =>
  (
    await admin.query(
      "SELECT action, login, requested_by FROM app.audit_entry WHERE subject = $1 ORDER BY audit_id",
      [subject],
    )
  ).rows;

interface Case {
  action: string;
  /** Its subject in the audit log. */
  subject: string;
  args: string[];
  /** The same by hand. */
  statement: string;
  /** Returns true once it was done. */
  isDone: () => Promise<boolean>;
}

const exists = async (statement: string): Promise<boolean> =>
  (await admin.query(`SELECT EXISTS (${statement}) AS found`)).rows[0].found;

/** Makes a key, a dashboard user and a wallet, and returns what ends them. */
async function makeCases(): Promise<Record<string, Case>> {
  const { apiKey } = await createApiKey(admin);
  const name = `user-${apiKey.slice(-8)}`;
  await admin.query("INSERT INTO app.dashboard_user (name, role, token_hash) VALUES ($1, 'viewer', $2)", [
    name,
    Buffer.from(name),
  ]);
  await admin.query("DELETE FROM app.delegatee_wallet");
  await createWallet(admin, WALLET);
  return {
    key: {
      action: "key.revoke",
      subject: apiKey,
      args: ["keys", "revoke", apiKey, "--yes"],
      statement: `UPDATE app.api_key SET revoked_at = now() WHERE api_key = '${apiKey}'`,
      isDone: () => exists(`SELECT FROM app.api_key WHERE api_key = '${apiKey}' AND revoked_at IS NOT NULL`),
    },
    user: {
      action: "dashboard-users revoke",
      subject: name,
      args: ["dashboard-users", "revoke", name, "--yes"],
      statement: `UPDATE app.dashboard_user SET revoked_at = now() WHERE name = '${name}'`,
      isDone: () =>
        exists(`SELECT FROM app.dashboard_user WHERE name = '${name}' AND revoked_at IS NOT NULL`),
    },
    wallet: {
      action: "wallets retire",
      subject: `31337:${WALLET}`,
      args: ["wallets", "retire", "31337", WALLET, "--yes"],
      statement: `UPDATE app.delegatee_wallet SET assignable = false WHERE address = '${WALLET}'`,
      isDone: () => exists(`SELECT FROM app.delegatee_wallet WHERE address = '${WALLET}' AND NOT assignable`),
    },
  };
}

describe.each(["key", "user", "wallet"])("what ends a %s", (what) => {
  let one: Case;
  beforeEach(async () => {
    await admin.query(
      "DELETE FROM app.second_login; DELETE FROM app.audit_entry; DELETE FROM app.action_request",
    );
    const found = (await makeCases())[what];
    if (!found) throw new Error(`no case ${what}`);
    one = found;
  });

  it("is done by one operator where no rule asks for two", async () => {
    expect(await run(ALICE, ...one.args)).toMatchObject({ code: 0 });
    expect(await entriesOf(one.subject)).toEqual([{ action: one.action, login: ALICE, requested_by: null }]);
  });

  it("is asked for by one and done by another, and the audit log names both", async () => {
    await setRules(one.action);
    for (let time = 1; time <= 2; time++) {
      const { code, out, err } = await run(ALICE, ...one.args);
      expect({ time, code, out, isDone: await one.isDone() }).toEqual({
        time,
        code: 1,
        out: "",
        isDone: false,
      });
      expect(err).toMatch(
        /needs two people, and is asked for: nothing is changed until another operator runs the same command/,
      );
    }
    expect(await run(BOB, ...one.args)).toMatchObject({ code: 0 });
    expect(await one.isDone()).toBe(true);
    expect(await entriesOf(one.subject)).toEqual([{ action: one.action, login: BOB, requested_by: ALICE }]);
  });

  it("is not done by a statement by hand, nor by a request of another time, thing or action", async () => {
    await setRules(one.action);
    await expect(byHand(ALICE, one.statement)).rejects.toMatchObject({ code: "PT002" });
    const ask = "INSERT INTO app.action_request (action, subject) VALUES";
    await byHand(ALICE, `${ask} ('${one.action}', 'another'), ('another', '${one.subject}')`);
    await byHand(ALICE, `${ask} ('${one.action}', '${one.subject}')`);
    await admin.query("INSERT INTO app.action_request (action, subject, requested_by) VALUES ($1, $2, $3)", [
      one.action,
      one.subject,
      ROLES.operator,
    ]);
    await admin.query(
      "UPDATE app.action_request SET requested_at = now() - interval '601 s' WHERE action = $1 AND subject = $2 AND requested_by = $3",
      [one.action, one.subject, ALICE],
    );
    expect(await run(BOB, ...one.args)).toMatchObject({ code: 1 });
    await expect(byHand(BOB, one.statement)).rejects.toMatchObject({ code: "PT002" });
    expect(await one.isDone()).toBe(false);
  });

  it("is confirmed once: a second thing of the same name needs a request of its own", async () => {
    await setRules(one.action);
    await run(ALICE, ...one.args);
    expect(await run(BOB, ...one.args)).toMatchObject({ code: 0 });
    const { rows } = await admin.query(
      "SELECT requested_by, confirmed_by FROM app.action_request WHERE confirmed_at IS NOT NULL",
    );
    expect(rows).toEqual([{ requested_by: ALICE, confirmed_by: BOB }]);
    await expect(
      admin.query("UPDATE app.action_request SET confirmed_by = requested_by WHERE confirmed_by IS NOT NULL"),
    ).rejects.toMatchObject({ constraint: "action_request_other" });
    await expect(
      admin.query("UPDATE app.action_request SET confirmed_at = confirmed_at + interval '11 minutes'"),
    ).rejects.toMatchObject({ constraint: "action_request_in_time" });
  });
});

it("a wallet's users are not undelegated by a row by hand while the wallet takes users", async () => {
  await admin.query(
    "DELETE FROM app.second_login; DELETE FROM app.action_request; DELETE FROM app.delegatee_wallet",
  );
  await createWallet(admin, WALLET);
  await setRules("wallets retire");
  const row = `INSERT INTO app.wallet_retirement (chain_id, address) VALUES (31337, '${WALLET}')`;
  await expect(byHand(ALICE, row)).rejects.toMatchObject({ code: "PT002" });
  // Nor by the row of a wallet that was retired.
  const retired = `0x${"cd".repeat(20)}` as const;
  await createWallet(admin, retired, { assignable: false });
  await byHand(ALICE, row.replace(WALLET, retired));
  const moved = `UPDATE app.wallet_retirement SET address = '${WALLET}' WHERE address = '${retired}'`;
  await expect(byHand(ALICE, moved)).rejects.toMatchObject({ code: "PT002" });
});

it.each([
  ["lift a rule", "DELETE FROM app.second_login"],
  [
    "ask in another's name",
    `INSERT INTO app.action_request (action, subject, requested_by) VALUES ('a', 'b', '${BOB}')`,
  ],
  ["rename a key", "UPDATE app.api_key SET api_key = 'x'"],
  ["rename a dashboard user", "UPDATE app.dashboard_user SET name = 'x'"],
  ["confirm by hand", "UPDATE app.action_request SET confirmed_by = 'x', confirmed_at = now()"],
  ["confirm by the function", "SELECT app.confirm_action('key.revoke', 'x')"],
  ["disable the trigger", "ALTER TABLE app.api_key DISABLE TRIGGER api_key_second_login"],
])("an operator may not %s", async (_what, statement) => {
  await expect(byHand(ALICE, statement)).rejects.toMatchObject({ code: "42501" });
});
