import pino, { type DestinationStream, type Logger } from "pino";

/** One line per request, under its uuid: nothing that is not named here is ever written of it. */
export interface AccessLine {
  method: string;
  /** The route's pattern, never the path that was sent; null where no route was met. */
  route: string | null;
  /** 0 where the caller left before there was one. */
  status: number;
  /** The envelope's code; null where the answer is none. */
  code: number | null;
  errCode: string | null;
  /** Why authentication failed; only the log knows. */
  cause: string | null;
  /** Milliseconds from the request's headers to the end of the answer. */
  ms: number;
  keyId: string | null;
  ip: string | null;
}

/**
 * The program's log: one JSON object a line, to standard output. Errors are written by allow-list and scrubbed, since
 * URLs in their texts may carry credentials.
 */
export function createLog(program: string, level: string, destination?: DestinationStream): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: { program },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError },
  };
  return destination ? pino(options, destination) : pino(options);
}

interface DescribedError {
  name: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: DescribedError;
}

/** How many causes deep an error is told of. */
const CAUSES_MAX = 5;

/** Name, message, code, stack and causes of an error, and none of the other fields that libraries hang on theirs. */
export function describeError(error: unknown, depth = 0): DescribedError {
  if (typeof error !== "object" || error === null)
    return { name: typeof error, message: scrub(String(error)) };
  const code = text(error, "code");
  const stack = text(error, "stack");
  const cause = "cause" in error ? error.cause : undefined;
  return {
    name: text(error, "name") ?? "Object",
    message: scrub(text(error, "message") ?? text(error, "kind") ?? ""),
    ...(code ? { code } : {}),
    ...(stack ? { stack: scrub(stack) } : {}),
    ...(cause && depth < CAUSES_MAX ? { cause: describeError(cause, depth + 1) } : {}),
  };
}

function text(error: object, key: "name" | "message" | "code" | "stack" | "kind"): string | undefined {
  const value: unknown = Reflect.get(error, key);
  return typeof value === "string" ? value : undefined;
}

/** Cuts URLs down to scheme and host: user info, paths and queries of RPC and database URLs are credentials. */
export function scrub(text: string): string {
  return text
    .replace(
      /\b(https?|wss?|postgres(?:ql)?):\/\/([^\s/?#"'<>]*)([^\s"'<>)]*)/g,
      (_url, scheme, authority) => {
        const host = String(authority).split("@").at(-1);
        return `${scheme}://${host}`;
      },
    )
    .slice(0, TEXT_MAX);
}

const TEXT_MAX = 8000;
