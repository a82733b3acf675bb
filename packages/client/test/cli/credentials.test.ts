import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { z } from "zod";
import { environmentOf, partnerCommand } from "../../../../test/support/program/partner-command.ts";

const root = mkdtempSync(join(tmpdir(), "partner-trading-credentials-"));
const SECRET = "sk_never_shown_0123456789";
const KEY = { apiKey: "pk_own", apiSecret: SECRET, chainId: 7, productType: "Stocks" };
const env = environmentOf("https://api.example.com", KEY);
let server: Server;
let baseUrl: string;
let cwd: string;

beforeAll(async () => {
  server = createServer((_request, response) => void response.end("ok"));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${z.object({ port: z.number() }).parse(server.address()).port}`;
});
afterAll(() => {
  server.close();
  rmSync(root, { recursive: true });
});
beforeEach(() => {
  cwd = mkdtempSync(join(root, "cwd-"));
});

const SANDBOX_KEYS = [
  { name: "reader-31337", access: "READ_ONLY", chainId: 31337, userAddress: null },
  { name: "trader-31337", access: "WRITABLE", chainId: 31337, userAddress: "0x1" },
  { name: "trader-31338", access: "WRITABLE", chainId: 31338, userAddress: null },
].map((key) => ({ ...key, apiKey: `pk_${key.name}`, apiSecret: SECRET, productType: "Sandbox" }));

function writeState(directory: string, state: object = { baseUrl, keys: SANDBOX_KEYS }): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "state.json"), JSON.stringify(state));
}
const sign = (args: string[], more: Record<string, string> = {}, at = cwd) =>
  partnerCommand(["sign", "GET", "/key", ...args], { env: more, cwd: at });

it("takes the environment, and options before it", async () => {
  const { code, out, err } = await sign(["--chain-id", "8"], env);
  expect({ code, err }).toEqual({
    code: 0,
    err: "Using options and environment: https://api.example.com, key pk_own, chain 8, product Stocks\n",
  });
  expect(out).toContain("x-api-key: pk_own");
  expect(out).toContain("x-api-chain-id: 8");
});

it("takes the secret from a file, without the newline that editors add", async () => {
  const { PARTNER_TRADING_API_SECRET: _secret, ...rest } = env;
  writeFileSync(join(cwd, "secret"), `${SECRET}\n`);
  expect(await sign(["--secret-file", "secret"], rest)).toMatchObject({
    code: 0,
    out: expect.stringContaining("x-api-key: pk_own"),
  });
  writeFileSync(join(cwd, "secret"), `${SECRET} \n`);
  const { code, err } = await sign(["--secret-file", "secret"], rest);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("begins or ends with whitespace") });
  expect(err).not.toContain(SECRET);
});

it("has no option for the secret, and its error does not repeat it", async () => {
  const { code, err } = await sign(["--api-secret", SECRET], env);
  expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("unknown option") });
  expect(err).not.toContain(SECRET);
});

it("names every part that is missing", async () => {
  const { code, err } = await sign([], { PARTNER_TRADING_API_KEY: "pk_own", PARTNER_TRADING_CHAIN_ID: "7" });
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining("PARTNER_TRADING_BASE_URL (or --base-url)"),
  });
  expect(err).toContain("PARTNER_TRADING_API_SECRET (or --secret-file)");
  expect(err).toContain("PARTNER_TRADING_PRODUCT (or --product)");
  expect(err).not.toContain("PARTNER_TRADING_CHAIN_ID");
});

it("takes .env as a whole: it redirects no key of the environment", async () => {
  const lines = Object.entries(environmentOf("https://elsewhere.example.com", { ...KEY, apiKey: "pk_file" }));
  writeFileSync(join(cwd, ".env"), lines.map(([name, value]) => `${name}=${value}\n`).join(""));
  expect((await sign([])).err).toContain("Using .env: https://elsewhere.example.com, key pk_file");
  const { PARTNER_TRADING_BASE_URL: _url, ...rest } = env;
  expect((await sign([], rest)).err).toContain("PARTNER_TRADING_BASE_URL (or --base-url)");
});

it("finds a running sandbox above the current directory, and the key that can do most", async () => {
  writeState(join(cwd, ".sandbox"));
  const below = join(cwd, "a/b");
  mkdirSync(below, { recursive: true });
  const { code, err } = await sign([], {}, below);
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("key trader-31337 (chain 31337") });
  expect((await sign(["--key", "reader-31337"])).out).toContain("x-api-key: pk_reader-31337");
  expect((await sign(["--chain-id", "31338"])).out).toContain("x-api-key: pk_trader-31338");
  expect((await sign(["--key", "nobody"])).err).toContain(
    "Its keys are reader-31337, trader-31337, trader-31338",
  );
});

it("finds the sandbox of SANDBOX_DIR, and says when it does not run", async () => {
  const directory = join(cwd, "elsewhere");
  writeState(directory);
  expect((await sign([], { SANDBOX_DIR: directory })).code).toBe(0);
  writeState(directory, { baseUrl: "http://127.0.0.1:9", keys: SANDBOX_KEYS });
  const { code, err } = await sign([], { SANDBOX_DIR: directory });
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining("is not running: start it with `npm start`"),
  });
});

it("takes a sandbox that is slow to answer for one that runs", async () => {
  const slow = createServer(() => undefined);
  await new Promise<void>((resolve) => void slow.listen(0, "127.0.0.1", resolve));
  try {
    const { port } = z.object({ port: z.number() }).parse(slow.address());
    writeState(join(cwd, ".sandbox"), { baseUrl: `http://127.0.0.1:${port}`, keys: SANDBOX_KEYS });
    expect(await sign([])).toMatchObject({ code: 0, err: expect.stringContaining("key trader-31337") });
  } finally {
    slow.closeAllConnections();
    slow.close();
  }
});

it.each([
  ["of another machine", { baseUrl: "http://203.0.113.7", keys: SANDBOX_KEYS }],
  ["without keys", { baseUrl: "http://127.0.0.1:9" }],
])("refuses a state.json %s", async (_what, state) => {
  writeState(join(cwd, ".sandbox"), state);
  const { code, err } = await sign([]);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("is not of a sandbox") });
});

it("says what to do where there are no credentials at all", async () => {
  const { code, err } = await sign([]);
  expect(code).toBe(1);
  expect(err).toMatch(
    /There are no credentials: set PARTNER_TRADING_BASE_URL.*or start a sandbox with `npm start`/,
  );
});
