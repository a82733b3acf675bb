import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { z } from "zod";
import { createAuthenticator } from "../../../src/auth/authenticate.ts";
import { parseEnv } from "../../../src/config/env.ts";
import { createTestPool, PATIENT } from "../../../test/support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../../../test/support/db/postgres.ts";
import { CHAIN_ID, deployments, makeRequest, PRODUCT } from "../../../test/support/http/auth.ts";
import { operate, operateAsProgram } from "../../../test/support/program/command.ts";

let database: TestDatabase;
let pool: pg.Pool;
const directory = mkdtempSync(join(tmpdir(), "partner-trading-cli-"));
const OLD_MASTER = `old:${"0a".repeat(32)}`;
let env: Record<string, string> = {};

beforeAll(async () => {
  database = await createDatabase();
  pool = createTestPool(database.url, { max: 2 });
  const file = join(directory, "deployments.json");
  // In the file's form: the program divides rpcUrls itself.
  const chains = deployments.chains.map(({ wsUrls, rpcUrls, ...chain }) => ({
    ...chain,
    rpcUrls: [...rpcUrls, ...wsUrls],
  }));
  writeFileSync(file, JSON.stringify({ chains }));
  env = {
    PATH: process.env.PATH ?? "",
    DATABASE_URL: database.url,
    DEPLOYMENTS_FILE: file,
    MASTER_KEYS: OLD_MASTER,
  };
});

afterAll(async () => {
  await pool.end();
  await database.drop();
  rmSync(directory, { recursive: true });
});

const run = (args: string[], change: Record<string, string> = {}) => operate(args, { ...env, ...change });

const created = z.object({
  keyId: z.uuid(),
  apiKey: z.string(),
  apiSecret: z.string(),
  dailyNotionalCap: z.string().nullable(),
});
const SCOPE = ["--chain-id", String(CHAIN_ID), "--product", PRODUCT];
const NEW = ["keys", "create", "--name", "Acme", "--access", "WRITABLE"];

async function make(...args: string[]) {
  const { code, out, err } = await run([...NEW, ...SCOPE, "--json", ...args]);
  expect({ code, err: err.replace(/^warning: .*\n/, "") }).toEqual({ code: 0, err: "" });
  return created.parse(JSON.parse(out));
}

async function isAccepted(
  key: Pick<z.output<typeof created>, "apiKey" | "apiSecret">,
  masterKeys = OLD_MASTER,
): Promise<boolean> {
  const keys = parseEnv("cli keys", { ...env, MASTER_KEYS: masterKeys }).MASTER_KEYS;
  const authenticate = createAuthenticator({
    pool,
    masterKeys: keys,
    deployments,
    trustedProxies: { ranges: () => [] },
    timeoutMs: PATIENT.queryTimeoutMs,
    now: Date.now,
  });
  const headers = { "X-Api-Key": key.apiKey };
  return (await authenticate(makeRequest({ timestamp: String(Date.now()), secret: key.apiSecret, headers })))
    .ok;
}

async function auditOf(apiKey: string): Promise<{ action: string; detail: object }[]> {
  const statement = "SELECT action, detail, actor FROM app.audit_entry WHERE subject = $1 ORDER BY audit_id";
  return (await pool.query<{ action: string; detail: object; actor: string }>(statement, [apiKey])).rows;
}

/** Returns everything in the database, as text. */
async function everything(): Promise<string> {
  const tables = ["api_key", "api_key_scope", "api_key_ip", "audit_entry"];
  const read = tables.map((table) => pool.query(`SELECT * FROM app.${table}`));
  return JSON.stringify((await Promise.all(read)).map(({ rows }) => rows));
}

describe("keys create", () => {
  it("makes a key that works, shows its secret once and stores it sealed only", async () => {
    const ips = ["--ip", "127.0.0.1", "10.0.0.0/8", "--ip", "::1"];
    const { code, out, err } = await operateAsProgram([...NEW, ...SCOPE, ...ips], env);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const apiKey = /pk_\w+/.exec(out)?.[0] ?? "";
    const apiSecret = /sk_\w+/.exec(out)?.[0] ?? "";
    expect(out.split(apiSecret)).toHaveLength(2);
    expect(await isAccepted({ apiKey, apiSecret })).toBe(true);
    const stored = await everything();
    expect(stored).toContain(apiKey);
    for (const form of [
      apiSecret,
      Buffer.from(apiSecret).toString("hex"),
      Buffer.from(apiSecret).toString("base64"),
    ]) {
      expect(stored).not.toContain(form);
    }
    const listed = await run(["keys", "list"]);
    expect(listed.out).toContain(apiKey);
    expect(listed.out + (await run(["keys", "list", "--json"])).out).not.toContain(apiSecret);
  });

  it("gives one scope unless told otherwise", async () => {
    const scopesOf = async (apiKey: string) => {
      const listed = z.array(
        z.object({
          apiKey: z.string(),
          scopes: z.array(z.object({ chainId: z.number(), productType: z.string() })),
        }),
      );
      const keys = listed.parse(JSON.parse((await run(["keys", "list", "--json"])).out));
      return keys.find((key) => key.apiKey === apiKey)?.scopes;
    };
    const first = { chainId: CHAIN_ID, productType: PRODUCT };
    expect(await scopesOf((await make()).apiKey)).toEqual([first]);
    const second = ["--scope", `31338:${PRODUCT}`, "--scope", `${CHAIN_ID}:sandbox`];
    expect(await scopesOf((await make(...second)).apiKey)).toEqual(
      expect.arrayContaining([
        first,
        { chainId: 31338, productType: PRODUCT },
        { chainId: CHAIN_ID, productType: "sandbox" },
      ]),
    );
  });

  const capOf = async (keyId: string) => {
    const { rows } = await pool.query<{ cap: string | null }>(
      "SELECT daily_notional_cap::text AS cap FROM app.key_policy WHERE key_id = $1",
      [keyId],
    );
    return rows[0]?.cap ?? null;
  };
  const DEFAULT_CAP = `100000${"0".repeat(18)}`;

  it("caps what a WRITABLE key may send a day, says so, and writes it to the audit log", async () => {
    const { out } = await run([...NEW, ...SCOPE, "--ip", "127.0.0.1"]);
    expect(out).toMatch(/^daily cap {2}100000 mUSD of orders a UTC day$/m);
    const key = await make("--ip", "127.0.0.1");
    expect(key.dailyNotionalCap).toBe("100000");
    expect(await capOf(key.keyId)).toBe(DEFAULT_CAP);
    expect((await auditOf(key.apiKey))[0]?.detail).toMatchObject({ dailyNotionalCap: DEFAULT_CAP });
  });

  it("takes another cap, or none where that is said", async () => {
    const other = await make("--daily-notional", "250.5");
    expect([other.dailyNotionalCap, await capOf(other.keyId)]).toEqual(["250.5", `2505${"0".repeat(17)}`]);
    const none = await make("--daily-notional", "none");
    expect([none.dailyNotionalCap, await capOf(none.keyId)]).toEqual([null, null]);
    expect((await auditOf(none.apiKey))[0]?.detail).toMatchObject({ dailyNotionalCap: null });
    const { out } = await run([...NEW, ...SCOPE, "--daily-notional", "none"]);
    expect(out).toMatch(/^daily cap {2}no limit$/m);
  });

  it("gives a READ_ONLY key no cap: it sends nothing", async () => {
    const { out } = await run(["keys", "create", "--name", "r", "--access", "READ_ONLY", ...SCOPE, "--json"]);
    const key = created.parse(JSON.parse(out));
    expect({ printed: key.dailyNotionalCap, stored: await capOf(key.keyId) }).toEqual({
      printed: null,
      stored: null,
    });
  });

  it("warns of an empty whitelist, which refuses every request", async () => {
    const { code, out, err } = await run([...NEW, ...SCOPE, "--json"]);
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(/^warning: the IP whitelist is empty/),
    });
    expect(await isAccepted(created.parse(JSON.parse(out)))).toBe(false);
  });

  it("writes what it did, and no secret, to the audit log", async () => {
    const user = `0x${"AB".repeat(20)}`;
    const key = await make("--ip", "127.0.0.1", "--user-address", user, "--expires", "2099-01-31T00:00:00Z");
    const [entry, ...more] = await auditOf(key.apiKey);
    expect(more).toEqual([]);
    expect(entry).toMatchObject({
      action: "key.create",
      detail: {
        name: "Acme",
        access: "WRITABLE",
        scopes: [{ chainId: CHAIN_ID, productType: PRODUCT }],
        ips: ["127.0.0.1"],
        userAddress: user.toLowerCase(),
        expiresAt: "2099-01-31T00:00:00.000Z",
      },
    });
    expect(JSON.stringify(entry)).not.toContain(key.apiSecret);
  });

  // The refusals of createKey itself are tested beside it.
  it.each([
    ["a scope that nobody serves", [...NEW, "--scope", "1:Stocks"], 1, "no deployment serves 1:Stocks"],
    ["a chain without a product", [...NEW, "--chain-id", "31337"], 2, "--chain-id and --product together"],
    ["an octal address", [...NEW, ...SCOPE, "--ip", "0177.0.0.1"], 2, "0177.0.0.1 is neither"],
    ["a cap of words", [...NEW, ...SCOPE, "--daily-notional", "much"], 2, "an amount of mUSD, or none"],
    [
      "a cap of a key that sends nothing",
      ["keys", "create", "--name", "r", "--access", "READ_ONLY", ...SCOPE, "--daily-notional", "5"],
      2,
      "a READ_ONLY key sends nothing",
    ],
    ["a time of words", [...NEW, ...SCOPE, "--expires", "tomorrow"], 2, "a time is written like"],
    [
      "an access of its own",
      ["keys", "create", "--name", "x", "--access", "ADMIN"],
      2,
      "READ_ONLY, WRITABLE",
    ],
    ["no name", ["keys", "create", "--access", "WRITABLE", ...SCOPE], 2, "--name"],
    ["an unknown command", ["keys", "steal"], 2, "unknown command"],
  ])("refuses %s, and makes nothing", async (_what, args, code, message) => {
    const before = await everything();
    const outcome = await run(args);
    expect(outcome).toMatchObject({ code, out: "" });
    expect(outcome.err).toContain(message);
    expect(outcome.err).not.toMatch(/\n\s+at /);
    expect(await everything()).toBe(before);
  });
});

describe("keys revoke", () => {
  it("ends a key at once, once", async () => {
    const key = await make("--ip", "127.0.0.1");
    expect(await isAccepted(key)).toBe(true);
    expect(await run(["keys", "revoke", key.apiKey, "--yes"])).toMatchObject({
      code: 0,
      out: `${key.apiKey} is revoked\n`,
    });
    expect(await isAccepted(key)).toBe(false);
    expect(await run(["keys", "revoke", key.apiKey, "--yes"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("before"),
    });
    expect((await auditOf(key.apiKey)).map(({ action }) => action)).toEqual(["key.create", "key.revoke"]);
  });

  it("says so where there is no such key", async () => {
    expect(await run(["keys", "revoke", "pk_nobody", "--yes"])).toMatchObject({
      code: 1,
      err: "error: there is no key pk_nobody\n",
    });
  });
});

describe("keys update", () => {
  it("changes who may call, all of it or nothing", async () => {
    const key = await make("--ip", "192.0.2.1");
    const all = ["keys", "update", key.apiKey];
    expect((await run([...all, "--add-ip", "127.0.0.1", "--remove-ip", "192.0.2.9"])).code).toBe(1);
    expect(await isAccepted(key)).toBe(false);
    expect(await run([...all, "--add-ip", "127.0.0.1", "--remove-ip", "192.0.2.1"])).toMatchObject({
      code: 0,
      out: `${key.apiKey} may be used from 127.0.0.1, without an end\n`,
    });
    expect(await isAccepted(key)).toBe(true);
    expect((await auditOf(key.apiKey)).map(({ action }) => action)).toEqual(["key.create", "key.ips"]);
    expect((await run(all)).code).toBe(2);
  });

  it("moves a key's end: one that has ended is accepted again", async () => {
    const key = await make("--ip", "127.0.0.1");
    await pool.query("UPDATE app.api_key SET expires_at = now() WHERE api_key = $1", [key.apiKey]);
    expect(await isAccepted(key)).toBe(false);
    const update = (end: string) => run(["keys", "update", key.apiKey, "--expires", end]);
    expect(await update("2001-01-31")).toMatchObject({
      code: 1,
      err: expect.stringContaining("in the past"),
    });
    expect((await update("soon")).code).toBe(2);
    expect(await update("2090-01-31")).toMatchObject({
      code: 0,
      out: `${key.apiKey} may be used from 127.0.0.1, until 2090-01-31T00:00:00.000Z\n`,
    });
    expect(await isAccepted(key)).toBe(true);
    expect((await auditOf(key.apiKey)).map(({ action }) => action)).toEqual(["key.create", "key.expiry"]);
    expect((await update("never")).out).toMatch(/without an end\n$/);
  });
});

describe("keys reseal", () => {
  it("lets the old master key be retired", async () => {
    const key = await make("--ip", "127.0.0.1");
    const both = `new:${"0b".repeat(32)},${OLD_MASTER}`;
    const alone = `new:${"0b".repeat(32)}`;
    expect(await isAccepted(key, alone)).toBe(false);
    // Without the old key nothing can be opened, and nothing is changed.
    expect((await run(["keys", "reseal"], { MASTER_KEYS: alone })).code).toBe(1);
    expect(await isAccepted(key, both)).toBe(true);
    expect(await run(["keys", "reseal"], { MASTER_KEYS: both })).toMatchObject({ code: 0, err: "" });
    expect(await isAccepted(key, alone)).toBe(true);
    expect((await run(["keys", "reseal"], { MASTER_KEYS: both })).out).toBe("0 secrets sealed anew\n");
  });
});

describe("the command", () => {
  it("names every wrong variable of its environment, and shows none of their values", async () => {
    const { code, err } = await run(["keys", "list"], {
      MASTER_KEYS: "canary-value",
      DATABASE_URL: "mysql://canary",
    });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("MASTER_KEYS") });
    expect(err).toContain("DATABASE_URL");
    expect(err).not.toContain("canary");
  });

  it("says so where the database is down, and not its password", async () => {
    const { code, err } = await run(["keys", "list"], {
      DATABASE_URL: "postgresql://u:canary@127.0.0.1:1/d",
    });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("ECONNREFUSED") });
    expect(err).not.toContain("canary");
  });

  it("helps", async () => {
    const { code, out } = await operateAsProgram(["--help"], env, "packages/admin/bin.mjs");
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringContaining("Usage: partner-trading-admin"),
    });
  });

  it.each([
    ["what cannot be done", 1, ["keys", "revoke", "pk_nobody", "--yes"], "error: "],
    ["a wrong command line", 2, ["keys", "mint"], "unknown command 'mint'"],
  ])("says what is wrong on standard error, and in its exit code: %s", async (_, code, args, message) => {
    const outcome = await operateAsProgram(args, env);
    expect(outcome).toMatchObject({ code, out: "", err: expect.stringContaining(message) });
    expect(await run(args)).toEqual(outcome);
  });
});

describe("keys rotate", () => {
  it("shows a new secret once; both work until it is finished", async () => {
    const key = await make("--ip", "127.0.0.1");
    const { code, out, err } = await run(["keys", "rotate", key.apiKey, "--overlap", "90m"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const apiSecret = /sk_\w+/.exec(out)?.[0] ?? "";
    expect(out.split(apiSecret)).toHaveLength(2);
    const until = /previous one works until (\S+)\./.exec(out)?.[1] ?? "";
    expect(Math.abs(Date.parse(until) - Date.now() - 90 * 60_000)).toBeLessThan(60_000);
    expect([await isAccepted(key), await isAccepted({ ...key, apiSecret })]).toEqual([true, true]);
    expect(await everything()).not.toContain(apiSecret);
    expect((await run(["keys", "list"])).out).toMatch(new RegExp(`^${key.apiKey} +active .* ${until} `, "m"));
    const again = await run(["keys", "rotate", key.apiKey]);
    expect(again.code).toBe(1);
    expect(again.err).toContain("is being rotated until");
    expect((await run(["keys", "rotate", key.apiKey, "--finish", "--yes"])).code).toBe(0);
    expect([await isAccepted(key), await isAccepted({ ...key, apiSecret })]).toEqual([false, true]);
  });

  it("replaces a lost secret, and ends a leaked one at once", async () => {
    const key = await make("--ip", "127.0.0.1");
    const rotated = async (...args: string[]) =>
      z
        .object({ apiSecret: z.string(), previousUntil: z.string().nullable() })
        .parse(JSON.parse((await run(["keys", "rotate", key.apiKey, "--json", ...args])).out));
    const lost = await rotated();
    const found = await rotated("--replace", "--yes");
    expect(found.previousUntil).toBe(lost.previousUntil);
    expect((await run(["keys", "rotate", key.apiKey, "--finish", "--yes"])).code).toBe(0);
    const last = await rotated("--overlap", "0", "--yes");
    expect(last.previousUntil).toBeNull();
    const secrets = [key.apiSecret, lost.apiSecret, found.apiSecret, last.apiSecret];
    const accepted = await Promise.all(secrets.map((apiSecret) => isAccepted({ ...key, apiSecret })));
    expect(accepted).toEqual([false, false, false, true]);
  });

  it("refuses times and options that make no sense", async () => {
    const wrong = [
      ["--overlap", "1w"],
      ["--overlap", "-1h"],
      ["--overlap", "91d"],
      ["--finish", "--replace"],
    ];
    for (const args of wrong) {
      const { code, out } = await run(["keys", "rotate", "pk_any", ...args]);
      expect({ code, out }).toEqual({ code: 2, out: "" });
    }
  });
});
