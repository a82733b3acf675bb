import { ApiError } from "../protocol/errors.ts";
import { SERVER_CAUSES, type ServerCause, serverCauseOf } from "../telemetry/sql-states.ts";

/**
 * Returns what a failed database call means to callers, with the original as its cause:
 * - DATABASE_UNAVAILABLE: unreachable, silent, shutting down, out of connections, memory or disk, or too slow (docs/api.md#errors);
 * - INDEXER_BEHIND: a view of `onchain` does not exist, since the indexer makes them after its first backfill;
 * - null: the database answered and disliked the statement, which is our mistake.
 * Classifies the errors of `pg` and of Prisma. Meant for what a database call threw: socket errors of other origin look alike.
 */
export function toDatabaseError(error: unknown): ApiError | null {
  if (error instanceof ApiError) return error;
  for (const link of chainOf(error)) {
    if (isMissingView(link)) return new ApiError("INDEXER_BEHIND", { cause: error });
    if (isUnavailable(link)) {
      countServerCause(link);
      return new ApiError("DATABASE_UNAVAILABLE", { cause: error });
    }
  }
  return null;
}

const serverFailures = new Map<ServerCause, number>(SERVER_CAUSES.map((cause) => [cause, 0]));

/** Returns how many failures of this process had each cause that lies with the database's server. */
export const countServerFailures = (): ReadonlyMap<ServerCause, number> => serverFailures;

/** Each failure is counted once: what comes of it is an ApiError, which nothing classifies again. */
function countServerCause({ code }: Link): void {
  const cause = serverCauseOf(code);
  if (cause !== null) serverFailures.set(cause, (serverFailures.get(cause) ?? 0) + 1);
}

/** Runs a database call and throws what toDatabaseError makes of its failure, else the failure itself. */
export async function withDatabaseErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toDatabaseError(error) ?? error;
  }
}

/** Returns what a read of the index answers; `otherwise` while there is no index to read. */
export async function whereIndexed<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ApiError && error.errCode === "INDEXER_BEHIND") return otherwise;
    throw error;
  }
}

/** Returns true where a statement ended because a lock could not be taken in time (`lock_timeout`). */
export const isLockTimeout = (error: unknown): boolean => chainOf(error).some(({ code }) => code === "55P03");

/** A transaction was given up for a concurrent one. */
export const SERIALIZATION_FAILURE = "40001";

/** Returns true where a transaction was given up for a concurrent one, or to end a deadlock: repeated, it may succeed. */
export const isConflict = (error: unknown): boolean =>
  chainOf(error).some(({ code }) => code === SERIALIZATION_FAILURE || code === "40P01");

/** Returns the messages of the errors of a SQLSTATE that a failure has among its causes, as `pg` or Prisma threw it. */
export const messagesOf = (error: unknown, sqlState: string): string[] =>
  chainOf(error).flatMap(({ code, message }) => (code === sqlState ? [message] : []));

/** Returns the name of the unique constraint that a statement violated, or null where it failed for another reason. */
export function violatedConstraint(error: unknown): string | null {
  if (typeof error !== "object" || error === null || !("code" in error) || error.code !== "23505")
    return null;
  return "constraint" in error && typeof error.constraint === "string" ? error.constraint : "";
}

/** The facts of one error of the chain; absent is empty. */
interface Link {
  code: string;
  kind: string;
  message: string;
  table: string;
}

// Connection exceptions (08), authentication (28), no such database (3D), given up for a concurrent transaction or a
// deadlock (40001, 40P01: the indexer's views change while they are read), no resources, such as a full disk (53), a file that cannot be
// read or written (58030), stopping, crashed or starting (57P), cancelled by a timeout (57014), lock timeout (55P03), idle transaction ended (25P03), read only since it is a
// standby: one that is about to be promoted, or an address that leads to the wrong server (25006).
const SQLSTATES = /^(08\w{3}|28\w{3}|3D000|40001|40P01|53\w{3}|58030|57P0[1-5]|57014|55P03|25P03|25006)$/;
const SOCKET =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT)$/;
// Prisma: credentials, unreachable, timed out, no such database, closed, pool exhausted, transaction not started or
// closed, too many connections.
const PRISMA = /^P(1000|1001|1002|1003|1008|1010|1011|1017|2024|2028|2037)$/;
const KINDS =
  /^(DatabaseNotReachable|DatabaseDoesNotExist|DatabaseAccessDenied|AuthenticationFailed|ConnectionClosed|TlsConnectionError|TooManyConnections|SocketTimeout|TransactionAlreadyClosed)$/;
// `pg` gives these no code, except the last one: PostgreSQL's 55000 (ALLOW_CONNECTIONS false), which has many other meanings.
const MESSAGES =
  /^(timeout exceeded when trying to connect|Connection terminated|Query read timeout|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Unable to start a transaction|database ".*" is not currently accepting connections)/;

function isUnavailable({ code, kind, message }: Link): boolean {
  return (
    SQLSTATES.test(code) ||
    SOCKET.test(code) ||
    PRISMA.test(code) ||
    KINDS.test(kind) ||
    MESSAGES.test(message.trimStart())
  );
}

function isMissingView({ code, kind, message, table }: Link): boolean {
  const missing = code === "42P01" || code === "3F000" || code === "P2021" || kind === "TableDoesNotExist";
  return missing && /\bonchain\b/.test(`${table} ${message}`);
}

/** Returns the error, what it names as cause, and what Prisma carries in `meta.driverAdapterError`. */
function chainOf(error: unknown): Link[] {
  const links: Link[] = [];
  const seen = new Set<unknown>();
  const queue: unknown[] = [error];
  while (queue.length > 0) {
    const current = queue.shift();
    if (typeof current !== "object" || current === null || seen.has(current)) continue;
    seen.add(current);
    links.push({
      code: text(current, "code") || text(current, "errorCode") || text(current, "originalCode"),
      kind: text(current, "kind"),
      message: text(current, "message"),
      table: text(current, "table"),
    });
    queue.push(
      property(current, "cause"),
      property(current, "driverAdapterError"),
      property(current, "meta"),
    );
    const inner = property(current, "errors");
    if (Array.isArray(inner)) queue.push(...inner);
  }
  return links;
}

function property(value: object, name: string): unknown {
  return name in value ? (value as Record<string, unknown>)[name] : undefined;
}

function text(value: object, name: string): string {
  const found = property(value, name);
  return typeof found === "string" ? found : "";
}
