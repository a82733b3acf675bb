import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { Quote } from "../../src/market-data/provider.ts";
import { createSandboxMarketData } from "../../src/market-data/sandbox-provider.ts";
import { expectRefusal } from "../support/assert/errors.ts";

const quote = (symbol: string, price: string): Quote => ({
  symbol,
  name: `${symbol} Inc.`,
  price,
  bid: "1",
  ask: null,
  bidSize: "100",
  askSize: null,
  open: "1.25",
  high: null,
  low: null,
  previousClose: "2",
  volume: "12345",
  change24H: "-0.5",
  change24HPercent: "-25",
  session: "regular",
  timestamp: 1_800_000_000,
  stale: false,
  source: "sandbox",
});

let server: Server;
let baseUrl: string;
let asked: string[];
let answer: (path: string) => { status: number; body: unknown } | "silence";
let now: number;

beforeEach(async () => {
  asked = [];
  now = 1_000_000;
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const reply = answer(request.url ?? "");
    if (reply === "silence") return;
    response.statusCode = reply.status;
    response.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const create = (timeoutMs = 60_000) =>
  createSandboxMarketData({ baseUrl, now: () => now, maxAgeMs: 250, timeoutMs });

describe("the sandbox's quotes", () => {
  it("are told as the feed tells them, one or several", async () => {
    answer = (path) =>
      path === "/feed/quotes/AAPL"
        ? { status: 200, body: quote("AAPL", "180.5") }
        : { status: 200, body: [quote("AAPL", "180.5"), quote("KO", "64"), quote("IBM", "126")] };
    const market = create();
    expect(await market.quote("AAPL")).toEqual(quote("AAPL", "180.5"));
    expect([...(await market.quotes(["KO", "AAPL", "NONE"])).keys()].sort()).toEqual(["AAPL", "KO"]);
    expect((await market.quotes([])).size).toBe(0);
    expect(asked).toEqual(["/feed/quotes/AAPL", "/feed/quotes"]);
  });

  it("are null where the feed knows nothing of the stock, whatever its name is made of", async () => {
    answer = () => ({ status: 404, body: { error: "unknown" } });
    expect(await create().quote("A/B?C#D")).toBeNull();
    expect(asked).toEqual(["/feed/quotes/A%2FB%3FC%23D"]);
  });

  it("are asked for once by requests at the same time, and again when they are old", async () => {
    answer = () => ({ status: 200, body: quote("AAPL", "180.5") });
    const market = create();
    await Promise.all([market.quote("AAPL"), market.quote("AAPL")]);
    now += 249;
    await market.quote("AAPL");
    expect(asked).toHaveLength(1);
    now += 1;
    answer = () => ({ status: 200, body: quote("AAPL", "181") });
    expect(await market.quote("AAPL")).toMatchObject({ price: "181" });
    expect(asked).toHaveLength(2);
  });

  it.each<[string, ReturnType<typeof answer>]>([
    ["fails", { status: 500, body: "oops" }],
    ["answers garbage", { status: 200, body: "<html>" }],
    ["answers a quote without a price", { status: 200, body: { ...quote("AAPL", "1"), price: undefined } }],
    ["answers a price that is a float", { status: 200, body: { ...quote("AAPL", "1"), price: 1.5 } }],
    ["is silent", "silence"],
  ])("are MARKET_DATA_UNAVAILABLE where the feed %s", async (_what, reply) => {
    answer = () => reply;
    const timeoutMs = reply === "silence" ? 300 : undefined;
    await expectRefusal(create(timeoutMs).quote("AAPL"), "MARKET_DATA_UNAVAILABLE");
    await expectRefusal(create(timeoutMs).quotes(["AAPL"]), "MARKET_DATA_UNAVAILABLE");
  });

  it("come back with the feed", async () => {
    answer = () => ({ status: 503, body: "" });
    const market = create();
    await expectRefusal(market.quote("AAPL"), "MARKET_DATA_UNAVAILABLE");
    answer = () => ({ status: 200, body: quote("AAPL", "180.5") });
    now += 250;
    expect(await market.quote("AAPL")).toMatchObject({ price: "180.5" });
  });
});

describe("the sandbox's session", () => {
  it("is that of its quotes, whatever the calendar says", async () => {
    answer = () => ({ status: 200, body: [{ ...quote("AAPL", "180.5"), session: "overnight" }] });
    expect(await create().session()).toBe("overnight");
  });

  it("is closed where nothing is listed, and unavailable with the feed", async () => {
    answer = () => ({ status: 200, body: [] });
    expect(await create().session()).toBe("closed");
    answer = () => ({ status: 503, body: "" });
    await expectRefusal(create().session(), "MARKET_DATA_UNAVAILABLE");
  });
});
