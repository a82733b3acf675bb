import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { buildApiSchema } from "../../../src/api/schema.ts";
import type { Deps } from "../../../src/context/deps.ts";
import { bucketOf, LATENCY_BUCKETS } from "../../../src/dashboard/overview/latency.ts";
import { createRequestCounts } from "../../../src/dashboard/overview/request-counts.ts";
import { removeOldSamples, sampleGauges, untilNextMinute } from "../../../src/dashboard/overview/sampler.ts";
import { CONTRACTS, hex } from "../../support/assert/sample.ts";
import { createSends, createWallet } from "../../support/db/builders/sends.ts";
import { empty } from "../../support/db/empty.ts";
import { createOnchain } from "../../support/db/onchain.ts";
import { type Features, startFeatures } from "../../support/http/features.ts";
import { type GraphqlServer, postGraphql, startGraphql } from "../../support/http/graphql.ts";

// Samples of workers and request counts of api replicas, by minute, in a real PostgreSQL.

const CHAIN_ID = 31337;
const WALLET = hex(20, 0x5e4d);
const DAY = 86_400;
const MINUTE = 1_799_971_200;
const NOW_MS = (MINUTE + 59) * 1_000;

let features: Features;
let server: GraphqlServer;
/** Deps of a worker whose node answers. */
let worker: Deps;

beforeAll(async () => {
  features = await startFeatures([
    { deployment: { chainId: CHAIN_ID, ...CONTRACTS }, rpcUrls: ["http://127.0.0.1:1"] },
  ]);
  const onchain = await createOnchain(features.deps.pool);
  await onchain.setBlock(CHAIN_ID, { number: 100n, timestamp: BigInt(MINUTE + 50) });
  server = await startGraphql({ schema: buildApiSchema(), deps: features.deps });
  await createWallet(features.deps.pool, WALLET, { chainIds: [CHAIN_ID] });
  worker = {
    ...features.deps,
    chains: new Map([...features.deps.chains].map(([id, chain]) => [id, ahead(chain)])),
  };
});

const ahead = (chain: NonNullable<ReturnType<Deps["chains"]["get"]>>) => ({
  ...chain,
  client: {
    ...chain.client,
    getBlock: async () => ({ number: 107n, timestamp: BigInt(MINUTE + 57) }),
  } as never,
});

afterAll(async () => {
  await server?.stop();
  await features?.close();
});

beforeEach(async () => {
  features.clock.nowMs = NOW_MS;
  await empty(
    features.deps.pool,
    "app.chain_sample",
    "app.wallet_sample",
    "app.request_sample",
    "app.endpoint_sample",
  );
});

// biome-ignore lint/suspicious/noExplicitAny: answers of any query
async function ask(fields: string): Promise<any> {
  const { json } = await postGraphql(server.url, { query: `{ dashboard { ${fields} } }` });
  if (json.errors) throw new Error(JSON.stringify(json.errors));
  return json.data.dashboard;
}

describe("the sampler", () => {
  it("takes one sample of a minute, however many workers do it", async () => {
    const { pool } = features.deps;
    await pool.query("UPDATE app.delegatee_wallet SET balance_wei = 10::numeric ^ 30 + 1");
    const key = await features.makeCaller();
    await createSends(pool, key, { userAddress: WALLET, wallet: WALLET, acceptedAt: new Date() });
    await Promise.all([sampleGauges(worker), sampleGauges(worker), sampleGauges(worker)]);
    await pool.query("UPDATE app.delegatee_wallet SET balance_wei = 5");
    await sampleGauges(worker);
    const { chainSample, walletSample } = features.deps.prisma;
    expect(await chainSample.findMany()).toEqual([
      { chainId: CHAIN_ID, minute: new Date(MINUTE * 1_000), lagSeconds: 9, lagBlocks: 7 },
    ]);
    const [wallet, ...more] = await walletSample.findMany();
    expect(more).toEqual([]);
    expect(wallet).toMatchObject({ wallet: WALLET, minute: new Date(MINUTE * 1_000), depth: 1 });
    expect(wallet?.balanceWei?.toFixed()).toBe(String(10n ** 30n + 1n));
  });

  it("takes another one in the next minute, and what no node tells is null", async () => {
    await sampleGauges(worker);
    features.clock.nowMs = NOW_MS + 1_000;
    await sampleGauges(features.deps);
    const { chainSeries } = await ask(
      `chainSeries(chainId: ${CHAIN_ID}, from: ${MINUTE}) { points { at lagSeconds lagBlocks } }`,
    );
    expect(chainSeries.points).toEqual([{ at: MINUTE, lagSeconds: 9, lagBlocks: 7 }]);
    features.clock.nowMs = NOW_MS + 2_000;
    const later = await ask(
      `chainSeries(chainId: ${CHAIN_ID}, from: ${MINUTE}) { points { at lagSeconds lagBlocks } }`,
    );
    expect(later.chainSeries.points[1]).toEqual({ at: MINUTE + 60, lagSeconds: 10, lagBlocks: null });
  });

  it("begins behind the minute's begin, where a timer that ends early leads to no other", () => {
    const nextOf = (ms: number) => ms + untilNextMinute({ now: () => ms });
    for (const ms of [0, 30, 100, 59_999])
      expect(Math.floor((MINUTE * 1_000 + nextOf(ms) - 1) / 60_000)).toBe(MINUTE / 60 + 1);
  });

  it("removes what no series reads any more, and nothing else", async () => {
    const { prisma } = features.deps;
    const minutes = [33, 31, 0].map((days) => new Date((MINUTE - days * DAY) * 1_000));
    const counts = {
      requests: 1,
      clientErrors: 0,
      serverErrors: 0,
      latencies: Array(LATENCY_BUCKETS).fill(0),
    };
    for (const minute of minutes) {
      await prisma.chainSample.create({ data: { chainId: CHAIN_ID, minute } });
      await prisma.walletSample.create({
        data: { chainId: CHAIN_ID, wallet: WALLET, minute, depth: 0, oldestSeconds: 0 },
      });
      await prisma.requestSample.create({ data: { minute, ...counts } });
      await prisma.endpointSample.create({ data: { begin: minute, endpoint: "GET /orders", ...counts } });
    }
    await removeOldSamples(features.deps);
    const order = { select: { minute: true }, orderBy: { minute: "asc" } } as const;
    const kept = minutes.slice(1).map((minute) => ({ minute }));
    expect(await prisma.chainSample.findMany(order)).toEqual(kept);
    expect(await prisma.walletSample.findMany(order)).toEqual(kept);
    expect(await prisma.requestSample.findMany(order)).toEqual(kept);
    const begins = await prisma.endpointSample.findMany({
      select: { begin: true },
      orderBy: { begin: "asc" },
    });
    expect(begins).toEqual(kept.map(({ minute }) => ({ begin: minute })));
  });
});

describe("days that a balance lasts", () => {
  const sample = (minutesAgo: number, balance: bigint) => ({
    chainId: CHAIN_ID,
    wallet: WALLET,
    depth: 0,
    oldestSeconds: 0,
    balanceWei: balance.toString(),
    minute: new Date((MINUTE - minutesAgo * 60) * 1_000),
  });
  const daysLeft = async () => {
    const { chains } = await ask("chains { sendQueues { daysLeft } }");
    return chains[0].sendQueues[0].daysLeft;
  };
  const WEI = 10n ** 18n;
  beforeEach(async () => {
    await features.deps.pool.query("UPDATE app.delegatee_wallet SET balance_wei = $1", [String(10n * WEI)]);
  });

  it("follow from what was spent, also where the wallet was topped up in between", async () => {
    const data = [sample(720, 3n * WEI), sample(480, 2n * WEI), sample(240, 11n * WEI), sample(0, 10n * WEI)];
    await features.deps.prisma.walletSample.createMany({ data });
    // 2 coins in half a day.
    expect(await daysLeft()).toBe(2.5);
  });

  it.each([
    ["there is no sample", []],
    ["samples cover less than an hour", [sample(59, 3n * WEI), sample(0, WEI)]],
    ["nothing was spent", [sample(120, WEI), sample(0, 2n * WEI)]],
  ])("are not known where %s", async (_name, data) => {
    await features.deps.prisma.walletSample.createMany({ data });
    expect(await daysLeft()).toBeNull();
  });
});

describe("requests", () => {
  const answered = (status: number, seconds = 0.004, route: string | null = "/orders") => ({
    method: "GET",
    route,
    status,
    seconds,
  });
  const replica = (pool = features.deps.pool) =>
    createRequestCounts({ pool, log: features.deps.log, now: features.deps.now, except: ["/livez"] });
  const read = async (from = MINUTE) => {
    features.clock.nowMs = (MINUTE + 120) * 1_000;
    const { requestSeries } = await ask(
      `requestSeries(from: ${from}) { stepSeconds points { at requests clientErrors serverErrors p50Ms p99Ms } }`,
    );
    return requestSeries.points;
  };
  const none = { requests: 0, clientErrors: 0, serverErrors: 0, p50Ms: null, p99Ms: null };

  it("of all replicas are added up, by minute", async () => {
    const [one, two] = [replica(), replica()];
    for (const status of [200, 404, 429, 503]) one.observe(answered(status));
    one.observe(answered(200, 0.001, "/livez"));
    two.observe(answered(200, 9, null));
    features.clock.nowMs = (MINUTE + 60) * 1_000;
    two.observe(answered(0, 0.001));
    await Promise.all([one.stop(), two.stop()]);
    expect(await read()).toEqual([
      { at: MINUTE, requests: 5, clientErrors: 2, serverErrors: 1, p50Ms: 4.25, p99Ms: 9_850 },
      { at: MINUTE + 60, ...none, requests: 1, p50Ms: 0.5, p99Ms: 0.99 },
    ]);
    expect((await read(MINUTE - 60))[0]).toEqual({ at: MINUTE - 60, ...none });
  });

  it("of all replicas are added up by endpoint as well, the slowest first", async () => {
    const [one, two] = [replica(), replica()];
    for (const status of [200, 404, 503]) one.observe(answered(status));
    one.observe({ ...answered(200, 2, "/orders/send"), method: "POST" });
    features.clock.nowMs = (MINUTE + 60) * 1_000;
    two.observe(answered(200));
    two.observe(answered(404, 0.0005, null));
    await Promise.all([one.stop(), two.stop()]);
    features.clock.nowMs = (MINUTE + 120) * 1_000;
    const readTotals = async (from: number, to: number) => {
      const fields = "endpoint requests clientErrors serverErrors p50Ms p99Ms";
      return (await ask(`endpointTotals(from: ${from}, to: ${to}) { ${fields} }`)).endpointTotals;
    };
    const send = { requests: 1, clientErrors: 0, serverErrors: 0, p50Ms: 1_750, p99Ms: 1_995 };
    const list = { requests: 4, clientErrors: 1, serverErrors: 1, p50Ms: 4, p99Ms: 4.98 };
    const unknown = { requests: 1, clientErrors: 1, serverErrors: 0, p50Ms: 0.5, p99Ms: 0.99 };
    expect(await readTotals(MINUTE, MINUTE + 60)).toEqual([
      { endpoint: "POST /orders/send", ...send },
      { endpoint: "GET /orders", ...list },
      { endpoint: "none", ...unknown },
    ]);
    expect(await readTotals(MINUTE - 1_200, MINUTE - 600)).toEqual([]);
  });

  it("that cannot be written are kept, and written later", async () => {
    const broken = new Proxy(features.deps.pool, {
      get: (pool, name) =>
        name === "query" && isDown ? () => Promise.reject(new Error("down")) : Reflect.get(pool, name, pool),
    });
    let isDown = true;
    const counts = replica(broken);
    counts.observe(answered(200));
    await counts.stop();
    expect(await read()).toEqual([MINUTE, MINUTE + 60].map((at) => ({ at, ...none })));
    isDown = false;
    counts.observe(answered(500));
    await counts.stop();
    expect((await read())[0]).toMatchObject({ requests: 1 });
    expect({
      requests: (await features.deps.prisma.requestSample.findMany()).map(({ requests }) => requests),
    }).toEqual({ requests: [1n, 1n] });
    expect(await features.deps.prisma.endpointSample.findMany()).toMatchObject([
      { endpoint: "GET /orders", requests: 2n, serverErrors: 1n },
    ]);
  });

  it("have one count for each bucket in the database, which takes no other number", async () => {
    const counts = replica();
    counts.observe(answered(200, 3_600));
    await counts.stop();
    const [row] = await features.deps.prisma.requestSample.findMany();
    expect(row?.latencies).toHaveLength(LATENCY_BUCKETS);
    expect(row?.latencies[bucketOf(3_600_000)]).toBe(1n);
    await expect(
      features.deps.pool.query("UPDATE app.request_sample SET latencies = ARRAY[1]::bigint[]"),
    ).rejects.toThrow("request_sample_latencies_check");
  });
});
