// Creates the views of the index over one schema, or over those of several chains.
import pg from "pg";

/** Schema of the views through which all programs read the index. */
export const VIEWS_SCHEMA = "onchain";

const id = pg.escapeIdentifier;

/** Columns of the tables that readers see. */
const COLUMNS = `SELECT c.relname AS "table", json_agg(quote_ident(a.attname) ORDER BY a.attnum) AS columns,
    json_agg(format_type(a.atttypid, a.atttypmod) ORDER BY a.attnum) AS types
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p', 'v') AND NOT c.relispartition
    AND (c.relname !~ '^_' OR c.relname IN ('_ponder_meta', '_ponder_checkpoint'))
  GROUP BY c.relname ORDER BY c.relname`;

interface Table {
  table: string;
  columns: string[];
  types: string[];
}

const tablesOf = async (client: pg.Client, schema: string): Promise<Table[]> =>
  (await client.query<Table>(COLUMNS, [id(schema)])).rows;

/** Returns whether one view can show the tables of both schemas. */
export async function sameColumns(client: pg.Client, schema: string, other: string): Promise<boolean> {
  const [one, another] = [await tablesOf(client, schema), await tablesOf(client, other)];
  return JSON.stringify(one) === JSON.stringify(another);
}

/** The half of an activity as release 0.3.0 reads it: nine values in one text. */
const OPEN_ACTIVITY = `CASE WHEN open_kind IS NOT NULL THEN concat_ws(' ',
  CASE open_kind WHEN 'other' THEN 'ledger' ELSE 'cause' END, open_tx_hash, open_delta, open_log_index, open_block_number,
  open_timestamp, open_kind, coalesce(open_cause_id, ''), open_locked) END AS open_activity`;

/**
 * Columns that the release before reads, of tables that have others in their place: its programs run on the views of this build, too
 * (docs/operations/upgrade.md). The next release needs none of them.
 */
const RELEASED_COLUMNS: Readonly<Record<string, string>> = {
  cash_balance: `, ${OPEN_ACTIVITY}`,
  stock_balance: `, ${OPEN_ACTIVITY}`,
};

/** Creates the views of the builds, and what notifies of their blocks on the channel of the views. */
export async function createViews(
  client: pg.Client,
  views: string,
  builds: ReadonlyMap<number, string>,
): Promise<void> {
  const schemas = [...new Set(builds.values())].sort();
  const tables = await tablesOf(client, schemas[0] ?? "");
  for (const { table, columns } of tables)
    await client.query(`CREATE VIEW ${id(views)}.${id(table)} AS ${viewOf(table, columns, schemas)}`);
  for (const schema of schemas) await notify(client, schema);
}

/**
 * Returns the statement of a view. A branch names no chain: its table has the rows of its own chain alone, and a condition on a branch, or
 * a constant in the place of its column, would keep PostgreSQL from using the index that begins with chain_id.
 */
function viewOf(table: string, columns: readonly string[], schemas: readonly string[]): string {
  const [only, ...others] = schemas;
  if (only !== undefined && others.length === 0)
    return `SELECT *${RELEASED_COLUMNS[table] ?? ""} FROM ${id(only)}.${id(table)}`;
  if (table === "_ponder_meta") return metaOf(schemas);
  const branches = schemas.map(
    (schema) =>
      `SELECT ${columns.join(", ")}${RELEASED_COLUMNS[table] ?? ""} FROM ${id(schema)}.${id(table)}${
        table === "_ponder_checkpoint" ? ` WHERE ${readyIn(schema)}` : ""
      }`,
  );
  return branches.join(" UNION ALL ");
}

const readyIn = (schema: string) =>
  `(SELECT (value ->> 'is_ready')::int = 1 FROM ${id(schema)}._ponder_meta WHERE key = 'app')`;

/**
 * One row, as Ponder's table has it: the index is ready while that of a chain is; checkpoints are those of the chains that are. `builds`
 * has their builds by chain id (src/db/checkpoint.ts).
 */
const metaOf = (schemas: readonly string[]) => `SELECT 'app'::text AS key, jsonb_build_object(
    'is_ready', (count(*) FILTER (WHERE ready) > 0)::int,
    'build_id', string_agg(DISTINCT build_id, ' '),
    'builds', coalesce(jsonb_object_agg(chain_id, build_id) FILTER (WHERE ready), '{}')) AS value
  FROM (${schemas
    .map(
      (schema) => `SELECT c.chain_id, (m.value ->> 'is_ready')::int = 1 AS ready,
        coalesce(m.value ->> 'build_id', '') AS build_id
      FROM ${id(schema)}._ponder_checkpoint c CROSS JOIN ${id(schema)}._ponder_meta m WHERE m.key = 'app'`,
    )
    .join(" UNION ALL ")}) chains`;

const NOTIFICATION = `${VIEWS_SCHEMA}_live_query_notify`;

/** Creates the notification of each commit as Ponder's own is, whose channel has the schema's name. */
async function notify(client: pg.Client, schema: string): Promise<void> {
  if ((await triggerState(client, schema)) === "O") return;
  const { rows } = await client.query<{ source: string }>(
    "SELECT prosrc AS source FROM pg_proc WHERE oid = $1::regprocedure",
    [`${id(schema)}.live_query_notify()`],
  );
  const source = (rows[0]?.source ?? "").replaceAll(`${schema}_live_query`, `${VIEWS_SCHEMA}_live_query`);
  await client.query(
    `CREATE OR REPLACE FUNCTION ${id(schema)}.${NOTIFICATION}() RETURNS trigger LANGUAGE plpgsql AS ${pg.escapeLiteral(source)};
     CREATE OR REPLACE TRIGGER ${NOTIFICATION} AFTER INSERT OR UPDATE OR DELETE
     ON ${id(schema)}._ponder_checkpoint FOR EACH STATEMENT EXECUTE FUNCTION ${id(schema)}.${NOTIFICATION}()`,
  );
}

/** Ends the notification of a build that the views no longer show. To drop the trigger would wait for readers. */
export async function endNotifications(client: pg.Client, schema: string): Promise<void> {
  if ((await triggerState(client, schema)) !== null)
    await client.query(`ALTER TABLE ${id(schema)}._ponder_checkpoint DISABLE TRIGGER ${NOTIFICATION}`);
}

/** @returns the state of the notification's trigger, O where it fires; null where there is none */
async function triggerState(client: pg.Client, schema: string): Promise<string | null> {
  const { rows } = await client.query<{ state: string }>(
    `SELECT tgenabled AS state FROM pg_trigger WHERE tgrelid = to_regclass($1) AND tgname = $2`,
    [`${id(schema)}._ponder_checkpoint`, NOTIFICATION],
  );
  return rows[0]?.state ?? null;
}
