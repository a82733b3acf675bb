import type pg from "pg";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { createSharedRead } from "../../db/shared-read.ts";
import { readHalts } from "../halt-store.ts";
import { type Queue, readFailures, readQueues } from "../outbox/queue-store.ts";
import type { Alarm, Reached } from "./deps.ts";

export interface SendMetrics {
  alarm(alarm: Alarm, chainId: number): void;
  reached(reached: Reached, chainId: number, seconds: number): void;
}

const WEI = 1e18;

type Labels = Record<"chain_id" | "wallet", string>;

/**
 * Adds the metrics of the send queue, read from the database at each scrape, so that every worker shows the same. Labels are
 * wallets of this service and codes of the catalogue.
 */
export function createSendMetrics(registry: Registry, pool: pg.Pool): SendMetrics {
  const alarms = new Counter({
    name: "send_alarms_total",
    help: "Alarms, by kind and chain (docs/sending.md#monitoring)",
    labelNames: ["alarm", "chain_id"],
    registers: [registry],
  });
  const durations = new Histogram({
    name: "send_duration_seconds",
    help: "From the acceptance of a request until this worker broadcast it, and until it saw it mined",
    labelNames: ["chain_id", "until"],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    registers: [registry],
  });
  const readShared = createSharedRead(() => readQueues(pool, null));
  registerQueues(registry, readShared);
  registerHalts(registry, pool, readShared);
  registerFailures(registry, pool);
  return {
    alarm: (alarm, chainId) => alarms.inc({ alarm, chain_id: String(chainId) }),
    reached: (until, chainId, seconds) => durations.observe({ chain_id: String(chainId), until }, seconds),
  };
}

/** Registers the gauges of send queues. One read of the database serves all gauges of a scrape. */
function registerQueues(registry: Registry, readShared: () => Promise<Queue[] | null>): void {
  const gauge = (
    name: string,
    help: string,
    set: (to: Gauge, labels: Labels, queue: Queue) => void,
    more = "",
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ["chain_id", "wallet", ...(more ? [more] : [])],
      registers: [registry],
      async collect() {
        const queues = await readShared();
        this.reset();
        for (const queue of queues ?? [])
          set(this, { chain_id: String(queue.chainId), wallet: queue.wallet }, queue);
      },
    });
  const setDepth = (to: Gauge, labels: Labels, { depth }: Queue) => {
    for (const [state, count] of Object.entries(depth)) to.set({ ...labels, state }, count);
  };
  gauge("send_queue_depth", "Requests that are not final, by state", setDepth, "state");
  gauge("send_queue_oldest_seconds", "Age of the oldest request without a receipt", (to, labels, queue) =>
    to.set(labels, queue.oldestSeconds ?? 0),
  );
  gauge(
    "send_unsigned_oldest_seconds",
    "Time since the oldest nonce was reserved that the wallet's key has not signed",
    (to, labels, queue) => to.set(labels, queue.unsignedSeconds ?? 0),
  );
  gauge("send_wallet_next_nonce", "The next nonce that will be assigned", (to, labels, { nextNonce }) => {
    if (nextNonce !== null) to.set(labels, nextNonce);
  });
  gauge(
    "send_wallet_balance_coins",
    "Native coin of the wallet, when last looked at",
    (to, labels, { balanceWei }) => {
      if (balanceWei !== null) to.set(labels, Number(balanceWei) / WEI);
    },
  );
  gauge("send_wallet_active", "1: sends; 0: paused or halted", (to, labels, { state }) =>
    to.set(labels, state === "active" ? 1 : 0),
  );
  const setState = (to: Gauge, labels: Labels, { state, retired }: Queue) => {
    to.set({ ...labels, state }, 1);
    if (retired) to.set({ ...labels, state: "retired" }, 1);
  };
  gauge("send_wallet_state", "1 for the state that the wallet is in, and for retired", setState, "state");
}

/** @param readShared names the chains that have wallets */
function registerHalts(registry: Registry, pool: pg.Pool, readShared: () => Promise<Queue[] | null>): void {
  new Gauge({
    name: "sending_halted",
    help: "1: an operator halted the chain, and nothing new is signed there",
    labelNames: ["chain_id"],
    registers: [registry],
    async collect() {
      const [queues, halts] = await Promise.all([readShared(), readHalts(pool).catch(() => null)]);
      this.reset();
      if (!queues || !halts) return;
      for (const { chainId } of queues) this.set({ chain_id: String(chainId) }, 0);
      for (const { chainId } of halts) this.set({ chain_id: String(chainId) }, 1);
    },
  });
}

function registerFailures(registry: Registry, pool: pg.Pool): void {
  new Gauge({
    name: "send_failures",
    help: "Requests that failed, by cause",
    labelNames: ["err_code"],
    registers: [registry],
    async collect() {
      const failures = await readFailures(pool, null).catch(() => []);
      this.reset();
      for (const { errCode, count } of failures) this.inc({ err_code: errCode }, count);
    },
  });
}
