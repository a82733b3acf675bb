import pg from "pg";

// Apart from client.ts, so that an operator's command that does not use Prisma does not load it.

export interface PoolOptions {
  /** Connections at most. */
  max: number;
  /** Timeout of a statement, milliseconds. The connection of a statement that takes longer is discarded. */
  queryTimeoutMs?: number;
  /** Timeout of a connection, milliseconds, whether the pool is exhausted or the server silent. */
  connectTimeoutMs?: number;
  /**
   * Gives statements names, so that PostgreSQL parses and plans each once per connection: those of Prisma and of
   * query.ts. Our joins take longer to plan than to run. Behind a PgBouncer that pools transactions
   * it needs 1.21 or later.
   */
  preparedStatements?: boolean;
  /** Called with the error of a connection that breaks while idle; the next statement simply opens another. */
  onIdleError?: (error: Error) => void;
}

/**
 * Returns a pool of connections for statements through `pg` itself: every wait is bounded, so a dead or silent database is an
 * error within seconds (DATABASE_UNAVAILABLE, see errors.ts) and never a hanging request.
 * The bounds are the client's own: a `statement_timeout` would have to be sent when connecting, which PgBouncer refuses.
 */
export function createPool(databaseUrl: string, options: PoolOptions): pg.Pool {
  const pool = new pg.Pool(poolConfig(databaseUrl, options));
  // Without a listener, a connection that breaks while idle would end the process.
  pool.on("error", options.onIdleError ?? (() => undefined));
  pool.on("release", closeUnlessIdle);
  if (options.preparedStatements) namePrepared(pool);
  return pool;
}

/**
 * Closes a connection that is given back within a transaction, as Prisma does where ROLLBACK or COMMIT is not answered in time: the
 * statements of others would become parts of it, and never be committed.
 */
function closeUnlessIdle(error: unknown, client: pg.PoolClient): void {
  const status = client.getTransactionStatus();
  const isOpen = status === "T" || status === "E";
  if (!error && isOpen && client instanceof pg.Client) void client.end();
}

/** Returns the bounds of a pool, as `pg` takes them. */
export function poolConfig(databaseUrl: string, options: PoolOptions): pg.PoolConfig {
  return {
    connectionString: databaseUrl,
    max: options.max,
    query_timeout: options.queryTimeoutMs ?? 10_000,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 3_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: "partner-trading",
  };
}

/**
 * Lends a connection of its own to `work`. After an error the connection is closed, which rolls back, also where it is not known what the
 * server got to see.
 * @param keepsAfter whether the connection stays open in spite of an error
 */
export async function withConnection<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
  keepsAfter: (error: unknown) => boolean = () => false,
): Promise<T> {
  const client = await pool.connect();
  // A connection that breaks, also between two statements, emits an event besides failing the next one; it would end the process where
  // nobody listens.
  client.on("error", ignore);
  try {
    const result = await work(client);
    client.release();
    return result;
  } catch (error) {
    client.release(!keepsAfter(error));
    throw error;
  } finally {
    client.off("error", ignore);
  }
}

function ignore(): void {}

/** Each connection of the server keeps its prepared statements for good: filters come in many combinations. */
const NAMED_STATEMENTS_MAX = 500;

/** Maps pools that prepare statements, and their connections, to statement names by text. */
const namings = new WeakMap<object, Map<string, string>>();

function namePrepared(pool: pg.Pool): void {
  const names = new Map<string, string>();
  namings.set(pool, names);
  pool.on("connect", (client) => namings.set(client, names));
}

/** Returns the name that a pool, or one of its connections, sends a statement under; the empty one where it is not prepared. */
export function nameOn(client: object, text: string): string {
  const names = namings.get(client);
  const known = names?.get(text);
  if (!names || known !== undefined || names.size >= NAMED_STATEMENTS_MAX) return known ?? "";
  const name = `partner_${names.size}`;
  names.set(text, name);
  return name;
}
