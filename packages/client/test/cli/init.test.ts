import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { environmentOf, partnerCommand } from "../../../../test/support/program/partner-command.ts";

const KEY = { apiKey: "pk_test", apiSecret: "sk_test_5f1d9c0b7e2a", chainId: 1, productType: "Stocks" };
const env = environmentOf("https://api.example.com", KEY);
let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "partner-trading-init-"));
});
afterEach(() => rmSync(cwd, { recursive: true }));
const read = (name: string) => readFileSync(join(cwd, "My Desk", name), "utf8");

it("writes a project with the credentials, for their owner alone, and out of git", async () => {
  const { code, out } = await partnerCommand(["init", "My Desk"], { env, cwd });
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringContaining("cd My Desk\n  npm install\n  npm start\n"),
  });
  expect(out).not.toContain(KEY.apiSecret);
  expect(JSON.parse(read("package.json"))).toMatchObject({
    name: "my-desk",
    dependencies: { "partner-trading": expect.stringMatching(/^file:.*packages\/client$/) },
  });
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`);
  expect(read(".env")).toBe(lines.join(""));
  expect(statSync(join(cwd, "My Desk/.env")).mode & 0o777).toBe(0o600);
  expect(read(".gitignore").split("\n")).toContain(".env");
});

it("writes nothing over anything", async () => {
  writeFileSync(join(cwd, "notes.txt"), "mine");
  const { code, err } = await partnerCommand(["init", "."], { env, cwd });
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining("is not empty: nothing was written"),
  });
  expect(readdirSync(cwd)).toEqual(["notes.txt"]);
});

it("leaves the credentials to be filled in where there are none, and the command then looks on", async () => {
  const { code, out, err } = await partnerCommand(["init", "My Desk"], { cwd });
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("There are no credentials") });
  expect(out).toContain("  fill in .env\n");
  expect(read(".env")).toContain("PARTNER_TRADING_API_SECRET=\n");
  const next = await partnerCommand(["call", "GET", "/key"], { cwd: join(cwd, "My Desk") });
  expect(next.err).toContain("There are no credentials");
});
