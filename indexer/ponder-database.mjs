// Changes how Ponder uses its database: commits (commit-guard.ts), connections, and when the index is ready (catch-up.ts). The list of
// all changes, with their reasons, is ponder-patches.mjs.
import { fileURLToPath } from "node:url";

const GUARD = fileURLToPath(new URL("commit-guard.ts", import.meta.url));
const INSERT_AS_JSON = fileURLToPath(new URL("insert-as-json.ts", import.meta.url));
const CATCH_UP = fileURLToPath(new URL("catch-up.ts", import.meta.url));

/** @throws Error where an update of the package has changed the text */
export function replaceTimes(count, source, text, replacement) {
  const parts = source.split(text);
  if (parts.length !== count + 1) throw new Error(`Ponder does not have ${count} times: ${text}`);
  return parts.join(replacement);
}

/** Makes commits wait: what is acknowledged to the indexer survives a crash, and is on a synchronous standby. */
export const waitForCommits = (source) => replaceTimes(2, source, "SET synchronous_commit = off;", "");

/**
 * Ends the wait for a connection that fails before it is made, and for the answer of a host that is gone, which had no limit.
 * PostgreSQL itself ends a statement earlier.
 */
export function endConnecting(source) {
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

/** Runs no transaction twice over rows in memory of its first attempt. */
export const guardCommits = (source) => guardBlocks(guardBackfill(source));

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
export function insertAsJson(source) {
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

/** Marks the index ready when it has caught up with the heads, by a process that still has the schema. */
export function catchUp(source) {
  const ready = `await database.adminQB.wrap({ label: "update_ready" }, (db) => db
        .update(PONDER_META)
        .set({ value: sql \`jsonb_set(value, '{is_ready}', to_jsonb(1))\` }));
    common.logger.info({
        msg: "Started returning 200 responses",
        endpoint: "/ready",
    });`;
  const started = replaceTimes(
    1,
    source,
    ready,
    `const blockOf = (checkpoint) => Number(decodeCheckpoint(checkpoint).blockNumber);
    const [{ syncProgress }] = perChainSync.values();
    const catchUp = startCatchUp({
      indexed: blockOf(syncProgress.getCheckpoint({ tag: "finalized" })),
      shown: blockOf(shown[0]?.latestCheckpoint ?? ZERO_CHECKPOINT_STRING),
      readHead: async () => {
        const question = { method: "eth_getBlockByNumber", params: ["latest", false] };
        return Number((await indexingBuild.rpcs[0].request(question)).number);
      },
      markReady: async () => {
        const marked = await database.adminQB.wrap({ label: "update_ready" }, (db) => db
          .update(PONDER_META)
          .set({ value: sql\`jsonb_set(value, '{is_ready}', to_jsonb(1))\` })
          .where(sql\`value ->> 'process_id' = \${PROCESS_ID}\`)
          .returning());
        return marked.length > 0;
      },
      log: common.logger,
    });
    common.shutdown.add(catchUp.stop);`,
  );
  const begin = "const startTimestamp = Math.round(Date.now() / 1000);";
  const shown = `const shown = await database.adminQB.wrap((db) => db.select().from(PONDER_CHECKPOINT));\n    ${begin}`;
  const found = replaceTimes(1, started, begin, shown);
  const progress = "catchUp.indexed(blockOf(event.checkpoint));";
  const block = "event.blockCallback?.(true);";
  const reorg =
    'indexingCache.clear();\n                common.logger.info({\n                    msg: "Reorged block",';
  const forward = replaceTimes(1, found, block, `${block}\n${progress}`);
  return `import { PROCESS_ID, startCatchUp } from ${JSON.stringify(CATCH_UP)};
${replaceTimes(1, forward, reorg, `${progress}\n${reorg}`)}`;
}

/** Writes which process has taken the schema over, also where the one before it left no checkpoint. */
export function nameProcess(source) {
  const ready = "is_ready: 0,";
  const empty = "if (checkpoints.length === 0) {";
  const named = replaceTimes(1, source, ready, `${ready}\nprocess_id: PROCESS_ID,`);
  return `import { PROCESS_ID } from ${JSON.stringify(CATCH_UP)};
${replaceTimes(1, named, empty, `${empty}\nawait tx.wrap((tx) => tx.update(PONDER_META).set({ value: metadata }), context);`)}`;
}

const DROP_TRIGGER = /DROP TRIGGER IF EXISTS ("\$\{[^`"]+\}") ON ("\$\{[^`"]+\}"\."\$\{[^`"]+\}")(?=;?`)/g;

/**
 * Disables triggers where Ponder drops them, at each start and reorg; it creates them again by CREATE OR REPLACE. To drop one locks its
 * table against readers, one table after another: the indexer and readers of several tables waited for each other until PostgreSQL
 * ended one of them, under load at each attempt of a start.
 */
export function disableTriggers(source) {
  if ([...source.matchAll(DROP_TRIGGER)].length !== 3) throw new Error("Ponder does not drop 3 triggers");
  return source.replace(
    DROP_TRIGGER,
    (_drop, trigger, table) =>
      `DO $do$ BEGIN ALTER TABLE ${table} DISABLE TRIGGER ${trigger};
       EXCEPTION WHEN undefined_object THEN NULL; END $do$`,
  );
}

/** Keeps the indexes of a build that starts again: to drop them locks readers out, and large tables take minutes to index. */
export const keepIndexes = (source) =>
  replaceTimes(1, source, "of schemaBuild.statements.indexes.json) {", "of []) {");
