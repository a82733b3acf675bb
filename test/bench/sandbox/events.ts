import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createKey } from "../../../src/auth/keys-admin.ts";
import { loadDeployments } from "../../../src/config/deployments.ts";
import { createPool, createPrisma } from "../../../src/db/client.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { present, until } from "../../support/assert/until.ts";
import { appendEvent } from "../../support/events/append-event.ts";
import { type EventStream, openStream } from "../../support/http/event-stream.ts";
import type { PartnerKey } from "../../support/http/partner.ts";
import { readSandboxSecrets } from "../../support/sandbox/sandbox-keys.ts";
import type { Section } from "../report/result.ts";
import { createCpuMeter } from "./cpu.ts";
import { enablePartner } from "./partner.ts";
import type { SandboxContext, SandboxScenario } from "./scenario.ts";
import { indexedOrder, placeOrder, quantiles, untilFound } from "./visible.ts";

/** Keys of the streams. */
export const KEYS = 50;
/** The bound of a key, so each event is sent that often. */
export const STREAMS_PER_KEY = 10;
const EVENTS_PER_SECOND = 200;
/** Events of one transaction: the log is written block by block. */
const EVENTS_AT_ONCE = 5;
const SECONDS = 20;
const WARM_UP_SECONDS = 3;
const ORDERS = 30;
const PULL_MS = 10;

type BenchKey = PartnerKey & { keyId: string };

/** Measures the delay of events: in many streams of a busy event log, and from an order's block on. */
export const events: SandboxScenario = async (context, report) => {
  report(await measureFanOut(context));
  report(await measureFromBlock(context));
};

/** Makes READ_ONLY keys of the first chain. */
export async function makeKeys(
  { directory, adminUrl, state }: SandboxContext,
  count: number,
): Promise<BenchKey[]> {
  const [id = "", hex = ""] = readSandboxSecrets(directory).masterKeys.split(":");
  const { chainId, productType } = present(state.chains[0], "a chain");
  const prisma = createPrisma(adminUrl, { max: 1 });
  const deps = {
    prisma,
    deployments: loadDeployments(join(directory, "deployments.json"), {}),
    masterKeys: [{ id, key: Buffer.from(hex, "hex") }],
    now: Date.now,
    actor: "bench",
  };
  const keys: BenchKey[] = [];
  for (let n = 0; n < count; n++) {
    const made = await createKey(deps, {
      name: `bench ${n}`,
      access: "READ_ONLY",
      dailyNotionalCap: null,
      scopes: [{ chainId, productType }],
      ips: ["127.0.0.1", "::1"],
    });
    keys.push({ ...made, chainId, productType });
  }
  await prisma.$disconnect();
  return keys;
}

/** About what an order with a fill takes. */
const FILLER = "x".repeat(1_100);

/** Appends events evenly, and measures when each of their streams has them. */
async function measureFanOut(context: SandboxContext): Promise<Section> {
  const { isQuick, state, directory, adminUrl } = context;
  const keys = await makeKeys(context, isQuick ? KEYS / 10 : KEYS);
  const pool = createPool(adminUrl, { max: 4, preparedStatements: true, connectTimeoutMs: 60_000 });
  const sentAt: number[] = [];
  let latencies: number[] = [];
  let received = 0;
  const onFrame: Parameters<typeof openStream>[2] = {
    onFrame: ({ event, data }) => {
      if (event !== "order.placed" || data === null) return;
      received += 1;
      const n = Number(/"benchNumber":(\d+)/.exec(data)?.[1]);
      latencies.push(performance.now() - present(sentAt[n], "an event"));
    },
  };
  const streams: EventStream[] = [];
  for (const key of keys)
    for (let n = 0; n < STREAMS_PER_KEY; n++) streams.push(await openStream(state.baseUrl, key, onFrame));
  const append = (from: number) => {
    sentAt.push(...Array<number>(EVENTS_AT_ONCE).fill(performance.now()));
    return inTransaction(pool, async (client) => {
      for (let n = from; n < from + EVENTS_AT_ONCE; n++) {
        const { keyId, chainId, productType } = present(keys[n % keys.length], "a key");
        await appendEvent(client, {
          keyId,
          chainId,
          productType,
          type: "order.placed",
          resource: "orders",
          data: { benchNumber: n, filler: FILLER },
        });
      }
    });
  };
  const seconds = isQuick ? SECONDS / 10 : SECONDS;
  const run = async (from: number, duration: number): Promise<number> => {
    const startedAt = performance.now();
    const running: Promise<unknown>[] = [];
    let n = from;
    for (; n < from + duration * EVENTS_PER_SECOND; n += EVENTS_AT_ONCE) {
      await sleep(Math.max(0, startedAt + ((n - from) * 1_000) / EVENTS_PER_SECOND - performance.now()));
      running.push(append(n));
    }
    await Promise.all(running);
    await until("every stream has every event", () => received === n * STREAMS_PER_KEY);
    return n;
  };
  const cpu = await createCpuMeter(directory, adminUrl);
  const warm = await run(0, isQuick ? 1 : WARM_UP_SECONDS);
  latencies = [];
  const [before, startedAt] = [cpu(), performance.now()];
  await run(warm, seconds);
  const [after, took] = [cpu(), (performance.now() - startedAt) / 1_000];
  for (const stream of streams) stream.cut();
  await pool.end();
  const used = ["api", "PostgreSQL"].map((name) => ({
    name: `processor time of the ${name}, a second`,
    value: ((after.get(name) ?? 0) - (before.get(name) ?? 0)) / took,
    unit: "s",
  }));
  return {
    scenario: "events",
    title: `${streams.length} streams over ${keys.length} keys, ${EVENTS_PER_SECOND} events a second, each sent ${STREAMS_PER_KEY} times`,
    connections: streams.length,
    series: [],
    ratios: [],
    values: [
      ...quantiles("begin of its transaction to a stream", latencies),
      at99("begin of its transaction to a stream", latencies),
      ...used,
    ],
  };
}

/** Returns the p99 of delays. */
export function at99(what: string, ms: readonly number[]): { name: string; value: number; unit: string } {
  const sorted = ms.toSorted((a, b) => a - b);
  const value = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  return { name: `${what}, p99`, value, unit: "ms" };
}

/** Measures orders of a user's own wallet: from their block to the index, to a stream, and to GET /events every 10 ms. */
async function measureFromBlock({ isQuick, state, adminUrl }: SandboxContext): Promise<Section> {
  const enabled = await enablePartner(state);
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  const seen = new Map<string, number>();
  const stream = await openStream(state.baseUrl, enabled.partner.key, {
    onFrame: ({ data }) => {
      const orderId = /"orderId":"(0x[0-9a-f]{64})"/.exec(data ?? "")?.[1];
      if (orderId && !seen.has(orderId)) seen.set(orderId, performance.now());
    },
  });
  const [indexed, streamed, pulled]: [number[], number[], number[]] = [[], [], []];
  let after = await endOfLog(enabled.partner);
  try {
    for (let n = 0; n < (isQuick ? ORDERS / 10 : ORDERS); n++) {
      await sleep(Math.random() * 1_000);
      const txHash = await placeOrder(enabled);
      const minedMs = performance.now();
      const pull = pullUntil(enabled.partner, after, txHash);
      const orderId = await untilFound(() => indexedOrder(client, txHash));
      indexed.push(performance.now() - minedMs);
      const streamedMs = await untilFound(async () => seen.get(orderId) ?? null);
      streamed.push(streamedMs - minedMs);
      const { cursor, foundMs } = await pull;
      pulled.push(foundMs - minedMs);
      after = cursor;
    }
  } finally {
    stream.cut();
    await client.end();
  }
  return {
    scenario: "events",
    title: "Orders by users' own wallets, one at a time, from their block to their event",
    connections: null,
    series: [],
    ratios: [],
    values: [
      ...quantiles("mined to indexed", indexed),
      ...quantiles("mined to its event in a stream", streamed),
      ...quantiles("mined to its event by GET /events every 10 ms", pulled),
    ],
  };
}

type Partner = Awaited<ReturnType<typeof enablePartner>>["partner"];
interface Page {
  rows: { data: { txHash?: string } }[];
  nextCursor: string;
}

async function endOfLog(partner: Partner): Promise<string> {
  let after: string | undefined;
  for (;;) {
    const query = { limit: 100, ...(after === undefined ? {} : { after }) };
    const { nextCursor } = await partner.must(partner.get<Page>("/events", query));
    if (nextCursor === after) return nextCursor;
    after = nextCursor;
  }
}

/** Asks until the log has an event about an order of a transaction. */
async function pullUntil(
  partner: Partner,
  from: string,
  txHash: string,
): Promise<{ cursor: string; foundMs: number }> {
  let after = from;
  return untilFound(async () => {
    const { rows, nextCursor } = await partner.must(partner.get<Page>("/events", { after, limit: 100 }));
    after = nextCursor;
    if (rows.some(({ data }) => data.txHash === txHash)) return { cursor: after, foundMs: performance.now() };
    await sleep(PULL_MS);
    return null;
  });
}
