import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import pg from "pg";
import { parseEnv } from "../config/env.ts";
import { migrate } from "./migrate.ts";
import { openSchemaEngine, readSchema, schemaFilter } from "./schema-engine.ts";

/**
 * Returns the SQL that would bring what prisma/migrations make to what prisma/schema.prisma describes; empty where they agree.
 * Migrates a database of its own, made on the same server and dropped again; never touches the one in the URL.
 * Does not compare what Prisma's schema cannot express (CHECK constraints, triggers).
 */
export async function diffMigrations(databaseUrl: string): Promise<string> {
  const name = `migration_diff_${randomUUID().replaceAll("-", "")}`;
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  const admin = new pg.Client({ connectionString: databaseUrl });
  await admin.connect();
  try {
    await admin.query(`CREATE DATABASE "${name}"`);
    await migrate(url.href, { info: () => undefined });
    return await diffDatabase(url.href);
  } finally {
    await admin.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    await admin.end();
  }
}

/** Returns the SQL that would bring a database to what prisma/schema.prisma describes; empty where they agree. */
export async function diffDatabase(databaseUrl: string): Promise<string> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    const engine = await openSchemaEngine(pool);
    const files = [{ path: "schema.prisma", content: await readSchema() }];
    const { exitCode, stdout } = await engine.diff({
      from: { tag: "schemaDatasource", files, configDir: "." },
      to: { tag: "schemaDatamodel", files },
      script: true,
      exitCode: true,
      filters: await schemaFilter(),
    });
    return exitCode === 0 ? "" : (stdout ?? "");
  } finally {
    await pool.end();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.stdout.write(await diffMigrations(parseEnv("migrate", process.env).DATABASE_URL));
}
