import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { readSandboxSecrets, sandboxDirectory } from "../support/sandbox/sandbox-keys.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";

/** The sandbox's database, as another user of the machine finds it, and as its programs use it. */
const state = readSandboxState();
const { databasePasswords } = readSandboxSecrets();
let admin: pg.Client;

async function connectAs(user: string, password: string): Promise<pg.Client> {
  const url = new URL(state.databaseUrl);
  [url.username, url.password] = [user, password];
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  return client;
}

beforeAll(async () => {
  admin = await connectAs("postgres", databasePasswords.admin);
});
afterAll(() => admin.end());

describe("another user of the machine", () => {
  it.each([
    ["postgres", "sandbox"],
    ["postgres", ""],
    ["partner_owner", ""],
    ["partner_api", "partner_api"],
    ["partner_operator", "sandbox"],
  ])("is refused as %s with the password %j", async (user, password) => {
    await expect(connectAs(user, password)).rejects.toThrow(/password/);
  });

  it("finds no way in without a password, and no socket", async () => {
    const { rows } = await admin.query("SELECT DISTINCT auth_method FROM pg_hba_file_rules");
    expect(rows).toEqual([{ auth_method: "scram-sha-256" }]);
    const sockets = await admin.query("SHOW unix_socket_directories");
    expect(sockets.rows).toEqual([{ unix_socket_directories: "" }]);
  });

  it("reads no password: not in files, nor in the arguments of processes", () => {
    for (const file of ["secrets.json", "state.json"]) {
      const ofOthers = statSync(join(sandboxDirectory(), file)).mode & 0o077;
      expect({ file, ofOthers }).toEqual({ file, ofOthers: 0 });
    }
    const passwords = Object.values(databasePasswords);
    expect(new Set(passwords).size).toBe(7);
    const commands = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(commandOf);
    expect(commands).toContainEqual(expect.stringContaining("src/bin/api.js"));
    for (const password of passwords) {
      expect(commands.filter((command) => command.includes(password))).toEqual([]);
    }
  });
});

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    // It has ended.
    return "";
  }
}

it("serves each program as its own role, and nobody but the sandbox as superuser", async () => {
  const { rows } = await admin.query<{ role: string; application: string }>(
    `SELECT DISTINCT usename AS role, application_name AS application FROM pg_stat_activity
     WHERE datname = current_database() AND backend_type = 'client backend'`,
  );
  const roles = rows.map(({ role }) => role);
  expect(roles).toEqual(expect.arrayContaining(["partner_api", "partner_worker", "partner_indexer"]));
  expect(rows.filter(({ role, application }) => role === "postgres" && application !== "")).toEqual([]);
});

it("gives the operator what the operator's command needs, and no more", async () => {
  const operator = new pg.Client({ connectionString: state.databaseUrl });
  await operator.connect();
  try {
    expect((await operator.query("SELECT current_user AS role")).rows).toEqual([
      { role: "partner_operator" },
    ]);
    expect((await operator.query("SELECT 1 FROM onchain.stock_token LIMIT 1")).rowCount).toBe(1);
    await expect(operator.query("UPDATE app.send_attempt SET taken = 0")).rejects.toMatchObject({
      code: "42501",
    });
  } finally {
    await operator.end();
  }
});
