import type pg from "pg";
import { pino } from "pino";
import { loadDeployments } from "../../../src/config/deployments.ts";
import { createPool } from "../../../src/db/client.ts";
import { createEventWriter } from "../../../src/events/writer/write.ts";
import type { DataSet } from "../dataset/database.ts";
import { median } from "../rounds.ts";
import { secondsOf } from "../sandbox/cpu.ts";
import type { Scenario } from "./context.ts";

const MINUTES_MS = 600_000;
/** Steps with one changed order, and with none. */
const STEPS = 200;

/** The rows of keys: how many transactions a second a first build takes, and what a step costs that has one changed order or none. */
export const project: Scenario = async ({ isQuick, data, product }, report) => {
  const pool = createPool(data.urls.worker, { max: 2, queryTimeoutMs: MINUTES_MS, preparedStatements: true });
  const admin = createPool(data.urls.admin, { max: 1, queryTimeoutMs: MINUTES_MS });
  try {
    const { chainId } = product.deployment;
    const step = projectorOf(pool, data, chainId);
    await begin(admin, chainId);
    const steps: number[] = [];
    const startedMs = performance.now();
    // Changes that are not final are events, which are written before the rest is filled.
    for (let complete = false; !complete; ) {
      const ms = performance.now();
      complete = await step();
      steps.push(performance.now() - ms);
    }
    const seconds = (performance.now() - startedMs) / 1000;
    const transactions = await countRows(admin);
    const count = isQuick ? STEPS / 10 : STEPS;
    const cpu = createCpuMeter(await backendsOf(admin, data.urls.worker));
    const orders = await someOrders(admin, count);
    const changed = await timeSteps(orders.length, { step, cpu }, async (n) => {
      if (orders[n]) await changeOrder(admin, data, orders[n], n);
    });
    const empty = await timeSteps(count, { step, cpu }, () => moveBlock(admin));
    const ms = (name: string, value: number) => ({ name, value, unit: "ms" });
    const ofSteps = (name: string, { p50, cpuMs }: Steps) => [
      ms(`${name}, p50`, p50),
      ms(`${name}, processor time of worker and PostgreSQL`, cpuMs),
    ];
    report({
      scenario: "project",
      title: `Rows of keys: a first build of ${transactions.toLocaleString("en")}`,
      connections: null,
      series: [],
      ratios: [],
      values: [
        { name: "transactions a second", value: transactions / seconds, unit: "" },
        ms("a step of it, p50", median(steps)),
        ms("a step of it, max", Math.max(...steps)),
        ...ofSteps("a step with one changed order", changed),
        ...ofSteps("an empty block", empty),
      ],
    });
  } finally {
    await Promise.all([pool.end(), admin.end()]);
  }
};

/** Returns a function that runs a step, and returns false where more is left. */
function projectorOf(pool: pg.Pool, { env }: DataSet, chainId: number) {
  const deployments = loadDeployments(env.DEPLOYMENTS_FILE ?? "", env);
  const deps = { pool, log: pino({ level: "silent" }), deployments, chains: new Map() };
  // The comparison of all that is not final, every two seconds, is no part of a step.
  const run = createEventWriter(deps, { verifyMs: MINUTES_MS });
  return async () => (await run(chainId)).complete;
}

/** Begins the log of the chain where all that is final is history, and has the rows filled. */
async function begin(admin: pg.Pool, chainId: number): Promise<void> {
  await admin.query(
    "TRUNCATE app.key_order, app.key_operation, app.key_change, app.event_due, app.event_memory",
  );
  await admin.query("DELETE FROM app.event_chain WHERE chain_id = $1", [chainId]);
}

async function countRows(admin: pg.Pool): Promise<number> {
  const { rows } = await admin.query("SELECT count(*)::int AS count FROM app.key_order");
  return rows[0].count;
}

/** Returns the processes of the server that a user's connections have. */
async function backendsOf(admin: pg.Pool, url: string): Promise<number[]> {
  const { rows } = await admin.query<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE usename = $1", [
    new URL(url).username,
  ]);
  return rows.map(({ pid }) => pid);
}

/** Returns the processor time that this process and some backends have used so far, milliseconds. Linux only. */
const createCpuMeter = (backends: readonly number[]) => (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + backends.reduce((sum, pid) => sum + secondsOf(pid) * 1_000, 0);
};

interface Steps {
  p50: number;
  /** Mean of a step: what prepares them is not in it. */
  cpuMs: number;
}

async function timeSteps(
  count: number,
  { step, cpu }: { step: () => Promise<boolean>; cpu: () => number },
  prepare: (n: number) => Promise<unknown>,
): Promise<Steps> {
  const taken: number[] = [];
  let cpuMs = 0;
  for (let n = 0; n < count; n++) {
    await prepare(n);
    const [startedMs, before] = [performance.now(), cpu()];
    while (!(await step()));
    taken.push(performance.now() - startedMs);
    cpuMs += cpu() - before;
  }
  return { p50: median(taken), cpuMs: cpuMs / count };
}

/** Moves the chain on by a block, without an event. */
const moveBlock = (admin: pg.Pool) =>
  admin.query(
    `UPDATE onchain._ponder_checkpoint SET latest_checkpoint =
       substr(latest_checkpoint, 1, 26) || lpad((substr(latest_checkpoint, 27, 16)::bigint + 1)::text, 16, '0') ||
       substr(latest_checkpoint, 43)`,
  );

/** Moves the chain on by a block with a change of one order. */
async function changeOrder(admin: pg.Pool, { head }: DataSet, order: OrderName, n: number): Promise<void> {
  await moveBlock(admin);
  await admin.query(
    `UPDATE onchain_bench.stock_order SET updated_block = $1, updated_at = updated_at + 1
     WHERE chain_id = $2 AND product_type = $3 AND order_id = $4`,
    [head.number + n + 1, order.chain_id, order.product_type, order.order_id],
  );
}

interface OrderName {
  chain_id: number;
  product_type: string;
  order_id: string;
}

/** Returns some orders of all keys. */
async function someOrders(admin: pg.Pool, count: number): Promise<OrderName[]> {
  const { rows } = await admin.query<OrderName>(
    "SELECT chain_id, product_type, order_id FROM onchain_bench.stock_order ORDER BY order_id LIMIT $1",
    [count],
  );
  return rows;
}
