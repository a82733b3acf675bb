import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { DeploymentsInput } from "../../../src/config/deployments.ts";
import { CHANNELS } from "../../../src/db/notifications.ts";
import { present, until } from "../../support/assert/until.ts";
import { startAnvil } from "../../support/chain/anvil.ts";
import { builtScript } from "../../support/program/built.ts";
import { startServer } from "../contestants/process.ts";
import { type DataSet, TABLES_SCHEMA } from "../dataset/database.ts";

/** Orders that change in turns: so many that none changes twice within a step, which would be one event. */
const CHANGED_ORDERS = 200;
const UNFINAL_BLOCKS = 64;

/** Begins to change orders of other keys than the largest, each in a block of its own. @returns ends it, once each change is an event */
type Change = (perSecond: number) => () => Promise<void>;

export interface BusyChains {
  /** Has both chains in its deployments. */
  data: DataSet;
  changes: Readonly<Record<"own" | "other", Change>>;
}

/** Runs a worker over a data set and a second chain, which has orders of the smaller keys. Nothing is left to fill when `run` begins. */
export async function withBusyChains(
  data: DataSet,
  rpcUrl: string,
  run: (chains: BusyChains) => Promise<void>,
): Promise<void> {
  const { chainId: own, apiKey } = present(data.keys[0], "a key");
  const other = own + 1;
  const anvil = await startAnvil({ chainId: other });
  const pool = new pg.Pool({ connectionString: data.urls.admin, max: 4 });
  try {
    const orderIds = await copyOrders(pool, { own, other, apiKey });
    const env = { ...data.env, DEPLOYMENTS_FILE: withSecondChain(data, [rpcUrl, anvil.rpcUrl]) };
    const worker = await startServer({
      name: "worker",
      args: [builtScript("src/bin/worker.ts")],
      env: { ...env, DATABASE_URL: data.urls.worker, LOG_LEVEL: "warn" },
      path: "/livez",
    });
    try {
      await untilFilled(pool);
      const changes = {
        own: await changesOf(pool, own, orderIds),
        other: await changesOf(pool, other, orderIds),
      };
      await run({ data: { ...data, env }, changes });
    } finally {
      await worker.stop();
    }
  } finally {
    await pool.end();
    await anvil.stop();
  }
}

/** Writes a deployments file with the same products on a second chain. @returns its path */
function withSecondChain({ env }: DataSet, [first, second]: [string, string]): string {
  const path = present(env.DEPLOYMENTS_FILE, "a deployments file");
  const { chains } = JSON.parse(readFileSync(path, "utf8")) as DeploymentsInput;
  const chain = present(chains[0], "a chain");
  const both: DeploymentsInput = {
    chains: [
      { ...chain, rpcUrls: [first] },
      { ...chain, chainId: chain.chainId + 1, rpcUrls: [second] },
    ],
  };
  const pathOfBoth = `${path}.both.json`;
  writeFileSync(pathOfBoth, JSON.stringify(both));
  return pathOfBoth;
}

/** Copies orders of other keys than one to a second chain, with what the index has beside them. As in the data set, no trigger fires. */
async function copyOrders(
  pool: pg.Pool,
  { own, other, apiKey }: { own: number; other: number; apiKey: string },
): Promise<string[]> {
  const client = await pool.connect();
  try {
    await client.query("SET session_replication_role = replica");
    const { rows } = await client.query<{ order_id: string; claim_id: string }>(
      `SELECT o.order_id, c.claim_id FROM app.transaction_claim c
         JOIN ${TABLES_SCHEMA}.stock_order o ON o.chain_id = c.chain_id AND o.tx_hash = c.tx_hash
       WHERE c.chain_id = $1 AND c.source = 'recorded' AND c.key_id <> (SELECT key_id FROM app.api_key WHERE api_key = $2)
       ORDER BY c.claim_id LIMIT $3`,
      [own, apiKey, CHANGED_ORDERS],
    );
    const orderIds = rows.map(({ order_id: orderId }) => orderId);
    const ofOrders = ["stock_order", "order_fill"].map((table) =>
      copied(`${TABLES_SCHEMA}.${table}`, "", "AND t.order_id = ANY($3)"),
    );
    for (const statement of ofOrders) await client.query(statement, [own, other, orderIds]);
    for (const table of ["stock_token", "event_block", "_ponder_checkpoint"]) {
      const more = table === "_ponder_checkpoint" ? ", 'chain_name', 'second'" : "";
      await client.query(copied(`${TABLES_SCHEMA}.${table}`, more), [own, other]);
    }
    const claims = copied(
      "app.transaction_claim",
      ", 'claim_id', gen_random_uuid()",
      "AND t.claim_id = ANY($3::uuid[])",
    );
    await client.query(claims, [own, other, rows.map(({ claim_id: claimId }) => claimId)]);
    return orderIds;
  } finally {
    client.release(true);
  }
}

/** Returns a statement that copies rows of a chain to another one. */
const copied = (table: string, more = "", condition = ""): string =>
  `INSERT INTO ${table} SELECT (jsonb_populate_record(t, jsonb_build_object('chain_id', $2::int ${more}))).*
   FROM ${table} t WHERE t.chain_id = $1::int ${condition}`;

/** Waits until the rows of both chains are complete. */
async function untilFilled(pool: pg.Pool): Promise<void> {
  const filled = async () => {
    const { rows } = await pool.query(
      "SELECT count(*) = 2 AS filled FROM app.event_chain WHERE filled AND filled_to IS NULL",
    );
    return rows[0].filled === true;
  };
  await until("the worker has filled both chains", filled, 600_000);
}

/** The payload of Ponder's notification of a block with changed orders. */
const CHANGED = JSON.stringify(["stock_order"]);

async function changesOf(pool: pg.Pool, chainId: number, orderIds: readonly string[]): Promise<Change> {
  const { rows } = await pool.query(
    "SELECT substr(latest_checkpoint, 27, 16)::int AS block FROM onchain._ponder_checkpoint WHERE chain_id = $1",
    [chainId],
  );
  const first: number = rows[0].block;
  let changed = 0;
  const change = () => {
    changed += 1;
    const orderId = present(orderIds[changed % orderIds.length], "an order");
    return pool.query(CHANGE, [chainId, first + changed, orderId, CHANNELS.index, CHANGED]);
  };
  const eventsOf = async () => {
    const { rows: counted } = await pool.query(
      "SELECT count(*)::int AS events FROM app.event WHERE chain_id = $1",
      [chainId],
    );
    return counted[0].events as number;
  };
  const before = await eventsOf();
  return (perSecond) => {
    let isRunning = true;
    const startedMs = performance.now();
    const run = async () => {
      for (let n = 0; isRunning; n++) {
        await sleep(Math.max(0, startedMs + (n * 1_000) / perSecond - performance.now()));
        await change();
      }
    };
    const running = run();
    return async () => {
      isRunning = false;
      await running;
      await until("each change is an event", async () => (await eventsOf()) - before === changed);
    };
  };
}

/** A block with a change of one order, as the indexer commits it. */
const CHANGE = `WITH changed AS (
    UPDATE ${TABLES_SCHEMA}.stock_order SET updated_block = $2, updated_at = updated_at + 1 WHERE chain_id = $1 AND order_id = $3
  ), block AS (
    INSERT INTO ${TABLES_SCHEMA}.event_block (chain_id, number, hash) VALUES ($1, $2, '0x' || lpad(to_hex($2::bigint), 64, '0'))
  ), moved AS (
    UPDATE ${TABLES_SCHEMA}._ponder_checkpoint SET latest_checkpoint = ${checkpointAt("latest_checkpoint", "$2::bigint")},
      safe_checkpoint = ${checkpointAt("safe_checkpoint", `$2::bigint - ${UNFINAL_BLOCKS}`)}
    WHERE chain_id = $1
  )
  SELECT pg_notify($4, $5)`;

function checkpointAt(column: string, block: string): string {
  return `substr(${column}, 1, 26) || lpad((${block})::text, 16, '0') || substr(${column}, 43)`;
}
