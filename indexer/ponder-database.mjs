// Patches how Ponder uses its database, while it is bundled: commits (commit-guard.ts) and connections.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const GUARD = fileURLToPath(new URL("commit-guard.ts", import.meta.url));
const INSERT_AS_JSON = fileURLToPath(new URL("insert-as-json.ts", import.meta.url));

/** @throws Error where an update of the package has changed the text */
export function replaceTimes(count, source, text, replacement) {
  const parts = source.split(text);
  if (parts.length !== count + 1) throw new Error(`Ponder does not have ${count} times: ${text}`);
  return parts.join(replacement);
}

/** @param build of esbuild, for Ponder's program */
export function patchDatabase(build) {
  const patch = (filter, ...patches) =>
    build.onLoad({ filter }, ({ path }) => ({
      contents: patches.reduce((source, change) => change(source), readFileSync(path, "utf8")),
    }));
  patch(/\/ponder\/dist\/esm\/utils\/pg\.js$/, waitForCommits, endConnecting);
  patch(/\/ponder\/dist\/esm\/runtime\/multichain\.js$/, guardBackfill, guardBlocks);
  patch(/\/ponder\/dist\/esm\/sync-store\/index\.js$/, insertAsJson);
}

/** Makes commits wait: what is acknowledged to the indexer survives a crash, and is on a synchronous standby. */
const waitForCommits = (source) => replaceTimes(2, source, "SET synchronous_commit = off;", "");

/**
 * Ends the wait for a connection that fails before it is made, and for the answer of a host that is gone, which had no limit.
 * PostgreSQL itself ends a statement earlier.
 */
function endConnecting(source) {
  const failing = replaceTimes(
    2,
    source,
    "super.connect(() => {",
    "super.connect((error) => {\nif (error) return callback(error);",
  );
  const timeout = "statement_timeout: 2 * 60 * 1000,";
  return replaceTimes(
    1,
    failing,
    timeout,
    `${timeout}\nconnectionTimeoutMillis: 10_000, query_timeout: 150_000,`,
  );
}

/** Ends the process where the commit of a part of a backfill failed: the next start reads what was committed. */
function guardBackfill(source) {
  const begin = "const initialCompletedEvents = structuredClone(";
  const end = 'common.metrics.ponder_historical_transform_duration.inc({ step: "finalize" }, endClock());';
  const unknown = "the answer to a COMMIT of the backfill was lost";
  const guarded = replaceTimes(
    1,
    source,
    begin,
    `if (isComplete) throw new NonRetryableUserError(${JSON.stringify(unknown)});\n${begin}`,
  );
  const marked = replaceTimes(1, guarded, end, `${end}\nisComplete = true;`);
  const declared = "indexingCache.qb = database.userQB;\n        await Promise.all([";
  return replaceTimes(1, marked, declared, `let isComplete = false;\n${declared}`);
}

function guardBlocks(source) {
  const begin = `if (database.userQB.$dialect === "postgres") {
                        await tx.wrap((tx) => tx.execute(\`CREATE TEMP TABLE`;
  const lost = "the database lacks what this process committed, or has more";
  const guarded = replaceTimes(
    1,
    source,
    begin,
    `const [stored] = await tx.wrap((db) => db.select().from(PONDER_CHECKPOINT)
        .where(eq(PONDER_CHECKPOINT.chainName, event.chain.name)), context);
      const attempt = commitGuard.begin(event, stored.latestCheckpoint);
      if (attempt === "lost") throw new NonRetryableUserError(${JSON.stringify(lost)});
      if (attempt === "done") return;
      if (attempt === "again") indexingCache.clear();
      ${begin}`,
  );
  const end = "event.blockCallback?.(true);";
  return `import { createCommitGuard } from ${JSON.stringify(GUARD)};
const commitGuard = createCommitGuard();
${replaceTimes(1, guarded, end, `commitGuard.committed(event);\n${end}`)}`;
}

/** Makes one parameter of the rows that a statement inserts into the tables of what was fetched (insert-as-json.ts). */
function insertAsJson(source) {
  const imports = `import { getTableColumns } from "drizzle-orm";
import { insertAsJson } from ${JSON.stringify(INSERT_AS_JSON)};
`;
  return ["logs", "blocks", "transactions"].reduce((patched, name) => {
    const table = `PONDER_SYNC.${name}`;
    const begin = `(db) => db\n                    .insert(${table})`;
    const columns = `Object.keys(getTableColumns(${table}))`;
    return replaceTimes(1, patched, begin, `(db) => insertAsJson(db, ${table}, ${columns})`);
  }, `${imports}${source}`);
}
