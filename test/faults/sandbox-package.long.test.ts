import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { z } from "zod";
import { PartnerTrading } from "../../packages/client/src/index.ts";
import { pack } from "../../packages/sandbox/pack.mjs";
import { ROOT } from "../../src/config/root.ts";
import { until } from "../support/assert/until.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { blocksOf } from "../support/program/markdown.ts";
import { processesOf } from "../support/sandbox/sandbox.ts";

/**
 * The sandbox as a partner installs it: from the packed files, outside the checkout. The packages that npm would fetch are links to those
 * of the checkout.
 */
const project = mkdtempSync(join(tmpdir(), "sandbox-package-"));
/** Newest that runs on Node.js 20. */
const VITEST = "3.2.4";
const modules = join(project, "node_modules");
const installed = join(modules, "partner-trading-sandbox");

/** Starts a sandbox, prints what a test gets, and waits. */
const SCRIPT = `
import { startSandbox } from "partner-trading-sandbox";
const exchange = await startSandbox({ env: { SANDBOX_ORDER_DELAY_MS: "100" } });
const users = await Promise.all([exchange.user(), exchange.user(), exchange.user({ chainId: 31338 })]);
const { url, controlUrl, keys, chains } = exchange;
console.log(JSON.stringify({ url, controlUrl, keys: keys.map(({ name }) => name), chains: chains.length, users }));
if (process.argv[2] === "stop") await exchange.stop();
else setInterval(() => {}, 60_000);
`;
const userSchema = z.strictObject({
  address: z.string(),
  privateKey: z.string(),
  baseUrl: z.url(),
  apiKey: z.string(),
  apiSecret: z.string(),
  chainId: z.int(),
  productType: z.string(),
});
const printedSchema = z.strictObject({
  url: z.url(),
  controlUrl: z.url(),
  keys: z.array(z.string()),
  chains: z.literal(2),
  users: z.tuple([userSchema, userSchema, userSchema]),
});

interface Test {
  child: ChildProcess;
  output(): string;
}
const tests: Test[] = [];

/** Runs the script, as a test runner would. */
function runScript(args: string[] = [], env: Record<string, string> = {}): Test {
  const child = spawn(process.execPath, ["test.mjs", ...args], {
    cwd: project,
    env: { ...process.env, NODE_OPTIONS: "", TMPDIR: project, ...env },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => (output += String(text)));
  const test = { child, output: () => output };
  tests.push(test);
  return test;
}

async function untilPrinted({ child, output }: Test) {
  await until(
    "the test has its sandbox",
    () => (/^\{.*\}$/m.test(output()) || child.exitCode !== null ? output() : undefined),
    180_000,
  );
  const [line = output()] = /^\{.*\}$/m.exec(output()) ?? [];
  return printedSchema.parse(JSON.parse(line));
}

const COPIED = /^COPY --from=build \/app\/node_modules\/(\S+) node_modules\/\1$/gm;
const manifestSchema = z.looseObject({
  dependencies: z.record(z.string(), z.string()),
  optionalDependencies: z.record(z.string(), z.string()),
});

const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));

function unpack(tarball: string, directory: string): void {
  mkdirSync(directory, { recursive: true });
  execFileSync("tar", ["xzf", tarball, "-C", directory, "--strip-components=1"]);
}

/** Test that has started the sandbox of the others. */
let first: Test;
let printed: z.output<typeof printedSchema>;

beforeAll(async () => {
  // Entered by the database's user, where this runs as root.
  chmodSync(project, 0o755);
  const tarball = await pack(join(project, "pack"));
  expect(blocksOf("docs/SANDBOX.md", "text")[0]).toContain(`/${basename(tarball)}\n`);
  unpack(tarball, installed);
  const { dependencies, optionalDependencies } = manifestSchema.parse(
    JSON.parse(readFileSync(join(installed, "package.json"), "utf8")),
  );
  const fetched = Object.keys({ ...dependencies, ...optionalDependencies }).filter(
    (name) => name !== "ponder" && existsSync(join(ROOT, "node_modules", name)),
  );
  // deploy/sandbox.Dockerfile copies them, instead of fetching them.
  const copied = readFileSync(join(ROOT, "deploy/sandbox.Dockerfile"), "utf8").matchAll(COPIED);
  const inImage = [...copied].map(([, name = ""]) => name);
  expect(inImage).toHaveLength(4);
  expect(fetched.map((name) => inImage.find((copy) => `${name}/`.startsWith(`${copy}/`)))).toEqual(
    expect.arrayContaining(inImage),
  );
  expect(fetched).toHaveLength(4);
  for (const name of fetched) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
  // The build has packed it.
  unpack(join(ROOT, "dist/clients", `partner-trading-${version}.tgz`), join(modules, "partner-trading"));
  writeFileSync(join(project, "test.mjs"), SCRIPT);
  first = runScript();
  printed = await untilPrinted(first);
});
afterAll(async () => {
  for (const { child } of tests) child.kill("SIGKILL");
  await until("all of it has ended", () => (directories().length === 0 ? true : undefined), 60_000);
  rmSync(project, { recursive: true, force: true });
});

/** Returns the directories of temporary sandboxes, which remove them at their end. */
const directories = () => readdirSync(project).filter((name) => name.startsWith("partner-trading-"));

async function buy(trading: PartnerTrading): Promise<string> {
  const deadline = Math.floor(Date.now() / 1000) + 600;
  const order = { symbol: "AAPL", side: "Buy", type: "Market", notional: "100", deadline } as const;
  const { orderId } = await trading.orders.waitFor(await trading.orders.send(order), ["Filled"], {
    timeoutMs: 60_000,
  });
  return orderId ?? "";
}

const ordersOf = async (trading: PartnerTrading) =>
  (await trading.orders.list({ limit: 10 })).rows.map(({ orderId }) => orderId);

it("serves tests at the same time, each with a user of its own", async () => {
  expect(printed.keys).toEqual(["reader-31337", "trader-31337", "reader-31338", "trader-31338"]);
  const clients = printed.users.map((user) => new PartnerTrading(user));
  const bought = await Promise.all(clients.map(buy));
  expect(new Set(bought).size).toBe(3);
  expect(await Promise.all(clients.map(ordersOf))).toEqual(bought.map((orderId) => [orderId]));
});

it("is shared by name: another test's stop() leaves it alone", async () => {
  const second = runScript(["stop"], { PARTNER_TRADING_SANDBOX: printed.controlUrl });
  expect((await untilPrinted(second)).url).toBe(printed.url);
  await until("the second test has ended", () => (second.child.exitCode === null ? undefined : true));
  expect(second.child.exitCode).toBe(0);
  expect((await fetch(`${printed.url}/livez`)).status).toBe(200);
});

/** Runs the tests of examples/tests against the sandbox; returns what the runner printed. */
async function runExample(name: string, command: string, args: string[], env: Record<string, string> = {}) {
  const folder = join(project, name);
  cpSync(join(ROOT, "examples/tests", name), folder, { recursive: true });
  const { stdout, stderr } = await promisify(execFile)(command, args, {
    cwd: folder,
    env: { ...process.env, NODE_OPTIONS: "", PARTNER_TRADING_SANDBOX: printed.controlUrl, ...env },
  });
  return stdout + stderr;
}

it("runs the code of docs/SANDBOX.md", async () => {
  writeFileSync(join(project, "sample.mjs"), blocksOf("docs/SANDBOX.md", "ts").join("\n"));
  const env = { ...process.env, NODE_OPTIONS: "", PARTNER_TRADING_SANDBOX: printed.controlUrl };
  await promisify(execFile)(process.execPath, ["sample.mjs"], { cwd: project, env });
  const { price } = await (await fetch(`${printed.controlUrl}/feed/quotes/AAPL`)).json();
  expect(price).toBe("180.5");
});

it("serves the example for Jest", async () => {
  const jest = join(ROOT, "node_modules/jest/bin/jest.js");
  const output = await runExample("jest", process.execPath, ["--experimental-vm-modules", jest]);
  expect(output).toMatch(/Tests: +2 passed, 2 total/);
});

describeWhere("vitest", "the example for Vitest", () => {
  it("is served", async () => {
    const folder = join(project, "vitest");
    mkdirSync(folder);
    // Without a prefix, npm installs into the packages of the folder above, and removes those that are links.
    const install = [
      "install",
      "--prefix",
      folder,
      "--no-save",
      "--no-audit",
      "--no-fund",
      `vitest@${VITEST}`,
    ];
    await promisify(execFile)("npm", install, { cwd: folder });
    const vitest = join(folder, "node_modules/vitest/vitest.mjs");
    expect(await runExample("vitest", process.execPath, [vitest, "run"])).toMatch(/Tests +2 passed/);
  });
});

describeWhere("pytest", "the example for pytest", () => {
  it("is served", async () => {
    const python = [join(installed, "python"), join(ROOT, "packages/client/python")].join(delimiter);
    const env = { PYTHONPATH: python, PYTHONDONTWRITEBYTECODE: "1" };
    expect(await runExample("pytest", "pytest", ["-q", "-p", "no:cacheprovider"], env)).toContain("2 passed");
  });
});

it("row 100: ends with the test that started it, killed or not, and removes its files", async () => {
  const [directory = ""] = directories();
  const processes = () => processesOf(join(project, directory));
  expect(processes().length).toBeGreaterThan(5);
  first.child.kill("SIGKILL");
  await until("its processes have ended", () => (processes().length === 0 ? true : undefined), 60_000);
  expect(directories()).toEqual([]);
  await expect(fetch(`${printed.url}/livez`)).rejects.toThrow();
});
