import type pg from "pg";
import { bindSpan, isTracing, type Span, startSpan } from "../telemetry/tracing.ts";

/**
 * Makes a span of each statement that the connections of a pool run while a trace is active, named by its verb and tables: values
 * are arguments, and are in no span. Does nothing where no traces are made.
 */
export function tracePool(pool: pg.Pool): void {
  if (!isTracing()) return;
  const connect = pool.connect.bind(pool) as (callback?: (...args: never[]) => unknown) => unknown;
  // The release of a connection calls back the next waiting caller: the statement belongs to the trace of that caller.
  pool.connect = ((callback?: (...args: never[]) => unknown) =>
    callback ? connect(bindSpan(callback)) : connect()) as typeof pool.connect;
  pool.on("connect", (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => traced(query, args)) as typeof client.query;
  });
}

function traced(query: (...args: unknown[]) => unknown, args: unknown[]): unknown {
  const summary = summaryOf(textOf(args[0]));
  const span = startSpan(summary, {
    kind: "client",
    attributes: { "db.system.name": "postgresql", "db.query.summary": summary },
  });
  if (span === null) return query(...args);
  const callback = args.at(-1);
  if (typeof callback === "function") {
    const ended = (error: unknown, ...rest: unknown[]) => {
      endOf(span, error);
      return callback(error, ...rest);
    };
    return query(...args.slice(0, -1), ended);
  }
  const result = query(...args);
  if (!(result instanceof Promise)) {
    span.end();
    return result;
  }
  result.then(
    () => endOf(span, null),
    (error: unknown) => endOf(span, error),
  );
  return result;
}

/** Ends a span. Names an error of PostgreSQL by its SQLSTATE: its message may hold values. */
function endOf(span: Span, error: unknown): void {
  const code = error instanceof Error && "code" in error ? String(error.code) : "Error";
  span.end(error ? code : undefined);
}

const textOf = (statement: unknown): string => {
  if (typeof statement === "string") return statement;
  const text = typeof statement === "object" && statement !== null && "text" in statement && statement.text;
  return typeof text === "string" ? text : "";
};

/** Statements come in many texts where they are put together, and each is summed up once. */
const SUMMARIES_MAX = 1_000;
const TABLES_MAX = 3;
const summaries = new Map<string, string>();

/** A SELECT with FOR UPDATE locks rows, and writes none. */
const WRITES = /\b(?:(INSERT) INTO|(?<!FOR )(UPDATE)|(DELETE) FROM)\s/i;
const TABLES = /\b(?:FROM|JOIN|INTO|UPDATE)\s+"?(app|onchain)"?\."?(\w+)"?/gi;

/** Returns what a statement is called: what it writes, else that it reads, and the first tables that it names. */
export function summaryOf(text: string): string {
  const known = summaries.get(text);
  if (known !== undefined) return known;
  const written = WRITES.exec(text)?.slice(1).find(Boolean);
  const verb = written ?? /^\s*(\w+)/.exec(text)?.[1] ?? "query";
  const names = [...text.matchAll(TABLES)].map(([, schema, table]) => `${schema}.${table}`);
  const tables = [...new Set(names)].slice(0, TABLES_MAX);
  const summary = [verb.toUpperCase().replace("WITH", "SELECT"), ...tables].join(" ");
  if (summaries.size < SUMMARIES_MAX) summaries.set(text, summary);
  return summary;
}
