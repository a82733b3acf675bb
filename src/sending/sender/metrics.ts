import type pg from "pg";
import { Counter, Gauge, type Registry } from "prom-client";
import { readFailures, readQueues } from "../outbox/queue-store.ts";
import type { Alarm } from "./deps.ts";

export interface SendMetrics {
  alarm(alarm: Alarm): void;
}

const WEI = 1e18;

/**
 * What /metrics tells of the send queue, read from the database when it is asked for: so every worker tells the same,
 * and a new one knows all. Labels are wallets of this service and codes of the catalogue.
 */
export function createSendMetrics(registry: Registry, pool: pg.Pool): SendMetrics {
  const alarms = new Counter({
    name: "send_alarms_total",
    help: "What a person must hear of, by kind",
    labelNames: ["alarm"],
    registers: [registry],
  });
  const gauge = (name: string, help: string, labelNames: string[]) =>
    new Gauge({ name, help, labelNames, registers: [registry] });
  const wallet = ["chain_id", "wallet"];
  const depth = gauge("send_queue_depth", "Requests that are not final, by state", [...wallet, "state"]);
  const age = gauge("send_queue_oldest_seconds", "Age of the oldest request without a receipt", wallet);
  const nonce = gauge("send_wallet_next_nonce", "The next nonce that will be assigned", wallet);
  const balance = gauge(
    "send_wallet_balance_coins",
    "Native coin of the wallet, when last looked at",
    wallet,
  );
  const active = gauge("send_wallet_active", "1: sends; 0: paused or halted", wallet);
  new Gauge({
    name: "send_failures",
    help: "Requests that failed, by cause",
    labelNames: ["err_code"],
    registers: [registry],
    async collect() {
      // The database being down is /readyz's to tell; /metrics still answers.
      const failures = await readFailures(pool, null).catch(() => []);
      this.reset();
      for (const { errCode, count } of failures) this.inc({ err_code: errCode }, count);
      for (const each of [depth, age, nonce, balance, active]) each.reset();
      for (const queue of await readQueues(pool, null).catch(() => [])) {
        const labels = { chain_id: String(queue.chainId), wallet: queue.wallet };
        for (const [state, count] of Object.entries(queue.depth)) depth.set({ ...labels, state }, count);
        age.set(labels, queue.oldestSeconds ?? 0);
        if (queue.nextNonce !== null) nonce.set(labels, queue.nextNonce);
        if (queue.balanceWei !== null) balance.set(labels, Number(queue.balanceWei) / WEI);
        active.set(labels, queue.state === "active" ? 1 : 0);
      }
    },
  });
  return { alarm: (alarm) => alarms.inc({ alarm }) };
}
