import pg from "pg";
import { openSchemaEngine, readSchema, schemaFilter } from "../../../src/db/schema-engine.ts";

/**
 * Returns the SQL that would bring a database to what prisma/schema.prisma describes; empty where they agree. Does not compare what
 * Prisma's schema cannot express (CHECK constraints, triggers).
 */
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
