import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { build } from "esbuild";
import { ROOT } from "../../src/config/root.ts";
import { canary } from "../support/assert/logs.ts";
import { present, until } from "../support/assert/until.ts";
import { createPartner } from "../support/http/partner.ts";
import { environmentOf, partnerCommand } from "../support/program/partner-command.ts";
import { makeSandboxKey, sandboxDirectory } from "../support/sandbox/sandbox-keys.ts";
import { readSandboxState } from "../support/sandbox/sandbox-state.ts";
import { type Receiver, startReceiver, verify } from "../webhooks/receiver.ts";

/** The partners' command as a partner uses it beside a running sandbox. */
const state = readSandboxState();
const chain = present(state.chains[0], "a chain");
const env = { SANDBOX_DIR: sandboxDirectory() };
const run = (...args: string[]) => partnerCommand(args, { env });
const cwd = mkdtempSync(join(tmpdir(), "partner-trading-command-"));
let receiver: Receiver;
let project: ChildProcess | undefined;

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(async () => {
  project?.kill("SIGKILL");
  await receiver.close();
  rmSync(cwd, { recursive: true });
});

it("calls an endpoint of the sandbox that it finds", async () => {
  const { code, out, err } = await run("call", "GET", "/orders", "status=Filled", "limit=2");
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("Using the sandbox in") });
  expect(JSON.parse(out)).toMatchObject({ rows: expect.any(Array) });
  const whole = await run("call", "GET", "/symbols", "--json", "--include");
  expect(whole.out).toMatch(/^HTTP 200 OK\n[\s\S]*x-indexed-block: \d+\n[\s\S]*\n\{"code":200,/);
});

it("prints a statement as the file that it is", async () => {
  const { userAddress } = JSON.parse((await run("call", "GET", "/key")).out);
  const { out } = await run("call", "GET", `/users/${userAddress}/statement`, "format=csv", "limit=1000");
  const [names, opening] = out.split(/\r?\n/);
  expect({ names, opening }).toEqual({
    names: expect.stringMatching(/^timestamp,kind,asset,/),
    opening: expect.stringMatching(/^\d+,opening,mUSD,/),
  });
  expect(out).toMatch(/\n\d+,closing,\w+,0x\w+,,\d[^\n]*\n$/);
});

it("says what is wrong with a call, and ends with 1", async () => {
  const unknown = await run("call", "GET", "/orders/0x12");
  expect(unknown).toMatchObject({ code: 1, out: "" });
  expect(unknown.err).toMatch(
    /VALIDATION_FAILED \(HTTP 400\): .*\n {2}param +orderId\n {2}uuid +[0-9a-f-]{36}\n/,
  );
  const refused = await run("call", "POST", "/orders/tx", "txHash=0x11", "--key", `reader-${chain.chainId}`);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("method not allowed") });
});

it("signs headers that the server takes, and asks it for its time", async () => {
  const { out } = await run("sign", "GET", "/orders", "status=Partial filled", "limit=5");
  const headers = Object.fromEntries(
    out
      .trim()
      .split("\n")
      .map((line) => line.split(": ") as [string, string]),
  );
  const response = await fetch(`${state.baseUrl}/api/v1/orders?limit=5&status=Partial%20filled`, { headers });
  expect(await response.json()).toMatchObject({ code: 200 });
  const { code, out: explained } = await run("sign", "GET", "/orders", "--explain");
  const clock = /clock: \d+\.\d s (ahead of|behind) the server, near enough/;
  expect({ code, explained }).toEqual({ code: 0, explained: expect.stringMatching(clock) });
});

it("forwards events as webhooks are, in order, until Ctrl-C", async () => {
  const key = await makeSandboxKey(chain);
  const partner = createPartner(state.baseUrl, key);
  receiver.answer = (_request, response) =>
    response.writeHead(receiver.received.length === 1 ? 500 : 204).end();
  const interrupted = new AbortController();
  let printed = "";
  const listening = partnerCommand(["listen", "--types", "order.*", "--forward", receiver.url], {
    env: environmentOf(state.baseUrl, key),
    interrupted: interrupted.signal,
    onOutput: (text) => {
      printed = text;
    },
  });
  const secret = await until("it listens", () => /whsec_\S+/.exec(printed)?.[0]);
  canary("webhook secret", secret);
  for (let count = 0; count < 2; count += 1) {
    const txHash = `0x${randomBytes(32).toString("hex")}`;
    await partner.must(partner.post("/orders/tx", { txHash }));
  }
  await until("both are forwarded", () => receiver.received.length >= 3 || undefined);
  await until("it has read the last answer", () => printed.match(/-> 204/g)?.length === 2 || undefined);
  interrupted.abort();
  const { code, out, err } = await listening;
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("To go on from here") });
  expect({ sequences: receiver.received.map((request) => verify(secret, request).sequence) }).toEqual({
    sequences: [1, 1, 2],
  });
  expect(out.match(/order\.mapped/g)).toHaveLength(2);
  expect(err).toMatch(
    /-> 500[\s\S]*-> 204[\s\S]*-> 204[\s\S]*To go on from here: partner-trading listen --after \S+\n$/,
  );
  expect(out + err).not.toContain(key.apiSecret);
});

it("prints prices as they change, until Ctrl-C", async () => {
  const interrupted = new AbortController();
  let printed = "";
  const following = partnerCommand(["prices", "AAPL", "msft"], {
    env: environmentOf(state.baseUrl, await makeSandboxKey(chain)),
    interrupted: interrupted.signal,
    onOutput: (text) => {
      printed = text;
    },
  });
  await until("both stocks", () => /AAPL/.test(printed) && /MSFT/.test(printed));
  interrupted.abort();
  const { code, out, err } = await following;
  expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("The market is ") });
  expect(out.split("\n")[0]).toMatch(/^\d\d:\d\d:\d\d {2}(AAPL|MSFT) {3}( +\d+\.?\d*){3}$/);
});

it("ends with what the server says where it may not listen", async () => {
  const { code, err } = await run("listen", "--types", "nonsense");
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("types") });
});

describe("docs/cli.md", () => {
  const text = readFileSync(join(ROOT, "docs/cli.md"), "utf8");
  const examples = [...text.matchAll(/```console\n\$ partner-trading (.*)\n([\s\S]*?)```/g)];
  /** Replaces the parts that differ from run to run. */
  const stable = (output: string) =>
    output.replaceAll(/\b0x[0-9a-f]{6,}|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32,}|\d+/g, "#");

  it("has examples", () => expect(examples.length).toBeGreaterThanOrEqual(4));

  it.each(examples.map(([, command = "", output = ""]) => [command, output]))(
    "shows what the command prints: %s",
    async (command, output) => {
      const words = [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word);
      const { out, err } = await run(...words);
      const printed = err.replace(/^Using .*\n/, "") + out;
      for (const part of output.split("…\n")) expect(stable(printed)).toContain(stable(part));
    },
  );
});

it("writes a project that runs", async () => {
  expect(await partnerCommand(["init", "desk"], { env, cwd })).toMatchObject({ code: 0 });
  const directory = join(cwd, "desk");
  const client = join(directory, "node_modules/partner-trading");
  mkdirSync(client, { recursive: true });
  writeFileSync(join(client, "package.json"), '{"type": "module", "exports": "./index.js"}');
  // Resolves the package like an installed one; packages/client/test/pack.integration.test.ts installs the packed file.
  const entryPoints = [join(ROOT, "packages/client/src/index.ts")];
  await build({ entryPoints, bundle: true, format: "esm", outfile: join(client, "index.js") });
  const { scripts } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  const [node, ...args] = scripts.start.split(" ");
  expect(node).toBe("node");
  let printed = "";
  project = spawn(process.execPath, args, { cwd: directory, env: {} });
  for (const stream of [project.stdout, project.stderr])
    stream?.on("data", (chunk) => (printed += String(chunk)));
  const exited = new Promise((resolve) => project?.once("exit", resolve));
  await until("it follows events", () => printed.includes("Events, until Ctrl-C:") || undefined);
  project.kill("SIGINT");
  expect({ exitCode: await exited, printed }).toMatchObject({
    exitCode: 0,
    printed: expect.stringContaining("AAPL"),
  });
  expect(printed).toMatch(
    /^AAPL +\d+(\.\d+)? +Apple Inc\.\n[\s\S]*To buy \w+ for 100, the wallet sends to 0x[0-9a-fA-F]{40}:\n0x/,
  );
});
