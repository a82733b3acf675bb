import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hashOf, storeResults } from "../report.ts";
import { copyCheckout, type MutantCheckout, ROOT } from "./checkout.ts";
import { type Databases, startDatabases } from "./databases.ts";
import { type DatabaseEnv, type JestOutcome, runJest } from "./jest-run.ts";
import { type Covering, type Mutant, mutate } from "./mutant.ts";
import { MUTANTS } from "./mutants.ts";

const AT_ONCE = 2;
const MUTANT_MS_MAX = 120_000;
const UNMUTATED_MS_MAX = 600_000;
/** Errors of PostgreSQL and V8 for a mutant that is not valid SQL or TypeScript: it shows nothing about the tests. */
const INVALID = /syntax error at|SyntaxError|could not determine data type|invalid reference to FROM-clause/;

interface Outcome {
  mutant: Mutant;
  status: "killed" | "survived" | "timeout";
}

/** @returns the exit code: 1 where the unmutated tests fail, a mutant is not valid, or one survives unexplained */
export async function main(args: readonly string[]): Promise<number> {
  const chosen = choose(args);
  for (const mutant of chosen) mutate(readFileSync(join(ROOT, mutant.file), "utf8"), mutant);
  const started = performance.now();
  const databases = await startDatabases();
  const checkouts = Array.from({ length: AT_ONCE }, copyCheckout);
  try {
    const base = await databases.template(ROOT);
    if (!(await passUnmutated(checkouts, base, chosen))) return 1;
    const outcomes = await runAll(checkouts, databases, base, chosen);
    return report(outcomes, performance.now() - started);
  } finally {
    for (const checkout of checkouts) checkout.remove();
    await databases.stop();
  }
}

function choose(args: readonly string[]): readonly Mutant[] {
  if (args.length === 0) return MUTANTS;
  const [option, ...ids] = args;
  const chosen = MUTANTS.filter(({ id }) => ids.includes(id));
  const unknown = ids.filter((id) => !MUTANTS.some((mutant) => mutant.id === id));
  if (option === "--only" && ids.length > 0 && unknown.length === 0) return chosen;
  throw new Error(
    `usage: run.mjs [--only <id…>]${unknown.length > 0 ? `; unknown: ${unknown.join(" ")}` : ""}`,
  );
}

/** Runs every covering test once without a mutant: a test that fails there would count as killing. */
async function passUnmutated(
  checkouts: readonly MutantCheckout[],
  base: DatabaseEnv,
  mutants: readonly Mutant[],
): Promise<boolean> {
  const byFile = new Map<string, Covering[]>();
  for (const test of mutants.flatMap(({ tests }) => tests)) {
    byFile.set(test.file, [...(byFile.get(test.file) ?? []), test]);
  }
  let pass = true;
  await inLanes(checkouts, [...byFile], async ({ root }, [file, tests]) => {
    const { status, failedTest, messages, passed } = await runJest(root, tests, base, UNMUTATED_MS_MAX);
    print(`unmutated: ${file}: ${status}, ${passed} tests`);
    // A name that matches no test would let every mutant survive.
    if (status === "passed" && passed > 0) return;
    pass = false;
    print(`${failedTest ?? "no test ran"}\n${messages.join("\n")}`);
  });
  return pass;
}

async function runAll(
  checkouts: readonly MutantCheckout[],
  databases: Databases,
  base: DatabaseEnv,
  mutants: readonly Mutant[],
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  await inLanes(checkouts, mutants, async (checkout, mutant) => {
    const started = performance.now();
    const outcome = await checkout.withMutant(mutant, async () => {
      const isMigration = mutant.file.startsWith("prisma/");
      const database = isMigration ? await databases.template(checkout.root) : base;
      return runJest(checkout.root, mutant.tests, database, MUTANT_MS_MAX);
    });
    requireValid(mutant, outcome);
    const status = STATUS[outcome.status];
    const hash = hashOf(mutant.file, readFileSync(join(checkout.root, mutant.file), "utf8"));
    storeResults({ mutants: { [mutant.id]: { status, hash } } });
    outcomes.push({ mutant, status });
    const ms = Math.round(performance.now() - started);
    const by = outcome.failedTest?.replace(/^.*\/(?=test\/)/, "");
    print(`${status}: ${mutant.id} (${ms} ms)${by ? ` by: ${by}` : ""}`);
  });
  return outcomes;
}

const STATUS = { passed: "survived", failed: "killed", timeout: "timeout" } as const;

/** Processes the items in all checkouts at once, one item at a time in each. */
async function inLanes<T>(
  checkouts: readonly MutantCheckout[],
  items: readonly T[],
  work: (checkout: MutantCheckout, item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  await Promise.all(
    checkouts.map(async (checkout) => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(checkout, item);
    }),
  );
}

function requireValid({ id }: Mutant, { messages }: JestOutcome): void {
  const message = messages.find((text) => INVALID.test(text));
  if (message) throw new Error(`${id} is not valid: ${message}`);
}

function report(outcomes: readonly Outcome[], ms: number): number {
  const survived = outcomes.filter(({ status }) => status === "survived");
  const unexplained = survived.filter(({ mutant }) => mutant.survives === undefined);
  const killed = outcomes.length - survived.length;
  const percent = ((100 * killed) / outcomes.length).toFixed(1);
  print(`${killed} of ${outcomes.length} mutants killed (${percent}%) in ${Math.round(ms / 1000)} s`);
  for (const { mutant } of unexplained) print(`survived without a reason: ${mutant.id}: ${mutant.title}`);
  return unexplained.length === 0 ? 0 : 1;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
