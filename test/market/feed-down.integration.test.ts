import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { eventuallyEquals } from "../support/assert/eventually-equals.ts";
import { present } from "../support/assert/until.ts";
import type { Balance, Position } from "../support/http/answers.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import { startFeed, type TestFeed } from "../support/sandbox/feed.ts";
import { type SendingApi, startSendingApi } from "../support/sender/sending-api.ts";

// A market feed whose port is closed: partners' answers about holdings, and the operator's about the feed.

let feed: TestFeed;
let stage: SendingApi;
let partner: Partner;
let user: string;

beforeAll(async () => {
  feed = await startFeed();
  stage = await startSendingApi({ env: { MARKET_DATA_URL: feed.url } });
  const { address } = present(stage.product.users[0], "a user");
  user = address;
  partner = createPartner(stage.api.url, await stage.sending.makeKey());
  for (const { stockSymbol } of stage.product.deployment.stockTokens) {
    feed.setQuote(stockSymbol, { price: "60.38" });
  }
});
afterAll(async () => {
  await stage?.close();
  await feed?.stop();
});

const positions = () => partner.must(partner.get<Position[]>(`/users/${user}/positions`));
const balance = () => partner.must(partner.get<Balance>(`/users/${user}/balance`));

/** Switches the feed, and lets the api's copies of its answers and its readiness expire. */
async function setDown(down: boolean): Promise<void> {
  await feed.setDown(down);
  stage.clock.aheadMs += 300;
}

async function operator(path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${stage.api.operatorUrl}${path}`);
  return { status: response.status, text: await response.text() };
}

it("leaves holdings without prices, and every other field as it was", async () => {
  const [held, wallet] = [await positions(), await balance()];
  expect(held.length).toBeGreaterThan(0);
  for (const position of held) expect(position).toMatchObject({ marketPrice: "60.38", stale: false });
  await setDown(true);
  const unpriced = { marketPrice: null, marketValue: null, unrealizedPnl: null, unrealizedPnlPercent: null };
  expect(await positions()).toEqual(held.map((position) => ({ ...position, ...unpriced, stale: true })));
  expect(await balance()).toEqual({
    ...wallet,
    tokenBalances: wallet.tokenBalances.map((token) => (token.isStock ? { ...token, price: null } : token)),
  });
  await setDown(false);
  expect(await positions()).toEqual(held);
});

it("tells a price that is older than it should be as stale", async () => {
  const { stockSymbol } = present(stage.product.deployment.stockTokens[0], "a stock");
  feed.setQuote(stockSymbol, { price: "60.38", stale: true });
  stage.clock.aheadMs += 300;
  const told = (await positions()).map(({ symbol, marketPrice, stale }) => ({ symbol, marketPrice, stale }));
  expect(told).toContainEqual({ symbol: stockSymbol, marketPrice: "60.38", stale: true });
  expect(told.filter(({ stale }) => stale)).toHaveLength(1);
  feed.setQuote(stockSymbol, { price: "60.38" });
});

// The program caches its last answer to the operator for a moment.
const upBecomes = (value: string) =>
  eventuallyEquals(
    async () => /^market_data_up\{provider="sandbox"\} (\d)$/m.exec((await operator("/metrics")).text)?.[1],
    value,
  );

it("is told to the operator: /readyz is degraded and ready, /metrics names the provider", async () => {
  await setDown(false);
  await positions();
  await upBecomes("1");
  await setDown(true);
  await positions();
  await upBecomes("0");
  const readyAs = (body: object) =>
    eventuallyEquals(() => operator("/readyz"), { status: 200, text: JSON.stringify(body) });
  await readyAs({ status: "ready", degraded: ["market data (sandbox)"] });
  // The partners' port answers ready, without the reason of a degradation.
  const open = await fetch(`${stage.api.url}/readyz`);
  expect({ status: open.status, text: await open.text() }).toEqual({
    status: 200,
    text: '{"status":"ready"}',
  });
  await setDown(false);
  await readyAs({ status: "ready" });
});
