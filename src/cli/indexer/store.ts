import type pg from "pg";

/** A build of the indexer, by the schema that it writes. */
export interface Build {
  schema: string;
  /** The views that the API reads are of it. */
  inUse: boolean;
  /** It has caught up with its chains since its start. */
  ready: boolean;
  /** Time of its indexer's last heartbeat, Unix ms; null where that cannot be read. */
  heartbeatMs: number | null;
  bytes: number;
  /** How far it is, by chain id, as the indexer stores it. */
  checkpoints: ReadonlyMap<number, string>;
  /** Why it must not be used any more, or null. */
  unusable: string | null;
}

const SCHEMAS = `
  SELECT n.nspname AS schema, obj_description(n.oid, 'pg_namespace') AS unusable,
    (SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c
     WHERE c.relnamespace = n.oid AND c.relkind = 'r')::float8 AS bytes,
    EXISTS (
      SELECT FROM pg_rewrite r JOIN pg_depend d ON d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
      JOIN pg_class t ON t.oid = d.refobjid
      WHERE r.ev_class = to_regclass('onchain._ponder_checkpoint') AND t.relnamespace = n.oid) AS in_use,
    to_regclass(format('%I._ponder_checkpoint', n.nspname)) IS NOT NULL AS begun
  FROM pg_namespace n WHERE n.nspname LIKE 'onchain\\_%' ORDER BY n.nspname`;

/** Returns every build that has a schema. */
export async function readBuilds(pool: pg.Pool): Promise<Build[]> {
  const { rows } = await pool.query<{
    schema: string;
    unusable: string | null;
    bytes: number;
    in_use: boolean;
    begun: boolean;
  }>(SCHEMAS);
  const builds: Build[] = [];
  for (const { schema, unusable, bytes, in_use: inUse, begun } of rows) {
    const state = begun ? await readState(pool, schema) : NOT_BEGUN;
    builds.push({ schema, inUse, bytes, unusable, ...state });
  }
  return builds;
}

const NOT_BEGUN = { ready: false, heartbeatMs: null, checkpoints: new Map<number, string>() };

async function readState(
  pool: pg.Pool,
  schema: string,
): Promise<Pick<Build, "ready" | "heartbeatMs" | "checkpoints">> {
  // The name is from the catalogue.
  const { rows: chains } = await pool.query<{ chain_id: string; latest_checkpoint: string }>(
    `SELECT chain_id, latest_checkpoint FROM "${schema}"._ponder_checkpoint`,
  );
  const { rows } = await pool.query<{ ready: boolean; heartbeat: number | null }>(
    `SELECT (value ->> 'is_ready')::int = 1 AS ready, (value ->> 'heartbeat_at')::float8 AS heartbeat
     FROM "${schema}"._ponder_meta WHERE key = 'app'`,
  );
  return {
    ready: rows[0]?.ready ?? false,
    heartbeatMs: rows[0]?.heartbeat ?? null,
    checkpoints: new Map(
      chains.map(({ chain_id, latest_checkpoint }) => [Number(chain_id), latest_checkpoint]),
    ),
  };
}
