import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { getAddress } from "viem";
import { type AlpacaServer, type Reply, startAlpacaServer } from "../../market-data/alpaca-server.ts";
import { hex } from "../../support/assert/sample.ts";
import { present, until } from "../../support/assert/until.ts";
import { createOnchain, type Onchain } from "../../support/db/onchain.ts";
import { createDatabase, type TestDatabase } from "../../support/db/postgres.ts";
import {
  CHAIN_ID,
  makeEnv,
  OTHER_PRODUCT,
  PRODUCT,
  startTestApi,
  type TestApi,
  type TestEnv,
} from "../../support/http/api.ts";
import { type EventStream, openStream } from "../../support/http/event-stream.ts";
import { createPartner } from "../../support/http/partner.ts";

// GET /prices and GET /prices/stream of an api whose market data is a server that speaks Alpaca's protocol.

const WAD = 10n ** 18n;
const PATH = "/api/v1/prices/stream";
const SNAPSHOTS = "/v2/stocks/snapshots";

let database: TestDatabase;
let env: TestEnv;
let api: TestApi;
let onchain: Onchain;
let alpaca: AlpacaServer;
let prices: Record<string, string>;
let open: EventStream[];
type Key = Awaited<ReturnType<TestEnv["makeKey"]>>;
let key: Key;

beforeAll(async () => {
  database = await createDatabase();
  alpaca = await startAlpacaServer();
  env = makeEnv(database.url, "http://127.0.0.1:1", {
    MARKET_DATA_PROVIDER: "alpaca",
    ALPACA_KEY_ID: "PKTEST",
    ALPACA_SECRET_KEY: "secret",
    ALPACA_DATA_URL: alpaca.url,
    ALPACA_TRADING_URL: alpaca.url,
    EVENT_STREAMS_PER_KEY: "5",
  });
  onchain = await createOnchain(env.pool);
  await onchain.setBlock(CHAIN_ID, { number: 50n, timestamp: 1_795_000_000n });
  for (const [index, [productType, symbol, multiplier, tradable]] of (
    [
      [PRODUCT, "AAPL", WAD, true],
      [PRODUCT, "MSFT", 2n * WAD, true],
      [PRODUCT, "IBM", WAD, false],
      [OTHER_PRODUCT, "AAPL", 4n * WAD, true],
    ] as const
  ).entries()) {
    await onchain.insert("stockToken", {
      chainId: CHAIN_ID,
      productType,
      tokenAddress: hex(20, 0x50 + index),
      symbol,
      multiplier,
      tradable,
    });
  }
  api = await startTestApi(env.env, { streams: { heartbeatMs: 100, recheckMs: 100, staleMs: 4_000 } });
});

afterAll(async () => {
  await api?.stop();
  await env?.dispose();
  await alpaca?.stop();
  await database?.drop();
});

beforeEach(async () => {
  prices = { AAPL: "180.5", MSFT: "400", IBM: "220" };
  alpaca.always(SNAPSHOTS, snapshots);
  open = [];
  key = await env.makeKey();
});

afterEach(() => {
  for (const stream of open) stream.cut();
});

/** Answers as Alpaca does of what trades now, at the test's prices. */
function snapshots(url: URL): Reply {
  const symbols = (url.searchParams.get("symbols") ?? "").split(",");
  const t = new Date().toISOString();
  const entries = symbols.flatMap((symbol) => {
    const p = prices[symbol];
    if (p === undefined) return [];
    return [
      `"${symbol}":{"latestTrade":{"t":"${t}","p":${p}},"latestQuote":{"t":"${t}","ap":${p},"as":1,"bp":${p},"bs":1}}`,
    ];
  });
  return { body: `{${entries.join(",")}}` };
}

async function openPrices(query: Record<string, string> = {}, who: Key = key): Promise<EventStream> {
  const stream = await openStream(api.url, who, { query, path: PATH });
  open.push(stream);
  return stream;
}

interface Streamed {
  symbol: string;
  basicInfo: { price: string; stale: boolean; session: string } | null;
  onChain: { price: string | null; contractAddress: string; multiplier: string; tradable: boolean };
}

const dataOf = (stream: EventStream, type: string) =>
  stream.frames.filter(({ event }) => event === type).map(({ data }) => JSON.parse(present(data, "data")));
const pricesOf = (stream: EventStream): Streamed[] => dataOf(stream, "price");
const last = (stream: EventStream, symbol: string) =>
  pricesOf(stream).findLast((price) => price.symbol === symbol);
const shown = (stream: EventStream, symbol: string, price: string) =>
  until(`${symbol} at ${price}`, () => last(stream, symbol)?.basicInfo?.price === price);
const status = (stream: EventStream) => dataOf(stream, "status").at(-1);
const isStale = (stream: EventStream, stale: boolean) =>
  until(`a market that is ${stale ? "stale" : "fresh"}`, () => status(stream)?.stale === stale);

describe("GET /prices", () => {
  const list = async (query: Record<string, string> = {}) =>
    (await createPartner(api.url, key).get<Streamed[]>("/prices", query)).body;

  it("lists what is listed, per share and per token, also what takes no orders or has no quote", async () => {
    prices = { AAPL: "180.5", MSFT: "400" };
    const data = (await list()).data.toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1));
    expect(data.map(({ symbol, basicInfo, onChain }) => [symbol, basicInfo?.price, onChain.price])).toEqual([
      ["AAPL", "180.5", "180.5"],
      ["IBM", undefined, null],
      ["MSFT", "400", "800"],
    ]);
    expect(data[2]?.onChain).toEqual({
      chainId: CHAIN_ID,
      productType: PRODUCT,
      contractAddress: getAddress(hex(20, 0x51)),
      multiplier: "2",
      tradable: true,
      price: "800",
      bid: "800",
      ask: "800",
    });
    expect(data[1]?.onChain).toMatchObject({ tradable: false });
  });

  it("takes symbols and addresses in any case, in their order and each once", async () => {
    const { data } = await list({ symbols: `msft,${hex(20, 0x50).toUpperCase()},aapl` });
    expect(data.map(({ symbol }) => symbol)).toEqual(["MSFT", "AAPL"]);
  });

  it.each([
    ["AAPL,"],
    [","],
    ["x".repeat(201)],
    [Array.from({ length: 101 }, (_, index) => `S${index}`).join(",")],
  ])("refuses symbols=%s by its name", async (symbols) => {
    expect(await list({ symbols })).toMatchObject({ errCode: "VALIDATION_FAILED", param: "symbols" });
  });
});

describe("a stream of prices", () => {
  it("begins with the market and what GET /prices answers, and has each change", async () => {
    const list = async () => (await createPartner(api.url, key).get<Streamed[]>("/prices")).body;
    await until("what was answered without a quote of IBM is kept no more", async () =>
      (await list()).data.every(({ basicInfo }) => basicInfo !== null),
    );
    const stream = await openPrices();
    await until("the snapshot", () => pricesOf(stream).length >= 3);
    const body = await list();
    const untimed = ({ basicInfo, ...price }: Streamed) => ({
      ...price,
      basicInfo: { ...basicInfo, timestamp: 0 },
    });
    expect(pricesOf(stream).slice(0, 3).map(untimed)).toEqual(body.data.map(untimed));
    expect(stream.frames.slice(0, 2)).toMatchObject([{ retry: "1000" }, { event: "status", id: null }]);
    expect(status(stream)).toEqual({ session: expect.any(String), stale: false, t: expect.any(Number) });
    prices.AAPL = "181";
    await shown(stream, "AAPL", "181");
    expect(stream.response.headers).toMatchObject({
      "cache-control": "no-store, no-transform",
      connection: "close",
    });
  });

  it("has the stocks that are asked for alone, and a product's own tokens", async () => {
    const scopes = [PRODUCT, OTHER_PRODUCT].map((productType) => ({ chainId: CHAIN_ID, productType }));
    const both = await env.makeKey({ scopes });
    const [one, other] = await Promise.all([
      openPrices({ symbols: "aapl" }, both),
      openPrices({}, { ...both, productType: OTHER_PRODUCT }),
    ]);
    prices = { AAPL: "100", MSFT: "1", IBM: "1" };
    await Promise.all([shown(one, "AAPL", "100"), shown(other, "AAPL", "100")]);
    expect([...new Set(pricesOf(one).map(({ symbol }) => symbol))]).toEqual(["AAPL"]);
    expect([last(one, "AAPL")?.onChain.price, last(other, "AAPL")?.onChain.price]).toEqual(["100", "400"]);
  });

  it("asks upstream once a second for all of its readers, and not once none is left", async () => {
    const asked = () => alpaca.requests.filter(({ pathname }) => pathname === SNAPSHOTS);
    const streams = await Promise.all([1, 2, 3, 4, 5].map(() => openPrices({ symbols: "MSFT" })));
    await Promise.all(streams.map((stream) => shown(stream, "MSFT", "400")));
    const [before, startedAt] = [asked().length, performance.now()];
    for (const price of ["401", "402", "403"]) {
      prices.MSFT = price;
      await Promise.all(streams.map((stream) => shown(stream, "MSFT", price)));
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const requests = asked().length - before;
    expect({ seconds, requests, isShared: requests <= seconds + 1 }).toMatchObject({ isShared: true });
    for (const stream of streams) stream.cut();
    await until("no stream", async () => (await metric("price_streams_open")) === 0);
    const quiet = asked().length;
    await shown(await openPrices({ symbols: "IBM" }), "IBM", "220");
    const symbols = asked()
      .slice(quiet)
      .map(({ searchParams }) => searchParams.get("symbols"));
    expect([...new Set(symbols)]).toEqual(["IBM"]);
  });

  it("says that prices are stale while the provider fails, and that they are not once it is back", async () => {
    const stream = await openPrices({ symbols: "AAPL,MSFT" });
    await Promise.all([shown(stream, "AAPL", "180.5"), shown(stream, "MSFT", "400")]);
    alpaca.always(SNAPSHOTS, { status: 503, body: "{}" });
    await isStale(stream, true);
    expect([last(stream, "AAPL"), last(stream, "MSFT")].map((price) => price?.basicInfo)).toMatchObject([
      { price: "180.5", stale: true },
      { price: "400", stale: true },
    ]);
    await until("a heartbeat that says so", () => dataOf(stream, "heartbeat").at(-1)?.stale === true);
    prices.AAPL = "182";
    alpaca.always(SNAPSHOTS, snapshots);
    await isStale(stream, false);
    await shown(stream, "AAPL", "182");
    expect(last(stream, "AAPL")?.basicInfo).toMatchObject({ stale: false });
  });

  it("says so, too, where the provider accepts requests and is silent", async () => {
    const stream = await openPrices({ symbols: "AAPL" });
    await shown(stream, "AAPL", "180.5");
    alpaca.always(SNAPSHOTS, { hang: true });
    await isStale(stream, true);
    expect(last(stream, "AAPL")?.basicInfo).toMatchObject({ price: "180.5", stale: true });
    alpaca.always(SNAPSHOTS, snapshots);
    await isStale(stream, false);
  });

  it("refuses what it cannot follow with an ordinary answer", async () => {
    const refusal = async (query: Record<string, string>) =>
      (await createPartner(api.url, key).get("/prices/stream", query)).body;
    expect(await refusal({ symbols: "," })).toMatchObject({ errCode: "VALIDATION_FAILED", param: "symbols" });
    expect(await refusal({ after: "WzE2XQ" })).toMatchObject({
      errCode: "VALIDATION_FAILED",
      param: "after",
    });
    // A name that the index does not have may be a token's own, which its node alone knows: there is none.
    expect(await refusal({ symbols: "NOPE" })).toMatchObject({ code: 503, errCode: "RPC_UNAVAILABLE" });
  });

  it("counts with the key's streams of events", async () => {
    open.push(...(await Promise.all([1, 2, 3].map(() => openStream(api.url, key)))));
    await Promise.all([openPrices(), openPrices()]);
    const partner = createPartner(api.url, key);
    for (const path of ["/prices/stream", "/events/stream"]) {
      const { body } = await partner.get(path);
      expect({ path, errCode: body.errCode }).toEqual({ path, errCode: "TOO_MANY_STREAMS" });
    }
  });

  it.each([
    ["its key is revoked", "UPDATE app.api_key SET active = false WHERE key_id = $1"],
    ["its scope is taken away", "DELETE FROM app.api_key_scope WHERE key_id = $1"],
  ])("ends where %s", async (_what, change) => {
    const [stream, spared] = [await openPrices(), await openPrices({}, await env.makeKey())];
    await env.pool.query(change, [key.keyId]);
    expect(await stream.ended).toBe(true);
    expect(stream.frames.at(-1)).toMatchObject({ event: "closing", data: '{"reason":"access"}' });
    expect(spared.response.complete).toBe(false);
  });

  it("leaves a client that does not read the latest prices alone", async () => {
    const stream = await openPrices({ symbols: "AAPL" });
    await shown(stream, "AAPL", "180.5");
    expect(await metric('price_streams_ended_total{cause="slow"}')).toBe(0);
    stream.stall();
    prices.AAPL = "185";
    // It is small: the system takes it for the client.
    stream.response.resume();
    await shown(stream, "AAPL", "185");
  });

  async function metric(name: string): Promise<number> {
    const text = await (await fetch(`${api.operatorUrl}/metrics`)).text();
    const line = text.split("\n").find((one) => one.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1) ?? 0);
  }

  it("says that it ends at a shutdown", async () => {
    const replica = await startTestApi(env.env);
    const stream = await openStream(replica.url, key, { path: PATH });
    await shown(stream, "AAPL", "180.5");
    await replica.stop();
    expect(await stream.ended).toBe(true);
    expect(stream.frames.at(-1)).toMatchObject({ event: "closing", data: '{"reason":"shutdown"}' });
  });
});
