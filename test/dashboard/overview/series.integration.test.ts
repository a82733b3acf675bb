import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { graphql } from "graphql";
import { buildApiSchema } from "../../../src/api/schema.ts";
import type { Caller } from "../../../src/auth/caller.ts";
import { CONTRACTS, hex } from "../../support/assert/sample.ts";
import { createClaim } from "../../support/db/builders/claims.ts";
import { createSends, createWallet } from "../../support/db/builders/sends.ts";
import { createOnchain, type Onchain, type Row } from "../../support/db/onchain.ts";
import { project } from "../../support/db/projected.ts";
import { type Features, PRODUCT, startFeatures } from "../../support/http/features.ts";
import { type GraphqlServer, postGraphql, startGraphql } from "../../support/http/graphql.ts";

// The series of the dashboard's overview over /graphql, in a real PostgreSQL.

const CHAIN_ID = 31337;
const SECOND_CHAIN = 31338;
const WAD = 10n ** 18n;
const USER = hex(20, 0xa11ce);
const WALLET = hex(20, 0x5e4d);
const OTHER_WALLET = hex(20, 0x5e4e);
const DAY = 86_400;
const MIDNIGHT = 1_799_971_200;
const NOW = MIDNIGHT + DAY / 2;

let features: Features;
let onchain: Onchain;
let server: GraphqlServer;
let key: Caller;

beforeAll(async () => {
  features = await startFeatures(
    [CHAIN_ID, SECOND_CHAIN].map((chainId) => ({
      deployment: { chainId, ...CONTRACTS },
      rpcUrls: ["http://127.0.0.1:1"],
      confirmations: 1,
    })),
  );
  onchain = await createOnchain(features.deps.pool);
  server = await startGraphql({ schema: buildApiSchema(), deps: features.deps });
  key = await features.makeCaller();
  await createWallet(features.deps.pool, WALLET, { chainIds: [CHAIN_ID] });
});

afterAll(async () => {
  await server?.stop();
  await features?.close();
});

beforeEach(() => {
  features.clock.nowMs = NOW * 1_000;
});

// biome-ignore lint/suspicious/noExplicitAny: answers of any query
async function ask(fields: string): Promise<any> {
  const { json } = await postGraphql(server.url, { query: `{ dashboard { ${fields} } }` });
  if (json.errors) throw new Error(JSON.stringify(json.errors));
  return json.data.dashboard;
}

interface Point {
  at: number;
}
const pointAt = <P extends Point>(points: P[], at: number) => points.find((point) => point.at === at);

describe("orderSeries", () => {
  interface Placed {
    at: number;
    block: number;
    filled: bigint;
  }
  const placed: Placed[] = [
    { at: MIDNIGHT - 1, block: 3, filled: 3n * WAD },
    { at: MIDNIGHT, block: 4, filled: WAD + 1n },
    { at: MIDNIGHT + 10, block: 5, filled: 0n },
    { at: MIDNIGHT + 3_600, block: 16, filled: 2n * WAD },
  ];
  const orderOf = ({ at, block, filled }: Placed, index: number): Row<"stockOrder"> => ({
    chainId: CHAIN_ID,
    productType: PRODUCT,
    orderId: hex(32, 0xabc + index),
    txHash: hex(32, 0x1000 + index),
    logIndex: 1,
    blockNumber: BigInt(block),
    updatedBlock: BigInt(block),
    createdAt: BigInt(at),
    userAddress: USER,
    stockAddress: hex(20, 0x57),
    side: "Buy",
    orderType: "Limit",
    quantity: WAD,
    status: filled > 0n ? "filled" : "open",
    filledQuantity: filled,
    filledNotional: filled,
    updatedAt: BigInt(at),
  });
  const publish = (rows: Placed[], latest: number) =>
    onchain.replace(
      CHAIN_ID,
      { stockOrder: rows.map(orderOf) },
      { number: BigInt(latest), timestamp: BigInt(NOW) },
      { number: 10n, timestamp: BigInt(NOW) },
    );
  const FIELDS = "{ stepSeconds points { at count byStatus { status count } volume } }";
  const read = async (args = "") => (await ask(`orderSeries${args} ${FIELDS}`)).orderSeries;
  const filled = (at: number, count: number, volume: string) => ({
    at,
    count,
    volume,
    byStatus: [{ status: "Filled", count }],
  });

  beforeAll(async () => {
    for (const [index, { at }] of placed.entries()) {
      const createdAt = new Date(at * 1_000);
      const terms = { operationType: "trade" as const, txHash: hex(32, 0x1000 + index), createdAt };
      await createClaim(features.deps.pool, key, { ...terms, updatedAt: createdAt });
    }
  });
  beforeEach(async () => {
    await publish(placed, 20);
    await project(features.deps);
  });

  const expectAll = async () => {
    const { stepSeconds, points } = await read();
    expect({ stepSeconds, points: points.length }).toEqual({ stepSeconds: 900, points: 96 });
    expect(points.filter(({ count }: { count: number }) => count > 0)).toEqual([
      filled(MIDNIGHT - 900, 1, "3"),
      {
        at: MIDNIGHT,
        count: 2,
        volume: "1.000000000000000001",
        byStatus: [
          { status: "Filled", count: 1 },
          { status: "New", count: 1 },
        ],
      },
      filled(MIDNIGHT + 3_600, 1, "2"),
    ]);
    expect(points[0]).toEqual({ at: NOW - DAY, count: 0, byStatus: [], volume: "0" });
  };

  it("counts orders by step and status on both sides of midnight, with empty steps", () => expectAll());

  it("takes back what a reorg takes back", async () => {
    await publish(placed.slice(0, 3), 15);
    await project(features.deps);
    const { points } = await read();
    expect(pointAt(points, MIDNIGHT + 3_600)).toEqual({
      at: MIDNIGHT + 3_600,
      count: 1,
      volume: "0",
      byStatus: [{ status: "Init", count: 1 }],
    });
  });

  it("is of one chain and product, in steps of hours where it covers a month", async () => {
    const month = await read(`(from: ${NOW - 31 * DAY}, chainId: ${CHAIN_ID}, productType: "${PRODUCT}")`);
    expect(month.stepSeconds).toBe(28_800);
    expect(month.points).toHaveLength(94);
    expect(pointAt(month.points, MIDNIGHT)).toMatchObject({ count: 3, volume: "3.000000000000000001" });
    const none = await read(`(chainId: ${SECOND_CHAIN})`);
    expect(none.points.filter(({ count }: { count: number }) => count !== 0)).toEqual([]);
  });

  describe("orderTotals", () => {
    const TOTALS = "key { keyId } symbol chainId count filled volume secondsToFill";
    const readTotals = async (args = "") => {
      const fields = `{ byKey { ${TOTALS} } bySymbol { ${TOTALS} } byChain { ${TOTALS} } }`;
      return (await ask(`orderTotals${args} ${fields}`)).orderTotals;
    };
    const nothing = { key: null, symbol: null, chainId: null };

    /** Publishes orders that are filled so many seconds after they were placed. */
    const publishFilledAfter = (seconds: readonly number[]) =>
      onchain.replace(
        CHAIN_ID,
        {
          stockToken: [
            { chainId: CHAIN_ID, productType: PRODUCT, tokenAddress: hex(20, 0x57), symbol: "mAAPL" },
          ],
          stockOrder: placed.slice(0, 3).map((order, index) => {
            const row = orderOf(order, index);
            return { ...row, updatedAt: BigInt(order.at + (seconds[index] ?? 0)) };
          }),
        },
        { number: 21n, timestamp: BigInt(NOW) },
        { number: 10n, timestamp: BigInt(NOW) },
      );

    it("adds up the same orders by key, by symbol and by chain, and counts what is not indexed to no symbol", async () => {
      await publishFilledAfter([30, 31, 32]);
      await project(features.deps);
      const all = { count: 4, filled: 2, volume: "4.000000000000000001", secondsToFill: 30 };
      expect(await readTotals()).toEqual({
        byKey: [{ ...nothing, key: { keyId: key.keyId }, ...all }],
        bySymbol: [{ ...nothing, symbol: "mAAPL", ...all, count: 3 }],
        byChain: [{ ...nothing, chainId: CHAIN_ID, ...all }],
      });
    });

    it("has the median time to two digits where that is more than 100 seconds", async () => {
      await publishFilledAfter([1_234, 1_250, 40_000]);
      await project(features.deps);
      expect(await readTotals()).toMatchObject({ byKey: [{ filled: 2, secondsToFill: 1_200 }] });
    });

    it("is of the span, the chain and the product that are asked for, and has no time where nothing is filled", async () => {
      await publish(placed.slice(0, 3), 15);
      await project(features.deps);
      const init = { ...nothing, count: 1, filled: 0, volume: "0", secondsToFill: null };
      expect(await readTotals(`(from: ${MIDNIGHT + 3_600}, to: ${MIDNIGHT + 3_660})`)).toEqual({
        byKey: [{ ...init, key: { keyId: key.keyId } }],
        bySymbol: [],
        byChain: [{ ...init, chainId: CHAIN_ID }],
      });
      const none = { byKey: [], bySymbol: [], byChain: [] };
      expect(await readTotals(`(chainId: ${SECOND_CHAIN})`)).toEqual(none);
      expect(await readTotals('(productType: "other")')).toEqual(none);
      await expect(readTotals(`(from: ${NOW}, to: ${NOW})`)).rejects.toThrow("from");
    });
  });
});

describe("sendSeries", () => {
  it("counts requests when they are accepted and when they end, and failures by cause", async () => {
    const { pool } = features.deps;
    const at = (seconds: number) => new Date((MIDNIGHT + seconds) * 1_000);
    const send = (acceptedAt: Date, terms: Record<string, unknown> = {}) =>
      createSends(pool, key, { userAddress: USER, wallet: WALLET, acceptedAt, ...terms });
    await send(at(-1));
    await send(at(0), { state: "final", outcome: "confirmed", finalAt: at(900), nonce: 1 });
    await send(at(1), {
      state: "final",
      outcome: "reverted",
      errCode: "CHAIN_REVERT",
      finalAt: at(901),
      nonce: 2,
    });
    await send(at(2), { state: "failed", errCode: "CHAIN_REVERT", finalAt: at(2) });
    await send(at(3), { state: "canceled", errCode: "DEADLINE_EXPIRED", finalAt: at(1_799) });
    const { sendSeries } = await ask(
      "sendSeries { stepSeconds points { at accepted final failed canceled } failures { errCode count lastAt } }",
    );
    const zero = { accepted: 0, final: 0, failed: 0, canceled: 0 };
    expect(sendSeries.points).toHaveLength(96);
    expect([-900, 0, 900, 1_800].map((offset) => pointAt(sendSeries.points, MIDNIGHT + offset))).toEqual([
      { ...zero, at: MIDNIGHT - 900, accepted: 1 },
      { ...zero, at: MIDNIGHT, accepted: 4, failed: 1 },
      { at: MIDNIGHT + 900, accepted: 0, final: 1, failed: 1, canceled: 1 },
      { ...zero, at: MIDNIGHT + 1_800 },
    ]);
    expect(sendSeries.failures).toEqual([
      { errCode: "CHAIN_REVERT", count: 2, lastAt: MIDNIGHT + 901 },
      { errCode: "DEADLINE_EXPIRED", count: 1, lastAt: MIDNIGHT + 1_799 },
    ]);
    const other = await ask(
      `sendSeries(chainId: ${SECOND_CHAIN}) { points { accepted } failures { count } }`,
    );
    expect(other.sendSeries.failures).toEqual([]);
  });
});

describe("series of samples", () => {
  const minute = (offset: number) => new Date((NOW + offset) * 1_000);

  it("show the worst lag of each step, and nothing where there is no sample", async () => {
    await features.deps.prisma.chainSample.createMany({
      data: [
        { chainId: CHAIN_ID, minute: minute(-900), lagSeconds: 2, lagBlocks: 7 },
        { chainId: CHAIN_ID, minute: minute(-840), lagSeconds: 90.5, lagBlocks: null },
        { chainId: SECOND_CHAIN, minute: minute(-840), lagSeconds: 1_000, lagBlocks: 1_000 },
      ],
    });
    const { chainSeries } = await ask(
      `chainSeries(chainId: ${CHAIN_ID}) { points { at lagSeconds lagBlocks } }`,
    );
    expect(chainSeries.points.slice(-2)).toEqual([
      { at: NOW - 1_800, lagSeconds: null, lagBlocks: null },
      { at: NOW - 900, lagSeconds: 90.5, lagBlocks: 7 },
    ]);
  });

  it("show a wallet's queue and its last balance, or the queues of all wallets", async () => {
    const row = { chainId: CHAIN_ID, wallet: WALLET };
    const large = 10n ** 30n + 1n;
    await features.deps.prisma.walletSample.createMany({
      data: [
        { ...row, minute: minute(-120), depth: 5, oldestSeconds: 30, balanceWei: String(2n * large) },
        { ...row, minute: minute(-60), depth: 1, oldestSeconds: 0, balanceWei: String(large) },
        { ...row, wallet: OTHER_WALLET, minute: minute(-120), depth: 2, oldestSeconds: 31, balanceWei: null },
      ],
    });
    const read = async (args: string) =>
      (
        await ask(`queueSeries(chainId: ${CHAIN_ID}${args}) { points { at depth oldestSeconds balanceWei } }`)
      ).queueSeries.points.slice(-2);
    const none = { at: NOW - 1_800, depth: null, oldestSeconds: null, balanceWei: null };
    expect(await read(`, wallet: "${WALLET}"`)).toEqual([
      none,
      { at: NOW - 900, depth: 5, oldestSeconds: 30, balanceWei: String(large) },
    ]);
    expect(await read("")).toEqual([none, { at: NOW - 900, depth: 7, oldestSeconds: 31, balanceWei: null }]);
  });
});

describe("what is wrong is named", () => {
  it.each([
    [`orderSeries(from: ${NOW - 31 * DAY - 1}) { stepSeconds }`, "from"],
    [`orderSeries(from: ${NOW}) { stepSeconds }`, "from"],
    [`sendSeries(from: 10, to: 10) { stepSeconds }`, "from"],
    ['requestSeries(to: "yesterday") { stepSeconds }', "to"],
    ["chainSeries { stepSeconds }", "chainId"],
    [`queueSeries(chainId: ${CHAIN_ID}, wallet: "0x1") { stepSeconds }`, "wallet"],
  ])("%s", async (field, param) => {
    const { json } = await postGraphql(server.url, { query: `{ dashboard { ${field} } }` });
    expect(json.errors?.[0]?.extensions).toMatchObject({ errCode: "VALIDATION_FAILED", param });
  });

  it("more series than a query may cost are refused before any is read", async () => {
    const series = Array.from(
      { length: 14 },
      (_, index) => `s${index}: orderSeries { points { at byStatus { status count } } }`,
    );
    const { status, json } = await postGraphql(server.url, {
      query: `{ dashboard { ${series.join(" ")} } }`,
    });
    expect({ status, code: json.errors[0].extensions.code }).toEqual({
      status: 400,
      code: "GRAPHQL_VALIDATION_FAILED",
    });
    expect((await ask(series.slice(0, 5).join(" "))).s4.points).toHaveLength(96);
  });

  it.each(["orderSeries", "sendSeries", "requestSeries"])(
    "no API key reads %s, whatever leads it there",
    async (field) => {
      const source = `{ dashboard { ${field} { stepSeconds } } }`;
      const contextValue = { deps: features.deps, caller: key, scope: key };
      const { data, errors } = await graphql({ schema: buildApiSchema(), source, contextValue });
      expect([data, errors?.[0]?.originalError]).toMatchObject([null, { errCode: "ROUTE_NOT_FOUND" }]);
    },
  );

  it("nobody without a dashboard token reads one", async () => {
    const query = "{ dashboard { requestSeries { stepSeconds } } }";
    const { status, json } = await postGraphql(
      server.url,
      { query },
      { authorization: `Bearer ${key.apiKey}` },
    );
    expect({ status, data: json.data }).toEqual({ status: 400, data: null });
  });
});
