import pino, { type DestinationStream, type Logger } from "pino";
import { serverCauseIn } from "./sql-states.ts";
import { activeSpan, isTracing } from "./tracing.ts";

/** One line per request, under its uuid: nothing that is not named here is ever written of it. */
export interface AccessLine {
  method: string;
  /** Pattern of the route, never the path that was sent; null where no route was met. */
  route: string | null;
  /** 0 where the caller left before there was one. */
  status: number;
  /** The envelope's code; null where the answer is none. */
  code: number | null;
  errCode: string | null;
  /** Why authentication failed; no answer has it. */
  cause: string | null;
  /** Milliseconds from the request's headers to the end of the answer. */
  ms: number;
  keyId: string | null;
  /** The name of the dashboard user. */
  user?: string;
  ip: string | null;
  /** Why a stream ended. */
  streamEnd?: string;
}

/**
 * Creates the program's log: one JSON object a line, to standard output. Errors are written by allow-list, and all texts are
 * scrubbed: a library puts into its error what it had sent, a node into its answer what it was sent.
 */
export function createLog(program: string, level: string, destination?: DestinationStream): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: { program },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: scrubFields },
    serializers: { err: describeError },
    ...(isTracing() ? { mixin: traceFields } : {}),
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Names the trace of a line; a line beside any trace has no such field. */
function traceFields(): object {
  const span = activeSpan();
  return span ? { trace_id: span.traceId } : {};
}

interface DescribedError {
  name: string;
  message: string;
  code?: string;
  /** Meaning of a SQLSTATE for the database's server, in words. */
  database?: string;
  stack?: string;
  cause?: DescribedError;
}

/** Maximum number of nested causes of an error that are logged. */
const CAUSES_MAX = 5;

/** Returns name, message, code with what it says of the database, stack and causes of an error, and none of the other fields that libraries hang on theirs. */
export function describeError(error: unknown, depth = 0): DescribedError {
  if (typeof error !== "object" || error === null)
    return { name: typeof error, message: scrub(String(error)) };
  const code = text(error, "code");
  const database = serverCauseIn(error);
  const stack = text(error, "stack");
  const cause = "cause" in error ? error.cause : undefined;
  return {
    name: text(error, "name") ?? "Object",
    message: scrub(text(error, "message") ?? text(error, "kind") ?? ""),
    ...(code ? { code } : {}),
    ...(database ? { database } : {}),
    ...(stack ? { stack: scrub(stack) } : {}),
    ...(cause && depth < CAUSES_MAX ? { cause: describeError(cause, depth + 1) } : {}),
  };
}

function text(error: object, key: "name" | "message" | "code" | "stack" | "kind"): string | undefined {
  const value: unknown = Reflect.get(error, key);
  return typeof value === "string" ? value : undefined;
}

/**
 * Cuts URLs down to scheme and host (user info, paths and queries of RPC and database URLs are credentials), and bytes
 * that are longer than a hash to their first four: call data and signed transactions hold users' signatures.
 */
export function scrub(text: string): string {
  return text.replace(URLS, cutUrl).replace(LONG_HEX, cutBytes).slice(0, TEXT_MAX);
}

const URLS = /\b(https?|wss?|postgres(?:ql)?):\/\/([^\s/?#"'<>]*)([^\s"'<>)]*)/g;
/** More than 32 bytes: neither hash nor address. */
const LONG_HEX = /(0x)?[0-9a-f]{65,}/gi;
const TEXT_MAX = 8000;

function cutUrl(_url: string, scheme: string, authority: string): string {
  return `${scheme}://${authority.split("@").at(-1)}`;
}

function cutBytes(bytes: string, prefix = ""): string {
  const digits = bytes.slice(prefix.length);
  return `${prefix}${digits.slice(0, 8)}...(${Math.ceil(digits.length / 2)} bytes)`;
}

/** Returns the fields of a line, scrubbed at any depth. Errors stay as they are: their serializer handles them. */
function scrubFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, scrubValue(value)]));
}

function scrubValue(value: unknown): unknown {
  if (typeof value === "string") return scrub(value);
  if (Array.isArray(value)) return value.map(scrubValue);
  const plain =
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  return plain ? scrubFields({ ...value }) : value;
}
