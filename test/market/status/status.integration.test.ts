import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Caller } from "../../../src/auth/caller.ts";
import { inTransaction } from "../../../src/db/transaction.ts";
import { listEvents } from "../../../src/events/list.ts";
import { reportNotices } from "../../../src/events/notices.ts";
import { getStatus } from "../../../src/market/status/get.ts";
import { cancelNotice, insertNotice, type Notice } from "../../../src/market/status/notice-store.ts";
import { insertHalt } from "../../../src/sending/halt-store.ts";
import { CONTRACTS, hex } from "../../support/assert/sample.ts";
import { until } from "../../support/assert/until.ts";
import { type HeadNode, startHeadNode } from "../../support/chain/head-node.ts";
import { createOnchain, type Onchain } from "../../support/db/onchain.ts";
import { type Features, PRODUCT, startFeatures } from "../../support/http/features.ts";

const CHAINS = [31337, 31338];
const NOW = 1_795_226_400;
const HOUR_MS = 3_600_000;

/** Newest block of each chain's node, or that it answers nothing. */
const heads = new Map<number, number | "silent">();
const nodes: HeadNode[] = [];

let features: Features;
let onchain: Onchain;
let caller: Caller;

beforeAll(async () => {
  nodes.push(
    ...(await Promise.all(CHAINS.map((chainId) => startHeadNode(() => heads.get(chainId) ?? "silent")))),
  );
  features = await startFeatures(
    CHAINS.map((chainId, index) => ({
      deployment: { ...CONTRACTS, chainId },
      rpcUrls: [nodes[index]?.url ?? ""],
    })),
  );
  onchain = await createOnchain(features.deps.pool);
  caller = await features.makeCaller();
});
afterAll(async () => {
  for (const node of nodes) node.stop();
  await features?.close();
});
beforeEach(async () => {
  const { deps, clock, market } = features;
  await deps.pool.query("DELETE FROM app.maintenance_notice");
  await deps.pool.query("DELETE FROM app.sending_halt");
  await deps.pool.query("DELETE FROM app.api_key_scope WHERE chain_id = 31338");
  await onchain.clear();
  clock.nowMs = NOW * 1000;
  market.down = false;
  market.prices.clear();
  for (const chainId of CHAINS) {
    heads.set(chainId, 100);
    await onchain.setBlock(chainId, { number: 100n, timestamp: BigInt(NOW - 4) });
  }
});

const status = () => getStatus(features.deps, caller);

const announce = (change: Partial<Notice> = {}) =>
  inTransaction(features.deps.pool, (tx) =>
    insertNotice(tx, {
      chainId: null,
      startsAt: new Date(Date.now() + HOUR_MS),
      endsAt: new Date(Date.now() + 2 * HOUR_MS),
      text: "the database moves",
      ...change,
    }),
  );
const cancel = ({ noticeId }: Notice) =>
  inTransaction(features.deps.pool, (tx) => cancelNotice(tx, noticeId));
const report = () => reportNotices(features.deps.pool, CHAINS);
const eventsOf = async (key: Caller) =>
  (await listEvents(features.deps, key, { limit: 100 })).rows.map(({ type, resource, data }) => ({
    type,
    resource,
    data,
  }));

describe("GET /status tells of chains", () => {
  it("how far each chain of the key is, and no other", async () => {
    const healthy = {
      health: "healthy",
      indexedBlock: 100n,
      indexedAt: BigInt(NOW - 4),
      ageSeconds: 4,
      headBlock: 100n,
      sendingHalted: false,
    };
    expect((await status()).chains).toEqual([{ ...healthy, chainId: 31337 }]);
    await features.deps.pool.query(
      "INSERT INTO app.api_key_scope (key_id, chain_id, product_type) VALUES ($1, 31338, 'a'), ($1, 31338, 'b')",
      [caller.keyId],
    );
    expect((await status()).chains.map(({ chainId, health }) => [chainId, health])).toEqual([
      [31337, "healthy"],
      [31338, "healthy"],
    ]);
  });

  // Nodes are asked again once viem's copy of the newest block is over, so each case has a head of its own.
  const chainAt = async (head: number | "silent", ageSeconds: number) => {
    heads.set(31337, head);
    await onchain.setBlock(31337, { number: 100n, timestamp: BigInt(NOW - ageSeconds) });
    return until(`an answer with the head ${head}`, async () => {
      const [chain] = (await status()).chains;
      const isAsked = head === "silent" ? chain?.headBlock === null : chain?.headBlock === BigInt(head);
      return isAsked ? chain?.health : undefined;
    });
  };

  it("that it is behind where the chain has newer blocks and the last one is old, and not where the chain rests", async () => {
    expect({ rests: await chainAt(100, 3_600) }).toEqual({ rests: "healthy" });
    expect({ young: await chainAt(101, 60) }).toEqual({ young: "healthy" });
    expect({ old: await chainAt(102, 61) }).toEqual({ old: "behind" });
  });

  it("that it is unavailable where no node answers, or nothing is indexed; and the rest all the same", async () => {
    expect({ silent: await chainAt("silent", 1) }).toEqual({ silent: "unavailable" });
    heads.set(31337, 103);
    await features.deps.pool.query("DELETE FROM onchain._ponder_checkpoint");
    const { chains, marketData } = await status();
    expect(chains).toMatchObject([
      { health: "unavailable", indexedBlock: null, indexedAt: null, ageSeconds: null },
    ]);
    expect(marketData).toEqual({ health: "unavailable", quoteAt: null, session: null });
  });

  it("that the operator has halted sending there", async () => {
    await inTransaction(features.deps.pool, (tx) =>
      insertHalt(tx, { chainId: 31337, actor: "test", reason: null }),
    );
    expect((await status()).chains).toMatchObject([
      { chainId: 31337, sendingHalted: true, health: "healthy" },
    ]);
  });
});

describe("GET /status tells of market data", () => {
  beforeEach(() =>
    onchain.insert("stockToken", {
      chainId: 31337,
      productType: PRODUCT,
      tokenAddress: hex(20, 0x50),
      symbol: "AAPL",
      multiplier: 10n ** 18n,
    }),
  );

  it("the time of a quote", async () => {
    features.market.prices.set("AAPL", "180");
    expect((await status()).marketData).toEqual({
      health: "healthy",
      quoteAt: 1_800_000_000,
      session: "regular",
    });
  });

  it("that there is none", async () => {
    expect((await status()).marketData).toEqual({ health: "unavailable", quoteAt: null, session: null });
    features.market.down = true;
    expect((await status()).marketData).toEqual({ health: "unavailable", quoteAt: null, session: null });
  });
});

describe("maintenance", () => {
  beforeEach(() => {
    features.clock.nowMs = null;
  });

  it("is shown until it ends or is canceled, the earliest first, for all chains or the key's", async () => {
    const later = await announce({ startsAt: new Date(Date.now() + 1.5 * HOUR_MS) });
    const soon = await announce({ chainId: 31337, text: "blocks come late" });
    await announce({ chainId: 31338 });
    await announce({ startsAt: new Date(Date.now() - 2 * HOUR_MS), endsAt: new Date(Date.now() - HOUR_MS) });
    await cancel(await announce());
    expect((await status()).maintenance).toEqual([
      {
        noticeId: soon.noticeId,
        chainId: 31337,
        startsAt: Math.floor(soon.startsAt.getTime() / 1000),
        endsAt: Math.floor(soon.endsAt.getTime() / 1000),
        text: "blocks come late",
        canceledAt: null,
      },
      expect.objectContaining({ noticeId: later.noticeId, chainId: null }),
    ]);
  });

  it("is an event of each key of its chains, once, and once more where it is canceled", async () => {
    const [key, other] = [await features.makeCaller(), await features.makeCaller({ chainId: 31338 })];
    const notice = await announce({ chainId: 31337 });
    expect(await report()).toBe(1);
    expect(await report()).toBe(0);
    const data = { noticeId: notice.noticeId, chainId: 31337, text: "the database moves", canceledAt: null };
    expect(await eventsOf(key)).toMatchObject([{ type: "maintenance.announced", resource: "status", data }]);
    await cancel(notice);
    await report();
    expect(await report()).toBe(0);
    expect(await eventsOf(key)).toMatchObject([
      { type: "maintenance.announced" },
      { type: "maintenance.canceled", data: { ...data, canceledAt: expect.any(Number) } },
    ]);
    expect(await eventsOf(other)).toEqual([]);
  });

  it("of all chains is an event in the log of each, also where it was canceled before a worker ran", async () => {
    const [key, other] = [await features.makeCaller(), await features.makeCaller({ chainId: 31338 })];
    await cancel(await announce());
    await report();
    for (const each of [key, other])
      expect((await eventsOf(each)).map(({ type }) => type)).toEqual([
        "maintenance.announced",
        "maintenance.canceled",
      ]);
  });

  it("is no event where it has ended, nor of a key that is revoked", async () => {
    const key = await features.makeCaller();
    await announce({ startsAt: new Date(Date.now() - 2 * HOUR_MS), endsAt: new Date(Date.now() - HOUR_MS) });
    expect(await report()).toBe(0);
    await features.deps.pool.query("UPDATE app.api_key SET active = false WHERE key_id = $1", [key.keyId]);
    await announce();
    expect(await report()).toBe(1);
    expect(await eventsOf(key)).toEqual([]);
  });

  it("is reported once by workers that run at once", async () => {
    const key = await features.makeCaller();
    await announce();
    const counts = await Promise.all([report(), report(), report()]);
    expect(counts.sort()).toEqual([0, 0, 1]);
    expect(await eventsOf(key)).toHaveLength(1);
  });
});
