import { readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import {
  bindMigrationAwareSqlAdapterFactory,
  type ColumnType,
  ColumnTypeEnum,
  DriverAdapterError,
  type SqlDriverAdapter,
  type SqlQuery,
  type SqlResultSet,
} from "@prisma/driver-adapter-utils";
import type { MigrationList, SchemaEngine, SchemaFilter } from "@prisma/schema-engine-wasm";
import * as bindings from "@prisma/schema-engine-wasm/schema_engine_bg";
import pg from "pg";
import { externalTables } from "../../prisma/external.ts";
import { ROOT } from "../config/root.ts";
import { runScript } from "./run-script.ts";

/**
 * Prisma's own schema engine, in WebAssembly: it comes with npm, while the binary of the CLI is a separate download that may
 * fail. It keeps the CLI's `_prisma_migrations` table, so `prisma migrate deploy --config prisma/prisma.config.ts`
 * works on the same databases.
 */
const SCHEMA_FILE = `${ROOT}prisma/schema.prisma`;
const MIGRATIONS_DIR = `${ROOT}prisma/migrations`;

/** Lock that Prisma's CLI takes while it migrates (see migrate.ts, which takes it for the engine). */
export const MIGRATION_LOCK = 72_707_369;

/** Opens the engine on a pool. Its statements are sent one after the other. */
export async function openSchemaEngine(pool: pg.Pool): Promise<SchemaEngine> {
  loaded ??= loadEngine();
  await loaded;
  const factory = new PrismaPg(pool);
  const adapter = bindMigrationAwareSqlAdapterFactory({
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => adapt(await factory.connect(), pool),
    // It would be made next to the database in the URL, under the same name: see diff.ts for a safe one.
    connectToShadowDb: () => Promise.reject(new Error("shadow databases are not used")),
  });
  return bindings.SchemaEngine.new(
    { datamodels: [["schema.prisma", await readSchema()]] },
    () => undefined,
    adapter,
  );
}

export function readSchema(): Promise<string> {
  return readFile(SCHEMA_FILE, "utf8");
}

/** Returns the tables that migrations leave alone: the indexer's. */
export async function schemaFilter(): Promise<SchemaFilter> {
  return { externalTables: externalTables(await readSchema()), externalEnums: [] };
}

/** Reads prisma/migrations as the engine takes it, oldest first. */
export async function readMigrations(directory = MIGRATIONS_DIR): Promise<MigrationList> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  const migrationDirectories = await Promise.all(
    names.sort().map(async (name) => ({
      path: name,
      migrationFile: {
        path: "migration.sql",
        content: {
          tag: "ok" as const,
          value: await readFile(join(directory, name, "migration.sql"), "utf8"),
        },
      },
    })),
  );
  const lockfile = await readFile(join(directory, "migration_lock.toml"), "utf8");
  return {
    baseDir: directory,
    lockfile: { path: "migration_lock.toml", content: lockfile },
    migrationDirectories,
    shadowDbInitScript: "",
  };
}

let loaded: Promise<void> | undefined;

/** Part of it that is used here: the types of Node 20 leave it out. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(module: object, imports: Record<string, object>): Promise<{ exports: Record<string, unknown> }>;
};

/**
 * Loads the engine, once per process. Its package is made for bundlers that import .wasm files: in Node the instance has to be
 * made here.
 */
async function loadEngine(): Promise<void> {
  const entry = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm/schema_engine_bg");
  const module = await WebAssembly.compile(await readFile(join(dirname(entry), "schema_engine_bg.wasm")));
  const instance = await WebAssembly.instantiate(module, {
    "./schema_engine_bg.js": Object.fromEntries(Object.entries(bindings).map(withoutHold)),
  });
  // The engine writes why it panics here, before it does.
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message: (message: string) => {
        throw new Error(`the schema engine failed: ${message}`);
      },
    },
  });
  bindings.__wbg_set_wasm(instance.exports);
  const start = instance.exports.__wbindgen_start;
  if (typeof start !== "function") throw new Error("@prisma/schema-engine-wasm has no start function");
  start();
}

/** Returns the binding of setTimeout with timers that keep no process alive: the engine leaves the timer of its lock running. */
function withoutHold([name, binding]: [string, unknown]): [string, unknown] {
  if (!name.startsWith("__wbg_setTimeout_")) return [name, binding];
  return [name, (callback: () => void, delayMs: number) => setTimeout(callback, delayMs).unref()];
}

/** A session's lock would strand behind a connection pooler, so migrate.ts holds the same one in a transaction. */
const ENGINE_LOCK = `SELECT pg_advisory_lock(${MIGRATION_LOCK})`;

/** Makes up for three differences between the driver adapter and what the native engine does. */
function adapt(adapter: SqlDriverAdapter, pool: pg.Pool): SqlDriverAdapter {
  const queryRaw = adapter.queryRaw.bind(adapter);
  const executeRaw = adapter.executeRaw.bind(adapter);
  return Object.assign(adapter, {
    // It would cut a script at every semicolon, also within a function's body, and run the pieces one by one. Sent whole,
    // a script is one implicit transaction: a migration that fails half way leaves nothing behind.
    executeScript: async (script: string): Promise<void> => {
      try {
        await runScript(pool, script);
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) throw error;
        await pool.query(ROLL_BACK);
        throw withReason(error);
      }
    },
    executeRaw: async (query: SqlQuery): Promise<number> => {
      return query.sql === ENGINE_LOCK ? 0 : executeRaw(query);
    },
    queryRaw: async (query: SqlQuery): Promise<SqlResultSet> => {
      try {
        return await queryRaw(query);
      } catch (error) {
        if (!isCharError(error)) throw error;
        return queryCatalogue(pool, query);
      }
    },
  });
}

/**
 * Enters that PostgreSQL has refused the script that runs: nothing of it is there. Otherwise the engine applies nothing any more, until
 * somebody says so. Whoever migrates holds the lock, so there is one.
 */
const ROLL_BACK =
  "UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL";

/** Returns PostgreSQL's error in the form whose message the engine passes on: of any other it says that there was one. */
const withReason = ({ code = "", severity = "ERROR", message, detail, column, hint }: pg.DatabaseError) =>
  new DriverAdapterError({ kind: "postgres", code, severity, message, detail, column, hint });

/** Returns true for the adapter's error about PostgreSQL's internal "char", which the catalogue queries of a diff return. */
function isCharError(error: unknown): boolean {
  if (!(error instanceof Error) || typeof error.cause !== "object" || error.cause === null) return false;
  return "type" in error.cause && error.cause.type === "char";
}

const CATALOGUE_TYPES = new Map<number, ColumnType>([
  [pg.types.builtins.BOOL, ColumnTypeEnum.Boolean],
  [pg.types.builtins.CHAR, ColumnTypeEnum.Character],
  [pg.types.builtins.INT8, ColumnTypeEnum.Int64],
  [pg.types.builtins.INT2, ColumnTypeEnum.Int32],
  [pg.types.builtins.INT4, ColumnTypeEnum.Int32],
  [pg.types.builtins.OID, ColumnTypeEnum.Int64],
  [1003, ColumnTypeEnum.TextArray], // name[]
  [1009, ColumnTypeEnum.TextArray], // text[]
]);

async function queryCatalogue(pool: pg.Pool, { sql, args }: SqlQuery): Promise<SqlResultSet> {
  const result = await pool.query({ text: sql, values: [...args], rowMode: "array" });
  return {
    columnNames: result.fields.map((field) => field.name),
    columnTypes: result.fields.map((field) => CATALOGUE_TYPES.get(field.dataTypeID) ?? ColumnTypeEnum.Text),
    rows: result.rows,
  };
}
