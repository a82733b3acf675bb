import { ApiError } from "../protocol/errors.ts";

/**
 * The ApiError that callers are told of, for anything that was thrown: the ApiError itself, also where GraphQL wrapped
 * it; DATABASE_UNAVAILABLE where the database could not be reached; INTERNAL for everything else, with the
 * original as its cause.
 */
export function toApiError(error: unknown): ApiError {
  const thrown = unwrap(error);
  if (thrown instanceof ApiError) return thrown;
  if (isDatabaseUnavailable(thrown)) return new ApiError("DATABASE_UNAVAILABLE", { cause: thrown });
  return new ApiError("INTERNAL", { cause: thrown });
}

/** GraphQL wraps what a resolver throws, once or more often. */
function unwrap(error: unknown): unknown {
  let current = error;
  while (isObject(current) && "originalError" in current && current.originalError) {
    current = current.originalError;
  }
  return current;
}

/** PostgreSQL: connection exceptions (08), shutdown and crash recovery (57P), no slots left (53300), cancelled (57014). */
const SQLSTATE = /^(08...|57P0[1-5]|53[0-4]00|57014|55P03)$/;
const SOCKET = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
/** Prisma: cannot reach, timed out, connection closed, pool exhausted, transaction not started in time. */
const PRISMA = new Set(["P1000", "P1001", "P1002", "P1008", "P1011", "P1017", "P2024", "P2028", "P2037"]);
/** node-postgres has no code for these. */
const MESSAGES =
  /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end|DatabaseNotReachable|SocketTimeout|ConnectionClosed|TooManyConnections)/;

/** True where the database was out of reach, rather than displeased with the statement. Walks causes. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const seen = new Set<unknown>();
  let current = error;
  while (isObject(current) && !seen.has(current)) {
    seen.add(current);
    // What fetch throws when a chain node or the market data is out of reach: not ours to call the database.
    if ("name" in current && current.name === "TypeError") return false;
    if (tells(current)) return true;
    current = "cause" in current ? current.cause : undefined;
  }
  return false;
}

function tells(error: object): boolean {
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (SQLSTATE.test(code) || PRISMA.has(code) || SOCKET.has(code)) return true;
  if ("errorCode" in error && typeof error.errorCode === "string" && PRISMA.has(error.errorCode)) return true;
  // A driver adapter's error is an object whose `kind` names what happened.
  if ("kind" in error && typeof error.kind === "string" && MESSAGES.test(error.kind)) return true;
  if ("errors" in error && Array.isArray(error.errors)) {
    return error.errors.some((inner) => isObject(inner) && tells(inner));
  }
  return "message" in error && typeof error.message === "string" && MESSAGES.test(error.message);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
