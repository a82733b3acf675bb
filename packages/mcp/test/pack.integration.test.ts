import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ROOT } from "../../../src/config/root.ts";
import { blocksOf } from "../../../test/support/program/markdown.ts";

/** The package as a partner gets it: packed, installed into an empty project without a network, and started as its README says. */
const README = "packages/mcp/README.md";
const run = promisify(execFile);
const project = mkdtempSync(join(tmpdir(), "mcp-package-"));
const installed = join(project, "node_modules/partner-trading-mcp");
let tarball: string;

beforeAll(async () => {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", project], {
    cwd: join(ROOT, "packages/mcp"),
  });
  // Its build prints before that.
  tarball = JSON.parse(stdout.slice(stdout.indexOf("[")))[0].filename;
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true }));
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], { cwd: project });
});
afterAll(() => rmSync(project, { recursive: true }));

it("has the name under which its README installs it, and everything that it needs", () => {
  const [install = ""] = blocksOf(README, "sh");
  expect(install.trim().split("/").at(-1)).toBe(tarball);
  expect(readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith("."))).toEqual([
    "partner-trading-mcp",
  ]);
  expect(readdirSync(installed).sort()).toEqual([
    "LICENSE",
    "README.md",
    "bin.mjs",
    "dist",
    "index.mjs",
    "package.json",
  ]);
  const bytes = statSync(join(installed, "dist/index.js")).size;
  expect({ isSmall: bytes < 1_000_000, bytes }).toMatchObject({ isSmall: true });
  // No web server of the SDK is in it.
  expect(readFileSync(join(installed, "dist/index.js"), "utf8")).not.toContain("x-powered-by");
});

it("starts as its README says", async () => {
  const [json = ""] = blocksOf(README, "json");
  const { command, args, env } = JSON.parse(json).mcpServers["partner-trading"];
  const transport = new StdioClientTransport({
    command,
    args,
    env: { ...env, PATH: process.env.PATH, HOME: project },
    cwd: project,
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const { tools } = await client.listTools();
  await client.close();
  expect(tools.map(({ name }) => name)).toContain("symbols");
  expect(client.getServerVersion()?.name).toBe("partner-trading-mcp");
});
