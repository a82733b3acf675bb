import type pg from "pg";
import type { Logger } from "pino";
import { Counter, type Registry } from "prom-client";
import { z } from "zod";
import type { Caller } from "../../auth/caller.ts";
import { execute } from "../../db/query.ts";
import { type Sql, sql } from "../../db/sql.ts";
import type { ApiError } from "../../protocol/errors.ts";

/** Answered request, as far as it is kept or decides about that. */
export interface AnsweredRequest {
  uuid: string;
  request: { method?: string | undefined };
  /** Pattern of its path. */
  route: string | null;
  /** Key with its scope; null where nobody was authenticated. */
  caller: Caller | null;
  error: ApiError | null;
  /** Data of an answer to anything but a GET, as JSON. */
  written: string | null;
}

export interface RequestLog {
  /** @param closed status: HTTP, 0 where the caller was gone before the answer; ms: how long it took */
  observe(answered: AnsweredRequest, closed: { status: number; ms: number }): void;
  /** Writes what waits; what cannot be written is lost. */
  stop(): Promise<void>;
}

interface Options {
  pool: pg.Pool;
  log: Pick<Logger, "warn">;
  registry: Registry;
  now: () => number;
  /** Parameters of the API: any other name of a field comes from the caller, and is not kept. */
  fields: ReadonlySet<string>;
  bounds?: Partial<Bounds>;
}

/** Bounds of the entries that wait to be written. */
interface Bounds {
  /** Requests that wait to be written. */
  waiting: number;
  /** Requests that are written at once, once a second. */
  batch: number;
  /** Refusals of one key in a minute: a key that repeats one error all day must not fill the disk. */
  refusalsPerMinute: number;
}

const BOUNDS: Bounds = { waiting: 2_000, batch: 500, refusalsPerMinute: 300 };
const EVERY_MS = 1_000;
const MINUTE_MS = 60_000;

/** A row of app.request_log, with the names of its columns. */
interface Row {
  uuid: string;
  at: string;
  key_id: string;
  chain_id: number;
  product_type: string;
  method: string;
  route: string;
  status: number;
  err_code: string | null;
  field: string | null;
  revert: string | null;
  duration_ms: number;
  request_id: string | null;
  tx_hash: string | null;
}

/** Returns a statement with one parameter: to serialize one for each value takes many times as long, and requests wait meanwhile. */
const insertSql = (rows: readonly Row[]): Sql => sql`
  INSERT INTO app.request_log (uuid, at, key_id, chain_id, product_type, method, route, status, err_code, field, revert, duration_ms,
    request_id, tx_hash)
  SELECT r.* FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r (uuid uuid, at timestamptz, key_id uuid, chain_id int,
    product_type text, method text, route text, status int, err_code text, field text, revert text, duration_ms int,
    request_id uuid, tx_hash text)`;

/**
 * Keeps requests of keys that were refused or wrote something in app.request_log (docs/dashboards.md#requests), in batches, behind their
 * answers. What is over a bound, and a batch that cannot be written, is dropped and counted. Bodies, queries, values of paths, signatures
 * and addresses are not kept.
 */
export function createRequestLog({ pool, log, registry, now, fields, bounds }: Options): RequestLog {
  const { waiting, batch, refusalsPerMinute } = { ...BOUNDS, ...bounds };
  const dropped = new Counter({
    name: "request_log_dropped_total",
    help: "Requests that the dashboard does not have, by cause: too many wait, too many refusals of a key in a minute, or the database",
    labelNames: ["cause"],
    registers: [registry],
  });
  const queue: Row[] = [];
  const refusals = createMinuteCount(now);
  let timer: NodeJS.Timeout | null = null;
  let writing = Promise.resolve();

  function observe(answered: AnsweredRequest, { status, ms }: { status: number; ms: number }): void {
    const { caller, route, request } = answered;
    if (caller === null || route === null) return;
    const isRefused = status >= 400;
    if (!isRefused && request.method === "GET") return;
    if (isRefused && refusals.add(caller.keyId) > refusalsPerMinute) dropped.inc({ cause: "limit of a key" });
    else if (queue.length >= waiting) dropped.inc({ cause: "too many waiting" });
    else {
      queue.push(rowOf(answered, caller, { at: new Date(now()).toISOString(), route, status, ms }));
      timer ??= setTimeout(flush, EVERY_MS).unref();
    }
  }

  function rowOf(
    { uuid, request, error, written }: AnsweredRequest,
    { keyId, chainId, productType }: Caller,
    { ms, ...facts }: { at: string; route: string; status: number; ms: number },
  ): Row {
    return {
      uuid,
      key_id: keyId,
      chain_id: chainId,
      product_type: productType,
      method: request.method ?? "",
      ...facts,
      duration_ms: Math.round(ms),
      err_code: error?.errCode ?? null,
      field: error?.param && fields.has(error.param) ? error.param : null,
      revert: error?.revert ?? null,
      ...namedIn(written),
    };
  }

  function flush(): void {
    timer = null;
    writing = write(queue.splice(0, batch)).finally(() => {
      if (queue.length > 0) timer ??= setTimeout(flush, EVERY_MS).unref();
    });
  }

  async function write(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    try {
      await execute(pool, insertSql(rows));
    } catch (err) {
      dropped.inc({ cause: "database" }, rows.length);
      log.warn({ err, requests: rows.length }, "requests were not kept for the dashboard");
    }
  }

  return {
    observe,
    stop: async () => {
      await writing;
      if (timer) clearTimeout(timer);
      await write(queue.splice(0));
    },
  };
}

/** Counts by key, from 0 again in each minute: it holds the keys of one minute at most. */
function createMinuteCount(now: () => number) {
  const counts = new Map<string, number>();
  let minute = 0;
  return {
    add: (keyId: string): number => {
      const current = Math.floor(now() / MINUTE_MS);
      if (current !== minute) counts.clear();
      minute = current;
      const count = (counts.get(keyId) ?? 0) + 1;
      counts.set(keyId, count);
      return count;
    },
  };
}

const namedSchema = z.object({
  requestId: z.uuid().nullish().catch(null),
  txHash: z
    .string()
    .regex(/^0x[0-9a-f]{64}$/)
    .nullish()
    .catch(null),
});

/** Returns the request to send and the transaction that a success names: these two fields alone, and of their own form. */
function namedIn(written: string | null): Pick<Row, "request_id" | "tx_hash"> {
  const named = written === null ? null : namedSchema.safeParse(JSON.parse(written));
  const { requestId = null, txHash = null } = named?.data ?? {};
  return { request_id: requestId, tx_hash: txHash };
}
