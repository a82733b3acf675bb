import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { allowedMs, timed } from "../support/assert/running-time.ts";
import { until } from "../support/assert/until.ts";
import { makeEnv, type TestEnv } from "../support/http/api.ts";

/**
 * docs/faults.md, row 72: each program with one thing broken that it needs for its start. It has to exit with code 1 within 5 s,
 * print why in one message without a stack, and leave no process behind. What opened connections before it failed must not keep
 * it.
 */
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

let env: TestEnv;
let directory: string;
/** Accepts connections and never answers. */
let silent: Server;

beforeAll(async () => {
  env = makeEnv("postgresql://x:y@127.0.0.1:1/x", "http://127.0.0.1:1");
  directory = mkdtempSync(join(tmpdir(), "partner-failed-start-"));
  silent = createServer((socket) => socket.on("error", () => undefined).resume());
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
});

afterAll(async () => {
  await env.dispose();
  rmSync(directory, { recursive: true, force: true });
  await new Promise((resolve) => silent.close(resolve));
});

const takenPort = () => `${(silent.address() as AddressInfo).port}`;
const silentDatabase = () => `postgresql://x:y@127.0.0.1:${takenPort()}/x`;

/** Writes a file of the test. @returns its path */
function write(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

/** Copies the programs without one file. @returns the directory of the copy */
function without(file: string): string {
  const root = mkdtempSync(join(directory, "copy-"));
  for (const name of ["dist", "packages", "src", "prisma", "schema"])
    cpSync(join(ROOT, name), join(root, name), { recursive: true });
  for (const name of [
    "CHANGELOG.md",
    "docs",
    "examples",
    "indexer",
    "node_modules",
    "package.json",
    "tsconfig.json",
  ])
    symlinkSync(join(ROOT, name), join(root, name));
  rmSync(join(root, file), { recursive: true });
  return root;
}

interface Broken {
  program: string;
  what: string;
  script: string;
  vary: () => NodeJS.ProcessEnv;
  root?: () => string;
  reason: RegExp;
}

const api = { program: "api", script: "dist/src/bin/api.js" };
const worker = { program: "worker", script: "dist/src/bin/worker.js" };
const deliverer = { program: "deliverer", script: "dist/src/bin/deliverer.js" };
const indexer = { program: "indexer", script: "dist/src/bin/indexer.js" };
const prober = { program: "prober", script: "dist/src/bin/prober.js" };
const migrate = { program: "migrate", script: "dist/src/bin/migrate.js" };
const sandbox = { program: "sandbox", script: "dist/packages/sandbox/src/up.js" };
const malformed = () => ({ DEPLOYMENTS_FILE: write("malformed.json", "{ not json") });

const SILENT = "a database that is silent";

/** Maximum time from start to exit on an idle machine. Three seconds of it are the timeout of a silent database. */
const END_MS_MAX = 5_000;
/** Duration of the quickest failure on this machine, milliseconds: of a program that only reads its environment. */
let restMs: number;
beforeAll(async () => {
  const child = spawn(process.execPath, [api.script], {
    cwd: ROOT,
    env: { ...env.env, PORT: "x" },
    stdio: "ignore",
  });
  const { answer, ms } = await timed(new Promise((resolve) => child.once("close", resolve)));
  expect({ script: api.script, exitCode: answer }).toEqual({ script: api.script, exitCode: 1 });
  restMs = ms;
});

const CASES: Broken[] = [
  { ...api, what: "a malformed deployments file", vary: malformed, reason: /deployments file/ },
  { ...api, what: "a port that is taken", vary: () => ({ PORT: takenPort() }), reason: /EADDRINUSE/ },
  {
    ...api,
    what: "a file of the dashboard page missing",
    vary: () => ({}),
    root: () => without("dist/pages/dashboard/page.css"),
    reason: /ENOENT.*page\.css/,
  },
  {
    ...worker,
    what: "a file of wallet keys missing",
    vary: () => ({ SENDER_KEYS_FILE: "/nowhere/keys" }),
    reason: /cannot read the key file: ENOENT/,
  },
  {
    ...worker,
    what: "keys in a device without its driver",
    vary: () => ({
      SENDER_HSM_DRIVER: "/nowhere/driver.so",
      SENDER_HSM_TOKEN: "wallets",
      SENDER_HSM_KEYS: "first",
      SENDER_HSM_PIN: "1234",
    }),
    // The binding is installed where a machine can compile it.
    reason: /nowhere\/driver\.so|run `npm ci` there/,
  },
  { ...worker, what: "a port that is taken", vary: () => ({ PORT: takenPort() }), reason: /EADDRINUSE/ },
  { ...deliverer, what: "a port that is taken", vary: () => ({ PORT: takenPort() }), reason: /EADDRINUSE/ },
  {
    ...indexer,
    what: "a wrong environment",
    vary: () => ({ PORT: "x" }),
    reason: /environment of indexer.*\n {2}PORT/,
  },
  { ...indexer, what: "a malformed deployments file", vary: malformed, reason: /deployments file/ },
  {
    ...indexer,
    what: "a chain that the deployments file lacks",
    vary: () => ({ INDEXER_CHAINS: "5" }),
    reason: /INDEXER_CHAINS: chain 5/,
  },
  { ...indexer, what: "a port that is taken", vary: () => ({ PORT: takenPort() }), reason: /EADDRINUSE/ },
  { ...indexer, what: "a database that refuses", vary: () => ({}), reason: /ECONNREFUSED/ },
  {
    ...indexer,
    what: SILENT,
    vary: () => ({ DATABASE_URL: silentDatabase() }),
    reason: /timeout/i,
  },
  {
    ...prober,
    what: "a port that is taken",
    vary: () => ({
      PORT: takenPort(),
      PROBE_URL: "http://127.0.0.1:1",
      PROBE_API_KEY: "pk_1",
      PROBE_API_SECRET: "any",
    }),
    reason: /EADDRINUSE/,
  },
  {
    ...migrate,
    what: "a wrong environment",
    vary: () => ({ DATABASE_URL: "x" }),
    reason: /environment of migrate/,
  },
  { ...migrate, what: "a database that refuses", vary: () => ({}), reason: /ECONNREFUSED/ },
  {
    ...migrate,
    what: SILENT,
    vary: () => ({ DATABASE_URL: silentDatabase() }),
    reason: /timeout/i,
  },
  {
    ...sandbox,
    what: "a wrong environment",
    vary: () => ({ PORT: "x" }),
    reason: /environment of the sandbox/,
  },
  {
    ...sandbox,
    what: "a port that is taken",
    vary: () => ({ PORT: takenPort() }),
    reason: /port \d+.*api, is taken/,
  },
  { ...sandbox, what: "a database that refuses", vary: () => ({ PORT: "" }), reason: /ECONNREFUSED/ },
];

/** Starts that wait three seconds for an answer run at once, beside the others. */
const waiting = new Map<Broken, Promise<void>>();
beforeAll(() => {
  for (const one of CASES.filter(({ what }) => what === SILENT)) {
    const failed = failStart(one);
    // Its own test reports it.
    failed.catch(() => undefined);
    waiting.set(one, failed);
  }
});

it.each(CASES)(
  "row 72: $program ends with code 1 in time and says why: $what",
  (one) => waiting.get(one) ?? failStart(one),
);

async function failStart({ script, vary, root, reason }: Broken): Promise<void> {
  const dir = mkdtempSync(join(directory, "sandbox-"));
  const child = spawn(process.execPath, [script], {
    cwd: root?.() ?? ROOT,
    // A group of its own, and standard input open, as under a supervisor.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH, EXIT_WITH_PARENT: "1", SANDBOX_DIR: dir, ...env.env, ...vary() },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)));
  let code: number | null | undefined;
  child.once("close", (exitCode) => (code = exitCode));
  try {
    const ending = until("the program has ended", () => code !== undefined).catch((error: unknown) => {
      throw new Error(`${String(error)}; it printed:\n${output}`);
    });
    const { ms } = await timed(ending);
    const msMax = allowedMs(restMs, END_MS_MAX);
    expect({ code, output, ms, msMax, isInTime: ms < msMax }).toEqual({
      code: 1,
      output: expect.stringMatching(reason),
      ms,
      msMax,
      isInTime: true,
    });
    expect(output).not.toMatch(/\n\s+at .*:\d+:\d+/);
    const left = () => [...groupOf(child.pid ?? 0), ...processesWith(`SANDBOX_DIR=${dir}`)];
    await until("no process is left", () => (left().length === 0 ? true : undefined));
  } finally {
    if (code === undefined) process.kill(-(child.pid ?? 0), "SIGKILL");
  }
}

/** Returns the processes of a group. Linux only. */
function groupOf(group: number): string[] {
  return running(
    (pid) => Number(readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[2]) === group,
  );
}

function processesWith(variable: string): string[] {
  return running((pid) => readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(variable));
}

function running(matches: (pid: number) => boolean): string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && matches(Number(name));
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}
