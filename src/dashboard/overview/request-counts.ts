import type pg from "pg";
import type { Logger } from "pino";
import { execute } from "../../db/query.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { bucketOf, LATENCY_BUCKETS } from "./latency.ts";

/** The part of an answered request that is counted. */
interface Answered {
  route: string | null;
  /** 0: the caller was gone before the answer. */
  status: number;
  seconds: number;
}

export interface RequestCounts {
  observe(answered: Answered): void;
  /** Writes what has been counted so far; what cannot be written is lost. */
  stop(): Promise<void>;
}

interface Options {
  pool: pg.Pool;
  log: Logger;
  now: () => number;
  /** Routes that are not counted: those that are no part of the partner API. */
  except: readonly string[];
}

interface Counts {
  requests: number;
  clientErrors: number;
  serverErrors: number;
  latencies: number[];
}

const MINUTE_MS = 60_000;
/** After a minute has ended, milliseconds. */
const DELAY_MS = 1_000;
/** A database that is away for longer takes the oldest minutes with it. */
const MINUTES_MAX = 24 * 60;

/**
 * Counts requests by minute in memory, and adds each minute that has ended to app.request_sample, in one statement a minute.
 * Minutes that cannot be written are kept, and tried again a minute later. Where the database took a statement whose answer was
 * lost, that minute counts twice.
 */
export function createRequestCounts({ pool, log, now, except }: Options): RequestCounts {
  const ignored = new Set(except);
  const minutes = new Map<number, Counts>();
  let timer = schedule();
  let writing = Promise.resolve();

  function observe({ route, status, seconds }: Answered): void {
    if (route !== null && ignored.has(route)) return;
    const counts = countsOf(minutes, Math.floor(now() / MINUTE_MS));
    counts.requests += 1;
    if (status >= 500) counts.serverErrors += 1;
    else if (status >= 400) counts.clientErrors += 1;
    const bucket = bucketOf(seconds * 1_000);
    counts.latencies[bucket] = (counts.latencies[bucket] ?? 0) + 1;
  }

  async function write(before: number): Promise<void> {
    const ended = [...minutes].filter(([minute]) => minute < before);
    if (ended.length === 0) return;
    for (const [minute] of ended) minutes.delete(minute);
    try {
      await addCounts(pool, ended);
    } catch (err) {
      log.warn({ err }, "requests of a minute were not written");
      for (const [minute, counts] of ended.slice(-MINUTES_MAX)) merge(countsOf(minutes, minute), counts);
    }
  }

  function schedule(): NodeJS.Timeout {
    const pause = MINUTE_MS - (now() % MINUTE_MS) + DELAY_MS;
    return setTimeout(() => {
      writing = write(Math.floor(now() / MINUTE_MS));
      timer = schedule();
    }, pause).unref();
  }

  return {
    observe,
    stop: async () => {
      clearTimeout(timer);
      await writing;
      await write(Number.POSITIVE_INFINITY);
    },
  };
}

function countsOf(minutes: Map<number, Counts>, minute: number): Counts {
  const known = minutes.get(minute);
  if (known) return known;
  const latencies = Array.from({ length: LATENCY_BUCKETS }, () => 0);
  const counts = { requests: 0, clientErrors: 0, serverErrors: 0, latencies };
  minutes.set(minute, counts);
  return counts;
}

function merge(into: Counts, counts: Counts): void {
  into.requests += counts.requests;
  into.clientErrors += counts.clientErrors;
  into.serverErrors += counts.serverErrors;
  into.latencies = into.latencies.map((count, bucket) => count + (counts.latencies[bucket] ?? 0));
}

/** Replicas add to the same rows, oldest first: otherwise two of them could wait for each other. */
async function addCounts(pool: pg.Pool, counted: readonly (readonly [number, Counts])[]): Promise<void> {
  const rows = counted
    .toSorted(([a], [b]) => a - b)
    .map(([minute, { requests, clientErrors, serverErrors, latencies }]) => ({
      minute: new Date(minute * MINUTE_MS).toISOString(),
      requests,
      client_errors: clientErrors,
      server_errors: serverErrors,
      latencies,
    }));
  await execute(pool, addSql(JSON.stringify(rows)));
}

const addSql = (rows: string): Sql => sql`
  INSERT INTO app.request_sample AS s (minute, requests, client_errors, server_errors, latencies)
  SELECT r.minute, r.requests, r.client_errors, r.server_errors, r.latencies
  FROM jsonb_to_recordset(${rows}::jsonb)
    AS r (minute timestamptz, requests bigint, client_errors bigint, server_errors bigint, latencies bigint[])
  ORDER BY r.minute
  ON CONFLICT (minute) DO UPDATE SET requests = s.requests + excluded.requests,
    client_errors = s.client_errors + excluded.client_errors, server_errors = s.server_errors + excluded.server_errors,
    latencies = ARRAY(SELECT b.stored + b.added
      FROM unnest(s.latencies, excluded.latencies) WITH ORDINALITY AS b (stored, added, position) ORDER BY b.position)`;
