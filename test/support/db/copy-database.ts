import pg from "pg";

/** A copy of a database, as a backup of it by PostgreSQL itself. Connections to the database are closed whenever it is copied. */
export interface Backup {
  make(): Promise<void>;
  /** Puts the copy into the database's place. */
  restore(): Promise<void>;
  drop(): Promise<void>;
}

export function backupOf(databaseUrl: string): Backup {
  const name = new URL(databaseUrl).pathname.slice(1);
  const backup = `${name}_backup`;
  const administer = async (...statements: string[]): Promise<void> => {
    const url = new URL(databaseUrl);
    url.pathname = "/postgres";
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const copy = (from: string, to: string): Promise<void> =>
    administer(
      `DROP DATABASE IF EXISTS ${to} WITH (FORCE)`,
      `ALTER DATABASE ${from} ALLOW_CONNECTIONS false`,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${from}'`,
      `CREATE DATABASE ${to} TEMPLATE ${from}`,
      `ALTER DATABASE ${from} ALLOW_CONNECTIONS true`,
    );
  return {
    make: () => copy(name, backup),
    restore: () => copy(backup, name),
    drop: () => administer(`DROP DATABASE IF EXISTS ${backup} WITH (FORCE)`),
  };
}
