import { readFileSync } from "node:fs";
import { orderDetailCalls } from "../contestants/order-detail.ts";
import { clearNonces } from "../dataset/nonces.ts";
import { median, type Series, summarize } from "../rounds.ts";
import type { Scenario } from "./context.ts";

const REQUESTS = 200_000;
const PARTS = 20;
/** Requests fill caches and have hot code compiled first. */
const WARM_UP_PARTS = 2;
/** Several, because a sample varies by a fifth between two garbage collections. */
const SAMPLES = 5;
const CONNECTIONS = 32;

/** The api's memory over 200,000 requests for an order's detail. Linux only. */
export const memory: Scenario = async ({ isQuick, generator, data, api }, report) => {
  const requests = (isQuick ? REQUESTS / 100 : REQUESTS) / PARTS;
  const calls = orderDetailCalls(data);
  const megabytes = [residentMb(api.pid)];
  const series: Series = { name: "this", outcomes: [] };
  for (let part = 0; part < PARTS; part++) {
    await clearNonces(data);
    const job = { url: api.url, connections: CONNECTIONS, seconds: 600, calls, keys: data.keys, requests };
    series.outcomes.push(await generator.run(job));
    megabytes.push(residentMb(api.pid));
  }
  const warm = median(megabytes.slice(WARM_UP_PARTS, WARM_UP_PARTS + SAMPLES));
  report({
    scenario: "memory",
    title: `The api's memory over ${(requests * PARTS).toLocaleString("en")} requests`,
    connections: CONNECTIONS,
    series: [summarize(series)],
    ratios: [{ name: "at the end / after warm-up", value: median(megabytes.slice(-SAMPLES)) / warm }],
    values: megabytes.map((value, part) => ({
      name: `after ${(part * requests).toLocaleString("en")} requests`,
      value,
      unit: "MB",
    })),
  });
};

function residentMb(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}
