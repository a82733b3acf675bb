import { execFileSync } from "node:child_process";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { ROOT } from "../../src/config/root.ts";
import { installPostgraphile } from "./contestants/install.ts";
import { type Options, parseOptions, USAGE } from "./options.ts";
import { writeDocument, writeResult } from "./report/files.ts";
import type { Result } from "./report/result.ts";
import { printSection } from "./report/text.ts";
import { withSurroundings } from "./surroundings.ts";

/**
 * `npm run bench`: what requests cost, beside other servers that answer the same from the same tables, in one run.
 * docs/PERFORMANCE.md says how. A wrong answer of any contestant ends it with exit code 1.
 */
const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2));
  if (!options) return print(USAGE);
  const loadBefore = loadavg()[0] ?? 0;
  const absent = new Set<string>();
  const isDetailMeasured = options.scenarios.some(([name]) => name === "detail");
  const installed = isDetailMeasured ? installPostgraphile() : undefined;
  print(`Seeding: the largest key has ${options.orders.toLocaleString("en")} orders.`);
  const { orders } = options;
  const result = await withSurroundings(
    { orders, databaseUrl: process.env.BENCH_DATABASE_URL || undefined },
    async (surroundings) => {
      const { data } = surroundings;
      await installed;
      const megabytes = Math.round(data.bytes / 1e6);
      print(`Seeded in ${data.seedSeconds.toFixed(1)} s: ${megabytes.toLocaleString("en")} MB.\n`);
      const { isQuick, rounds, seconds } = options;
      const sections: Result["sections"] = [];
      const context = {
        ...surroundings,
        ...{ isQuick, rounds, seconds },
        reportAbsent: (contestant: string) => void absent.add(contestant),
      };
      for (const [, scenario] of options.scenarios) {
        await scenario(context, (section) => {
          sections.push(section);
          print(`${printSection(section)}\n`);
        });
      }
      return describe(options, {
        machine: { ...machine(), postgres: await postgresVersion(data.urls.admin), loadBefore },
        dataSet: {
          orders: data.keys.reduce((sum, key) => sum + key.orders, 0),
          keys: data.keys.length,
          seedSeconds: data.seedSeconds,
          megabytes,
        },
        absent: [...absent],
        sections,
      });
    },
  );
  if (result.absent.length > 0) print(`Absent: ${result.absent.join(", ")}`);
  const directory = join(ROOT, options.isQuick ? "test-results/bench" : "test/bench/results");
  for (const file of writeResult(result, directory)) print(`wrote ${file}`);
  if (options.writesDocument) writeDocument(result);
}

const describe = (
  { isQuick, rounds, seconds }: Options,
  found: Pick<Result, "machine" | "dataSet" | "absent" | "sections">,
): Result => ({
  takenAt: new Date().toISOString(),
  commit: commitOf(),
  isQuick,
  options: { rounds, seconds },
  ...found,
});

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
