// `npm run sql:table`: writes the table of SQL, with the reasons against Prisma's query API, into docs/DATABASE.md.
// test/tools/sql-statements.test.ts compares it with the code. A file with SQL needs a reason here; an unneeded reason is
// refused, too.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DOCUMENT = "docs/DATABASE.md";
const SECTION = /(?<=<!-- sql:table -->\n)[\s\S]*?(?=<!-- \/sql:table -->)/;

/** Left out: generated code, Prisma's own engine of migrations, and code that never runs in production. */
const LEFT_OUT = /^src\/(db\/generated|sandbox)\/|^src\/db\/schema-engine\.ts$/;

/** Reasons by the path they hold for; the longest counts. */
const REASONS: Readonly<Record<string, string>> = {
  "src/auth/dashboard/": "On each dashboard request's path, by the database's clock",
  "src/auth/key-lock-store.ts": "`FOR UPDATE`, and the database's clock",
  "src/auth/key-store.ts": "Keys of one tick, of one snapshot, on every request's path",
  "src/auth/nonce-store.ts":
    "Claims nonces and counts costs under row locks, in one committed statement; `SKIP LOCKED`",
  "src/auth/rotation-store.ts": "Calls `app.end_rotations()`, with its owner's rights",
  "src/changes/": "Leases by the database's clock; a view that may be missing",
  "src/claims/":
    "Ownership, lists, rows and checkpoint of one snapshot; advisory locks, `ON CONFLICT` with conditions, `SKIP LOCKED`",
  "src/cli/":
    "Loading Prisma doubles a command's time to start; others join transactions of the sending side",
  "src/cli/indexer/": "The catalogue, and schemas whose names are read from it",
  "src/cli/policies/": "A function of the owner, within the policy's transaction",
  "src/cli/reconcile/": "Pages of rows and checkpoint in short snapshots, by any table's key",
  "src/dashboard/balance-store.ts":
    "Union of two ledgers with the checkpoints ([figure](decisions/2026-11-24-index-by-prisma.md#what-stays-sql))",
  "src/dashboard/overview/": "Counts and sums by step, of one snapshot; adds to rows of other replicas",
  "src/dashboard/search/": "Unions of tables; expressions that indexes have. Tests bound the rows read",
  "src/dashboard/timeline/": "Unions of all that happened, ownership. Tests bound the rows read",
  "src/db/": "Transactions, migrations, roles, partitions, notifications, checkpoints",
  "src/events/": "Locks, sequences and partitions of the log, in one statement each",
  "src/http/": "`SELECT 1`; Prisma's own table of migrations",
  "src/oneclick/": "Under the delegation's lock; tests bound the rows read",
  "src/portfolio/": "Ownership of causes, a union with balances, of one snapshot",
  "src/sending/delegation/": "`FOR SHARE`, `FOR UPDATE`, epochs within those transactions; window functions",
  "src/sending/halt-store.ts": "Within the signing transaction, behind a wallet's lock",
  "src/sending/outbox/":
    "Transactions whose commit must be certain (`src/db/transaction.ts`): locks, sums, `ON CONFLICT`, notifications",
  "src/sending/recovery/": "Within transactions whose commit must be certain",
  "src/sending/retirement/": "`SKIP LOCKED`, within transactions whose commit must be certain",
  "src/sending/sender/":
    "Leases, fencing, conditional updates, within transactions whose commit must be certain",
  "src/sends/": "Claims, requests and log of one snapshot",
  "src/webhooks/": "Queue with `SKIP LOCKED`, leases and locks; bounds of partitions",
};

export interface CallSites {
  sql: number;
  prisma: number;
}

const METHODS =
  "findMany|findUnique|findFirst|findUniqueOrThrow|findFirstOrThrow|create|createMany|createManyAndReturn|update|updateMany|upsert|delete|deleteMany|count|aggregate|groupBy";
/** Functions that run SQL, by the file that a caller imports them from. */
const RUNNERS: readonly [from: string, names: string][] = [
  ["db/query.ts", "queryRows|queryOne|queryMaybeOne|queryJoined|execute"],
  ["db/checkpoint.ts", "readAtBlock|readSetAtBlock|readAtBlocks"],
];

/** Counts calls of Prisma's query API and of SQL in a source. @param models names of Prisma's models, as its client has them */
export function countCallSites(source: string, models: readonly string[]): CallSites {
  const code = source.replace(/\/\*[\s\S]*?\*\/|(?<![:"'`])\/\/.*$/gm, "");
  const count = (pattern: string) => [...code.matchAll(new RegExp(pattern, "g"))].length;
  const runners = RUNNERS.filter(([from]) => code.includes(`${from}"`));
  const names = [...new Set(runners.map(([, each]) => each))].join("|");
  const called = names === "" ? 0 : count(`(?<!function |\\.)\\b(?:${names})(?:<[^()\`]*?>)?\\(`);
  return {
    sql:
      called +
      count("\\$(?:queryRaw|executeRaw)(?:Unsafe)?\\b\\s*[<(`]") +
      count("\\b(?:pool|client|tx|db|admin|next)\\.query(?:<[^()`]*?>)?\\("),
    prisma: count(`\\.\\s*(?:${models.join("|")})\\s*\\.(?:${METHODS})\\(`),
  };
}

/** Returns the call sites of each file of src/ that has any. */
export function readCallSites(root = ROOT): Map<string, CallSites> {
  const schema = readFileSync(join(root, "prisma/schema.prisma"), "utf8");
  const models = [...schema.matchAll(/^model (\w)(\w*)/gm)].map(
    ([, first = "", rest]) => first.toLowerCase() + rest,
  );
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((path) => `src/${path}`)
    .filter((path) => path.endsWith(".ts") && !LEFT_OUT.test(path))
    .sort();
  const counted = files.map(
    (path) => [path, countCallSites(readFileSync(join(root, path), "utf8"), models)] as const,
  );
  return new Map(counted.filter(([, { sql, prisma }]) => sql + prisma > 0));
}

/** Returns the path in REASONS of a file's reason, or null. */
const reasonOf = (file: string): string | null =>
  Object.keys(REASONS)
    .filter((path) => file.startsWith(path))
    .sort((one, other) => other.length - one.length)[0] ?? null;

/** Returns files with SQL that have no reason, and reasons without SQL. */
export function findUnreasoned(sites: ReadonlyMap<string, CallSites>): string[] {
  const files = [...sites].filter(([, { sql }]) => sql > 0).map(([file]) => file);
  const used = new Set(files.map(reasonOf));
  return [
    ...files.filter((file) => reasonOf(file) === null),
    ...Object.keys(REASONS).filter((path) => !used.has(path)),
  ];
}

const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/** Returns the section: how many call sites are of each kind, and the reasons of SQL. */
export function sectionOf(sites: ReadonlyMap<string, CallSites>): string {
  const reasons = new Map<string, number>();
  for (const [file, { sql }] of sites) {
    const reason = reasonOf(file);
    if (sql > 0 && reason) reasons.set(reason, (reasons.get(reason) ?? 0) + sql);
  }
  const total = (name: keyof CallSites) => [...sites.values()].reduce((sum, site) => sum + site[name], 0);
  return [
    `${total("prisma")} calls are of the query API, ${total("sql")} of SQL.`,
    "",
    table(
      ["SQL in", "Calls", "Why"],
      [...reasons].sort().map(([path, sql]) => [`\`${path}\``, sql, REASONS[path] ?? ""]),
    ),
    "",
  ].join("\n");
}

/** Returns the section that the document has. */
export const documentedSection = (): string | undefined =>
  SECTION.exec(readFileSync(join(ROOT, DOCUMENT), "utf8"))?.[0];

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [, , root] = process.argv;
  if (root !== undefined) process.stdout.write(sectionOf(readCallSites(root)));
  else {
    const path = join(ROOT, DOCUMENT);
    writeFileSync(
      path,
      readFileSync(path, "utf8").replace(SECTION, () => sectionOf(readCallSites())),
    );
  }
}
