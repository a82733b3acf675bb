import type pg from "pg";
import { z } from "zod";
import { queryMaybeOne, queryRows } from "../../../../src/db/query.ts";
import { raw, sql } from "../../../../src/db/sql.ts";

/** A build of the index of a chain, identified by the schema that the indexer writes. */
export interface Build {
  schema: string;
  /** True where the API's views read it. */
  inUse: boolean;
  /** True where it has caught up with its chains since its start. */
  ready: boolean;
  /** Time of its indexer's last heartbeat, Unix ms; null where it cannot be read. */
  heartbeatMs: number | null;
  bytes: number;
  /** Its progress by chain id, as the indexer stores it. */
  checkpoints: ReadonlyMap<number, string>;
  /** Reason not to use it any more, or null. */
  unusable: string | null;
}

const SCHEMAS = sql`
  SELECT n.nspname AS schema, obj_description(n.oid, 'pg_namespace') AS unusable,
    (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c
     WHERE c.relnamespace = n.oid AND c.relkind = 'r')::float8 AS bytes,
    EXISTS (
      SELECT FROM pg_rewrite r JOIN pg_depend d ON d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
      JOIN pg_class t ON t.oid = d.refobjid
      WHERE r.ev_class = to_regclass('onchain._ponder_checkpoint') AND t.relnamespace = n.oid) AS in_use,
    to_regclass(format('%I._ponder_checkpoint', n.nspname)) IS NOT NULL AS begun
  FROM pg_namespace n WHERE n.nspname LIKE 'onchain\\_%' ORDER BY n.nspname`;

const schemaSchema = z.object({
  schema: z.string(),
  unusable: z.string().nullable(),
  bytes: z.number(),
  inUse: z.boolean(),
  begun: z.boolean(),
});

/** Returns every build that has a schema. */
export async function readBuilds(pool: pg.Pool): Promise<Build[]> {
  const builds: Build[] = [];
  for (const { begun, ...found } of await queryRows(pool, SCHEMAS, schemaSchema)) {
    const state = begun ? await readState(pool, found.schema) : NOT_BEGUN;
    builds.push({ ...found, ...state });
  }
  return builds;
}

const NOT_BEGUN = { ready: false, heartbeatMs: null, checkpoints: new Map<number, string>() };

const checkpointSchema = z.object({ chainId: z.coerce.number(), latestCheckpoint: z.string() });
const stateSchema = z.object({ ready: z.boolean().nullable(), heartbeatMs: z.number().nullable() });

async function readState(
  pool: pg.Pool,
  schema: string,
): Promise<Pick<Build, "ready" | "heartbeatMs" | "checkpoints">> {
  // The name comes from the catalogue.
  const table = (name: string) => raw(`"${schema}".${name}`);
  const chains = await queryRows(
    pool,
    sql`SELECT chain_id, latest_checkpoint FROM ${table("_ponder_checkpoint")}`,
    checkpointSchema,
  );
  const state = await queryMaybeOne(
    pool,
    sql`
      SELECT (value ->> 'is_ready')::int = 1 AS ready, (value ->> 'heartbeat_at')::float8 AS heartbeat_ms
      FROM ${table("_ponder_meta")} WHERE key = 'app'`,
    stateSchema,
  );
  return {
    ready: state?.ready ?? false,
    heartbeatMs: state?.heartbeatMs ?? null,
    checkpoints: new Map(chains.map(({ chainId, latestCheckpoint }) => [chainId, latestCheckpoint])),
  };
}
