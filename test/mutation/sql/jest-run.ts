import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Covering } from "./mutant.ts";

/** Environment variables that name the tests' databases. */
export interface DatabaseEnv {
  TEST_DATABASE_ADMIN_URL: string;
  TEST_DATABASE_TEMPLATE: string;
}

export interface JestOutcome {
  status: "passed" | "failed" | "timeout";
  /** Full name of the first test that failed, or of the file that could not run. */
  failedTest: string | null;
  messages: string[];
  passed: number;
}

interface JestReport {
  numPassedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

const OUTPUT = "test-results.json";
const KILL_GRACE_MS = 2_000;
const running = new Set<ChildProcess>();

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    for (const child of running) signalGroup(child, "SIGKILL");
    process.exit(1);
  });
}

/** Runs covering tests in a checkout until the first failure. */
export async function runJest(
  root: string,
  tests: readonly Covering[],
  database: DatabaseEnv,
  limitMs: number,
): Promise<JestOutcome> {
  const output = join(root, OUTPUT);
  rmSync(output, { force: true });
  const files = [...new Set(tests.map(({ file }) => file))];
  const child = spawn(
    process.execPath,
    [
      "--experimental-vm-modules",
      "--no-warnings",
      "node_modules/jest/bin/jest.js",
      "-c",
      "test/mutation/sql/jest.config.mjs",
      "-i",
      "--forceExit",
      "--json",
      `--outputFile=${output}`,
      "--runTestsByPath",
      ...files,
    ],
    {
      cwd: root,
      detached: true,
      stdio: "ignore",
      env: { ...process.env, ...database, MUTATION_TESTS: JSON.stringify(namesByFile(tests)) },
    },
  );
  running.add(child);
  const isLate = await endOf(child, limitMs);
  running.delete(child);
  if (isLate) return { status: "timeout", failedTest: null, messages: [], passed: 0 };
  return judge(JSON.parse(readFileSync(output, "utf8")));
}

/** Returns whether the process had to be stopped. What it started ends with it. */
function endOf(child: ChildProcess, limitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    let isLate = false;
    const limit = setTimeout(() => {
      isLate = true;
      signalGroup(child, "SIGTERM");
      setTimeout(() => signalGroup(child, "SIGKILL"), KILL_GRACE_MS);
    }, limitMs);
    child.once("exit", () => {
      clearTimeout(limit);
      signalGroup(child, "SIGKILL");
      resolve(isLate);
    });
  });
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has exited already.
  }
}

/** Patterns of names by file; null where the whole file runs. */
function namesByFile(tests: readonly Covering[]): Record<string, string[] | null> {
  const files = new Map<string, string[] | null>();
  for (const { file, name } of tests) {
    const names = files.get(file);
    files.set(file, name === undefined || names === null ? null : [...(names ?? []), name]);
  }
  return Object.fromEntries(files);
}

function judge({ numPassedTests, testResults }: JestReport): JestOutcome {
  const failed = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === "failed");
    if (tests.length === 0 && status === "failed") return [{ fullName: name, messages: [message] }];
    return tests.map(({ fullName, failureMessages }) => ({ fullName, messages: failureMessages }));
  });
  return {
    status: failed.length > 0 ? "failed" : "passed",
    failedTest: failed[0]?.fullName ?? null,
    messages: failed.flatMap(({ messages }) => messages),
    passed: numPassedTests,
  };
}
