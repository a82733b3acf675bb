import { execFileSync } from "node:child_process";
import { cpus, loadavg, totalmem } from "node:os";
import pg from "pg";
import { ROOT } from "../../src/config/root.ts";
import { installPostgraphile } from "./contestants/install.ts";
import { type Options, parseOptions, USAGE } from "./options.ts";
import { storeResult, writeDocument } from "./report/files.ts";
import type { Result, Section } from "./report/result.ts";
import { printSection } from "./report/text.ts";
import { withSandbox } from "./sandbox/start.ts";
import { withSurroundings } from "./surroundings.ts";

/**
 * `npm run bench`: what requests cost, beside other servers that answer the same from the same tables, in one run.
 * docs/PERFORMANCE.md says how. A wrong answer of any contestant ends it with exit code 1.
 */
const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (!options) return print(USAGE);
  const { isQuick, rounds, seconds } = options;
  const result: Result = {
    takenAt: new Date().toISOString(),
    commit: commitOf(),
    isQuick,
    machine: machine(),
    dataSet: null,
    options: { rounds, seconds },
    absent: [],
    sections: [],
  };
  const report = (section: Section) => {
    result.sections.push(section);
    print(`${printSection(section)}\n`);
  };
  if (options.scenarios.length > 0) await runOverDataSet(options, result, report);
  if (options.sandboxScenarios.length > 0) {
    await withSandbox(async (sandbox) => {
      for (const scenario of options.sandboxScenarios) await scenario({ isQuick, ...sandbox }, report);
    });
  }
  for (const scenario of options.ownSandboxScenarios) await scenario({ isQuick }, report);
  if (result.absent.length > 0) print(`Absent: ${result.absent.join(", ")}`);
  if (!isQuick) print(`wrote ${storeResult(result)}`);
  if (options.writesDocument) writeDocument(result);
}

async function runOverDataSet(
  { names, scenarios, orders, isQuick, rounds, seconds }: Options,
  result: Result,
  report: (section: Section) => void,
): Promise<void> {
  const installed = names.includes("detail") ? installPostgraphile() : undefined;
  print(`Seeding: the largest key has ${orders.toLocaleString("en")} orders.`);
  const databaseUrl = process.env.BENCH_DATABASE_URL || undefined;
  await withSurroundings({ orders, databaseUrl }, async (surroundings) => {
    const { data } = surroundings;
    await installed;
    result.dataSet = {
      orders: data.keys.reduce((sum, key) => sum + key.orders, 0),
      keys: data.keys.length,
      seedSeconds: data.seedSeconds,
      megabytes: Math.round(data.bytes / 1e6),
      postgres: await postgresVersion(data.urls.admin),
    };
    const { seedSeconds, megabytes } = result.dataSet;
    print(`Seeded in ${seedSeconds.toFixed(1)} s: ${megabytes.toLocaleString("en")} MB.\n`);
    const context = {
      ...surroundings,
      isQuick,
      rounds,
      seconds,
      reportAbsent: (contestant: string) => void result.absent.push(contestant),
    };
    for (const scenario of scenarios) await scenario(context, report);
  });
}

function commitOf(): string {
  try {
    const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
    return git("rev-parse", "--short", "HEAD") + (git("status", "--porcelain") === "" ? "" : ", changed");
  } catch {
    return "unknown";
  }
}

const machine = () => ({
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 1e9),
  node: process.versions.node,
  loadBefore: loadavg()[0] ?? 0,
});

async function postgresVersion(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>("SHOW server_version");
    return rows[0]?.server_version ?? "unknown";
  } finally {
    await client.end();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
