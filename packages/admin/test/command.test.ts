import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { Command } from "commander";
import { VERSION } from "../../../src/config/version.ts";
import { operate } from "../../../test/support/program/command.ts";
import { createProgram } from "../src/run.ts";
import { environmentOf } from "../src/sandbox.ts";

const silent = { write: () => undefined };
const program = createProgram({ env: {}, stdout: silent, stderr: silent });

function leavesOf(command: Command, path: string[] = []): [path: string[], command: Command][] {
  const below = command.commands.flatMap((each) => leavesOf(each, [...path, each.name()]));
  return below.length > 0 ? below : [[path, command]];
}

const leaves = leavesOf(program);
/** Commands that show something; the others report in a line. */
const SHOWS = /^(list|show|status|create|rotate|set|rebuild|reconcile|queue)$/;

describe("every command", () => {
  it.each(leaves.map(([path]) => path.join(" ")))("%s: --help has an example", async (path) => {
    const { code, out, err } = await operate([...path.split(" "), "--help"], {});
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(new RegExp(`Examples:\\n {2}\\$ partner-trading-admin ${path}`));
  });

  it("that shows something can show it as JSON", () => {
    const shows = leaves.filter(([path]) => SHOWS.test(path.at(-1) ?? ""));
    const without = shows.filter(([, { options }]) => !options.some(({ long }) => long === "--json"));
    expect(without.map(([path]) => path.join(" "))).toEqual([]);
    expect(shows.length).toBeGreaterThan(5);
  });
});

it("--version names version and commit", async () => {
  expect(await operate(["--version"], {})).toMatchObject({
    code: 0,
    out: expect.stringMatching(
      new RegExp(`^partner-trading-admin ${VERSION.replaceAll(".", "\\.")} \\(\\S+\\)\n$`),
    ),
  });
});

describe("completion", () => {
  const complete = async (...words: string[]): Promise<string[]> => {
    const { out } = await operate(["completion", "bash"], {});
    const line = ["partner-trading-admin", ...words].map((word) => `'${word}'`).join(" ");
    const script = `${out}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}
      _partner_trading_admin x '${words.at(-1)}'; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const options = { encoding: "utf8", env: { PATH: process.env.PATH } } as const;
    return execFileSync("bash", ["--norc", "-c", script], options).split("\n").filter(Boolean);
  };

  it("completes commands at every depth, and their options", async () => {
    expect(await complete("wal")).toEqual(["wallets"]);
    expect(await complete("keys", "re")).toEqual(["revoke", "reseal"]);
    expect(await complete("keys", "rotate", "pk_1", "--fi")).toEqual(["--finish"]);
    expect(await complete("wallets", "resume", "1", "--he")).toEqual(["--help"]);
    // Names of commands that are arguments of another.
    expect(await complete("keys", "create", "--name", "wallets", "--acc")).toEqual(["--access"]);
  });

  it("is written for zsh and fish too, and for nothing else", async () => {
    expect((await operate(["completion", "zsh"], {})).out).toContain("bashcompinit");
    const fish = (await operate(["completion", "fish"], {})).out.split("\n");
    expect(fish).toContainEqual(expect.stringMatching(/-a keys -d 'API keys of partners'$/));
    expect(fish).toContainEqual(
      expect.stringContaining("from keys; and __fish_seen_subcommand_from rotate' -l overlap"),
    );
    expect(await operate(["completion", "cmd"], {})).toMatchObject({ code: 2, out: "" });
  });
});

describe("a running sandbox", () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "admin-"));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  function makeSandbox(directory: string, databaseUrl = "postgresql://o:secret-of-it@127.0.0.1:5000/app") {
    mkdirSync(directory, { recursive: true });
    const files = {
      "state.json": { databaseUrl },
      "secrets.json": { masterKeys: "m", webhookKeys: "w", attributionKeys: "a" },
    };
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(directory, name), JSON.stringify(content));
    writeFileSync(join(directory, "lock"), "");
    return databaseUrl;
  }

  function find(env: NodeJS.ProcessEnv, cwd = home) {
    let err = "";
    const stderr = { write: (text: string) => (err += text) };
    return { env: environmentOf({ env, cwd, stdout: silent, stderr }), err };
  }

  it("is found here and above, with all that a command needs, and its secrets are not shown", () => {
    const directory = join(home, ".sandbox");
    const DATABASE_URL = makeSandbox(directory);
    mkdirSync(join(home, "a", "b"), { recursive: true });
    for (const cwd of [home, join(home, "a", "b")]) {
      const { env, err } = find({ PATH: "p" }, cwd);
      const DEPLOYMENTS_FILE = join(directory, "deployments.json");
      const keys = { MASTER_KEYS: "m", WEBHOOK_KEYS: "w", ATTRIBUTION_KEYS: "a" };
      expect(env).toEqual({ PATH: "p", DATABASE_URL, DEPLOYMENTS_FILE, ...keys });
      expect(err).toBe(`DATABASE_URL is not set: this uses the sandbox in ${directory}.\n`);
    }
  });

  it("is found by SANDBOX_DIR, and never where DATABASE_URL is set", () => {
    const other = join(home, "other");
    makeSandbox(other);
    expect(find({ SANDBOX_DIR: other }, tmpdir()).err).toContain(other);
    const env = { DATABASE_URL: "postgresql://elsewhere/app", SANDBOX_DIR: other };
    expect(find(env)).toEqual({ env, err: "" });
  });

  it("is refused where it does not run, or names a database elsewhere", () => {
    const directory = join(home, ".sandbox");
    makeSandbox(directory, "postgresql://o:p@db.example.com/app");
    expect(() => find({})).toThrow("is not on this machine");
    makeSandbox(directory);
    rmSync(join(directory, "lock"));
    expect(() => find({})).toThrow("start it with `npm start`");
    expect(() => find({ SANDBOX_DIR: join(home, "nowhere") })).toThrow("is not running");
  });
});
