// `npm run sql:table`: writes the table of SQL, with the reasons against Prisma's query API, into docs/DATABASE.md.
// test/tools/sql-statements.test.ts compares it with the code. A file with SQL needs a reason here; an unneeded reason is
// refused, too.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DOCUMENT = "docs/DATABASE.md";
const SECTION = /(?<=<!-- sql:table -->\n)[\s\S]*?(?=<!-- \/sql:table -->)/;

/** Left out: generated code, and Prisma's own engine of migrations. */
const LEFT_OUT = /^src\/db\/generated\/|^src\/db\/schema-engine\.ts$/;

/** Folders of what production runs. */
const FOLDERS = ["packages/admin/src", "src"];

/** Reasons by the path they hold for; the longest counts. */
const REASONS: Readonly<Record<string, string>> = {
  "src/auth/": "Row locks, functions of the owner, and the database's clock, on every request's path",
  "src/changes/": "Leases by the database's clock",
  "src/claims/": "Ownership and lists of one snapshot; advisory locks, `ON CONFLICT`, `SKIP LOCKED`",
  "src/context/": "A lease by the database's clock",
  "packages/admin/src/": "Loading Prisma doubles a command's time to start",
  "src/dashboard/": "Unions, sums and ownership of one snapshot; tests bound the rows read",
  "src/db/": "Transactions, migrations, roles, partitions, notifications, checkpoints",
  "src/events/": "Locks, sequences and partitions of the log",
  "src/http/": "`SELECT 1`; Prisma's own table of migrations",
  "src/market/": "The operator's command, which loads no Prisma, shares it; `SKIP LOCKED`",
  "src/oneclick/": "Under the delegation's lock; tests bound the rows read",
  "src/portfolio/": "Ownership, and a union with balances, of one snapshot",
  "src/sending/": "Locks, leases, fencing, and transactions whose commit must be certain",
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

/** Returns the call sites of each file in FOLDERS that has any. */
export function readCallSites(root = ROOT): Map<string, CallSites> {
  const schema = readFileSync(join(root, "prisma/schema.prisma"), "utf8");
  const models = [...schema.matchAll(/^model (\w)(\w*)/gm)].map(
    ([, first = "", rest]) => first.toLowerCase() + rest,
  );
  const files = FOLDERS.flatMap((folder) => {
    const paths = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" });
    return paths.map((path) => `${folder}/${path}`);
  })
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

/** Returns the section: how many call sites are of each kind, and the reasons of SQL. */
export function sectionOf(sites: ReadonlyMap<string, CallSites>): string {
  const total = (name: keyof CallSites) => [...sites.values()].reduce((sum, site) => sum + site[name], 0);
  return [
    `${total("prisma")} calls are of the query API, ${total("sql")} of SQL.`,
    "",
    ...Object.entries(REASONS).map(([path, reason]) => `- \`${path}\`: ${reason}`),
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
