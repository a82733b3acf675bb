import type pg from "pg";
import type { Logger } from "pino";
import { execute } from "../../db/query.ts";
import { type Sql, sql } from "../../db/sql.ts";
import { bucketOf, LATENCY_BUCKETS } from "./latency.ts";

/** Part of an answered request that is counted. */
interface Answered {
  /** One of a fixed set. */
  method: string;
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

/** Counts of one minute, by endpoint. */
type Minute = Map<string, Counts>;

const MINUTE_MS = 60_000;
/** Span of a row of app.endpoint_sample: a row for each endpoint and minute would be a million a month. */
const ENDPOINT_MS = 10 * MINUTE_MS;
/** A path without a route, whoever made it up. */
const NO_ENDPOINT = "none";
/** After a minute has ended, milliseconds. */
const DELAY_MS = 1_000;
/** A database that is away for longer takes the oldest minutes with it. */
const MINUTES_MAX = 24 * 60;

/**
 * Counts requests by minute and endpoint in memory, and adds each minute that has ended to app.request_sample and app.endpoint_sample, in
 * one statement a minute.
 * Minutes that cannot be written are kept, and tried again a minute later. Where the database took a statement whose answer was
 * lost, that minute counts twice.
 */
export function createRequestCounts({ pool, log, now, except }: Options): RequestCounts {
  const ignored = new Set(except);
  const minutes = new Map<number, Minute>();
  let timer = schedule();
  let writing = Promise.resolve();

  function observe({ method, route, status, seconds }: Answered): void {
    if (route !== null && ignored.has(route)) return;
    const endpoint = route === null ? NO_ENDPOINT : `${method} ${route}`;
    const counts = countsOf(minuteOf(minutes, Math.floor(now() / MINUTE_MS)), endpoint);
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
      for (const [minute, counted] of ended.slice(-MINUTES_MAX)) {
        const kept = minuteOf(minutes, minute);
        for (const [endpoint, counts] of counted) merge(countsOf(kept, endpoint), counts);
      }
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

function minuteOf(minutes: Map<number, Minute>, minute: number): Minute {
  const known = minutes.get(minute) ?? new Map();
  minutes.set(minute, known);
  return known;
}

function countsOf<Key>(all: Map<Key, Counts>, key: Key): Counts {
  const known = all.get(key) ?? {
    requests: 0,
    clientErrors: 0,
    serverErrors: 0,
    latencies: Array.from({ length: LATENCY_BUCKETS }, () => 0),
  };
  all.set(key, known);
  return known;
}

function merge(into: Counts, counts: Counts): void {
  into.requests += counts.requests;
  into.clientErrors += counts.clientErrors;
  into.serverErrors += counts.serverErrors;
  into.latencies = into.latencies.map((count, bucket) => count + (counts.latencies[bucket] ?? 0));
}

/** Replicas add to the same rows, in one order: otherwise two of them could wait for each other. */
async function addCounts(pool: pg.Pool, counted: readonly (readonly [number, Minute])[]): Promise<void> {
  const byMinute = new Map<number, Counts>();
  const bySpan = new Map<string, Counts>();
  for (const [minute, ofMinute] of counted)
    for (const [endpoint, counts] of ofMinute) {
      const begin = Math.floor((minute * MINUTE_MS) / ENDPOINT_MS) * ENDPOINT_MS;
      merge(countsOf(byMinute, minute * MINUTE_MS), counts);
      merge(countsOf(bySpan, `${begin} ${endpoint}`), counts);
    }
  const minutes = [...byMinute].map(([ms, counts]) => toRow(ms, "", counts));
  const endpoints = [...bySpan].map(([name, counts]) => {
    const [begin = "", ...endpoint] = name.split(" ");
    return toRow(Number(begin), endpoint.join(" "), counts);
  });
  await execute(pool, addSql(JSON.stringify(minutes), JSON.stringify(endpoints)));
}

const toRow = (beginMs: number, endpoint: string, counts: Counts) => ({
  begin: new Date(beginMs).toISOString(),
  endpoint,
  requests: counts.requests,
  client_errors: counts.clientErrors,
  server_errors: counts.serverErrors,
  latencies: counts.latencies,
});

const rowsOf = (rows: string): Sql => sql`
  jsonb_to_recordset(${rows}::jsonb) AS r (begin timestamptz, endpoint text, requests bigint, client_errors bigint,
    server_errors bigint, latencies bigint[])`;

const ADDED = sql`
  requests = s.requests + excluded.requests, client_errors = s.client_errors + excluded.client_errors,
  server_errors = s.server_errors + excluded.server_errors,
  latencies = ARRAY(SELECT b.stored + b.added
    FROM unnest(s.latencies, excluded.latencies) WITH ORDINALITY AS b (stored, added, position) ORDER BY b.position)`;

const addSql = (minutes: string, endpoints: string): Sql => sql`
  WITH minutes AS (
    INSERT INTO app.request_sample AS s (minute, requests, client_errors, server_errors, latencies)
    SELECT r.begin, r.requests, r.client_errors, r.server_errors, r.latencies FROM ${rowsOf(minutes)} ORDER BY r.begin
    ON CONFLICT (minute) DO UPDATE SET ${ADDED}
  )
  INSERT INTO app.endpoint_sample AS s (begin, endpoint, requests, client_errors, server_errors, latencies)
  SELECT r.begin, r.endpoint, r.requests, r.client_errors, r.server_errors, r.latencies FROM ${rowsOf(endpoints)}
  ORDER BY r.begin, r.endpoint
  ON CONFLICT (begin, endpoint) DO UPDATE SET ${ADDED}`;
