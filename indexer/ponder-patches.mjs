// Every change of Ponder, and every way around it. Each has a page in docs/upstream/, ready to be filed, and goes once a version of
// Ponder needs it no more: `npm run test:ponder -- VERSION` tries one.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  catchUp,
  disableTriggers,
  endConnecting,
  guardCommits,
  insertAsJson,
  keepIndexes,
  nameProcess,
  replaceTimes,
  waitForCommits,
} from "./ponder-database.mjs";

const POLL_HEADS = fileURLToPath(new URL("poll-heads.ts", import.meta.url));

/** Version of Ponder that each entry was written for and tried on. */
export const PONDER_VERSION = "0.16.10";

/**
 * - `name`: its page is docs/upstream/<name>.md;
 * - `problem`: why it is here;
 * - `remedy`: what is changed;
 * - `changes`: the changed files, below dist/esm of the package, each with a function that returns the new text and throws where an update
 *   has changed what it replaces;
 * - `around`: files of this project that do without a change of Ponder, or have the code that the changes call.
 */
export const PATCHES = [
  {
    name: "synchronous-commit",
    problem:
      "Commits do not wait for the disk, so a crash or failover of PostgreSQL takes back indexed blocks.",
    remedy: "synchronous_commit is as the server has it.",
    changes: { "utils/pg.js": waitForCommits },
    around: [],
  },
  {
    name: "failed-connections",
    problem:
      "The error of a failed connection is dropped, and a host that is gone is waited for without a limit.",
    remedy: "The error is passed on. A connection may take 10 s, an answer 150 s.",
    changes: { "utils/pg.js": endConnecting },
    around: [],
  },
  {
    name: "repeated-commits",
    problem:
      "A transaction whose COMMIT failed is run again over rows in memory that have its events already.",
    remedy:
      "The transaction of a block compares the checkpoint first; a lost COMMIT of a backfill ends the process.",
    changes: { "runtime/multichain.js": guardCommits },
    around: ["indexer/commit-guard.ts"],
  },
  {
    name: "early-readiness",
    problem: "The index is ready at the finalized block: after a restart, readers miss what they have seen.",
    remedy: "It is ready at the head, if the process still has its schema.",
    changes: { "runtime/multichain.js": catchUp, "database/index.js": nameProcess },
    around: ["indexer/catch-up.ts", "src/db/checkpoint.ts"],
  },
  {
    name: "dropped-indexes",
    problem:
      "Each restart drops all indexes: readers are locked out, then slow until the indexes are built again.",
    remedy: "Indexes stay.",
    changes: { "database/index.js": keepIndexes },
    around: [],
  },
  {
    name: "dropped-triggers",
    problem:
      "Each restart and reorg drops triggers, one table after another: a deadlock with readers of several tables.",
    remedy: "Triggers are disabled instead.",
    changes: { "database/actions.js": disableTriggers },
    around: [],
  },
  {
    name: "insert-parameters",
    problem: "Inserts of fetched data have up to 16,000 parameters: a fifth of a backfill's processor time.",
    remedy: "The rows are one parameter, as JSON.",
    changes: { "sync-store/index.js": insertAsJson },
    around: ["indexer/insert-as-json.ts"],
  },
  {
    name: "event-loop-sampling",
    problem:
      "The event loop is sampled every millisecond, which takes more processor time than following a chain.",
    remedy: "It is sampled every 100 ms.",
    changes: {
      "internal/metrics.js": (source) =>
        replaceTimes(1, source, "eventLoopMonitoringPrecision: 1,", "eventLoopMonitoringPrecision: 100,"),
    },
    around: [],
  },
  {
    name: "silent-websockets",
    problem: "A WebSocket that falls silent stops a chain without an error, and no other node is asked.",
    remedy: "An announced head begins a poll, and polls by the clock go on.",
    changes: { "rpc/index.js": pollHeads },
    around: ["indexer/poll-heads.ts", "indexer/heads.ts"],
  },
  {
    name: "vite-in-production",
    problem: "`ponder start` starts Vite and loads 2,600 files: two thirds of a start's processor time.",
    remedy: "Ponder and the project are one bundle; Vite, PGlite and the code generator are replaced in it.",
    changes: {},
    around: ["indexer/bundles.mjs", "indexer/native-modules.mjs", "indexer/ponder.mjs"],
  },
  {
    name: "early-views",
    problem: "--views-schema shows a new build before it is at the head, and locks one view after another.",
    remedy:
      "The option is not used: a schema of views is renamed once the build has reached the shown block.",
    changes: {},
    around: ["indexer/views.ts"],
  },
  {
    name: "unchecked-answers",
    problem:
      "Every answer of a node counts: one that is behind looks like a reorg, lost logs like an empty block.",
    remedy: "A transport checks answers, and asks the next node.",
    changes: {},
    around: ["indexer/transport.ts", "indexer/chain-memory.ts"],
  },
  {
    name: "logs-of-reorged-blocks",
    problem: "Logs of a block that a reorg removed are asked for again for 64 s, and the chain stands still.",
    remedy:
      "The transport answers with a code that Ponder does not retry, once another block has that height.",
    changes: {},
    around: ["indexer/transport.ts"],
  },
  {
    name: "deep-reorgs",
    problem: "After a reorg behind the finalized block, a restart goes on over rows of the old chain.",
    remedy: "The schema is marked by a comment, and later starts of the build refuse.",
    changes: {},
    around: ["indexer/unusable-schema.ts", "src/indexer.ts"],
  },
  {
    name: "missing-statistics",
    problem:
      "After a backfill PostgreSQL has no statistics of the new tables, and plans badly for up to a minute.",
    remedy: "The tables are analyzed when the log says that the backfill is done.",
    changes: {},
    around: ["indexer/statistics.ts", "src/indexer.ts"],
  },
  {
    name: "request-rate",
    problem: "Each URL begins with 20 requests a second, also where the node is one's own.",
    remedy: "The URL of a development chain is listed 16 times.",
    changes: {},
    around: ["indexer/ponder.config.ts"],
  },
  {
    name: "checkpoint-after-reorg",
    problem: "A reorg takes rows back and leaves the checkpoint; no table has the hashes of indexed blocks.",
    remedy: "Handlers record number and hash of each block with an event.",
    changes: {},
    around: ["indexer/src/registry.ts"],
  },
  {
    name: "port-option",
    problem: "The variable PORT wins over the option --port.",
    remedy: "Both are set.",
    changes: {},
    around: ["indexer/run.ts"],
  },
  {
    name: "free-port",
    problem: "With port 0 Ponder listens on a free port, and its log says that it listens on 0.",
    remedy: "The log has the port.",
    changes: { "server/index.js": logPort },
    around: ["indexer/run.ts"],
  },
  {
    name: "orphaned-process",
    problem: "A process whose parent is gone keeps its schema locked, and writes to its broken log forever.",
    remedy: "A module loaded first ends the process with its parent, and ignores EPIPE of the log.",
    changes: {},
    around: ["indexer/exit-with-parent.mjs"],
  },
  {
    name: "pinned-graphql",
    problem: "The dependency on graphql is pinned to 16.8.2, so that a project with another version has two.",
    remedy: "package.json overrides it.",
    changes: {},
    around: ["package.json"],
  },
];

/** Lets Ponder poll for heads as soon as a node announces one, and returns from a poll which it found. */
function pollHeads(source) {
  const following = replaceTimes(
    1,
    source,
    "interval = setInterval(async () => {",
    "interval = pollHeads({ shutdown: common.shutdown }, async () => {",
  );
  return (
    `import { pollHeads } from ${JSON.stringify(POLL_HEADS)};\n` +
    replaceTimes(1, following, "await onBlock(block);", "await onBlock(block); return block.hash;")
  );
}

/** Logs the port that the server listens on. */
function logPort(source) {
  const listening = replaceTimes(
    1,
    source,
    "}, () => {\n            clearTimeout(timeout);\n            common.metrics.port = apiBuild.port;",
    "}, ({ port }) => {\n            clearTimeout(timeout);\n            common.metrics.port = port;",
  );
  const logged = 'msg: "Created HTTP server",\n                port: ';
  return replaceTimes(1, listening, `${logged}apiBuild.port,`, `${logged}port,`);
}

/** Returns the changed files of Ponder, each with its patches in their order. */
function patchesByFile() {
  const files = new Map();
  for (const { name, changes } of PATCHES) {
    for (const [file, change] of Object.entries(changes))
      files.set(file, [...(files.get(file) ?? []), { name, change }]);
  }
  return files;
}

function patchFile(patches, text) {
  return patches.reduce((source, { name, change }) => {
    try {
      return change(source);
    } catch (error) {
      throw new Error(`${name}: ${error.message}`, { cause: error });
    }
  }, text);
}

/** Applies all patches while Ponder's program is bundled. @param build of esbuild */
export function applyPatches(build) {
  for (const [file, patches] of patchesByFile()) {
    const end = file.replaceAll(/[/.]/g, "\\$&");
    build.onLoad({ filter: new RegExp(`/ponder/dist/esm/${end}$`) }, ({ path }) => ({
      contents: patchFile(patches, readFileSync(path, "utf8")),
    }));
  }
}

/** Returns why patches do not fit an installed Ponder; empty where all do. @param folder of the package */
export function findMisfits(folder) {
  return PATCHES.flatMap(({ name, changes }) =>
    Object.entries(changes).flatMap(([file, change]) => {
      try {
        change(readFileSync(`${folder}/dist/esm/${file}`, "utf8"));
        return [];
      } catch (error) {
        return [`${name}: ${error.message}`];
      }
    }),
  );
}
