import { withPool } from "../database.ts";
import { type Column, printJson, printTable } from "../output.ts";
import { note, type Terminal } from "../terminal.ts";
import { type EventRow, readEvents } from "./store.ts";

interface Options {
  key?: string;
  type?: string;
  object?: string;
  since?: Date;
  limit: number;
  json?: boolean;
}

export function list(terminal: Terminal, options: Options): Promise<void> {
  const { key: apiKey = null, type = null, since = null, limit, json } = options;
  const objectId = options.object ?? null;
  return withPool(terminal, async (pool) => {
    const progress = createProgress(terminal);
    const events = (await readEvents(pool, { apiKey, type, objectId, since, limit }, progress)).map(present);
    if (json) return printJson(terminal, events);
    printTable(terminal, events, COLUMNS, "No event fits: the log keeps those of EVENT_RETENTION_DAYS.");
  });
}

/** Interval between two lines of progress, ms. */
const PROGRESS_MS = 5_000;

function createProgress(terminal: Terminal): (reached: Date) => void {
  let shownMs = performance.now();
  return (reached) => {
    if (performance.now() - shownMs < PROGRESS_MS) return;
    shownMs = performance.now();
    note(terminal, `read the log back to ${reached.toISOString()}`);
  };
}

function present(row: EventRow) {
  return {
    createdAt: row.createdAt,
    type: row.type,
    apiKey: row.apiKey,
    chainId: row.chainId,
    productType: row.productType,
    sequence: Number(row.sequence),
    resource: row.resource,
    objectId: row.objectId,
    blockNumber: row.blockNumber === null ? null : Number(row.blockNumber),
    txHash: row.txHash,
    eventId: row.eventId,
    retracts: row.retracts,
  };
}

const COLUMNS: Column<ReturnType<typeof present>>[] = [
  { heading: "TIME", value: ({ createdAt }) => createdAt.toISOString() },
  { heading: "TYPE", value: ({ type, retracts }) => (retracts === null ? type : `${type} (withdraws)`) },
  { heading: "API KEY", value: ({ apiKey }) => apiKey },
  { heading: "SCOPE", value: ({ chainId, productType }) => `${chainId}:${productType}` },
  { heading: "SEQUENCE", value: ({ sequence }) => sequence, align: "right" },
  { heading: "OBJECT", value: ({ objectId }) => objectId },
  { heading: "BLOCK", value: ({ blockNumber }) => blockNumber, align: "right" },
  { heading: "TRANSACTION", value: ({ txHash }) => txHash },
];
