import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { parseEther } from "viem";
import { present, until } from "../../support/assert/until.ts";
import { setPolicy } from "../../support/db/builders/keys.ts";
import type { Send } from "../../support/http/answers.ts";
import type { Partner } from "../../support/http/partner.ts";
import { startFeed, type TestFeed } from "../../support/sandbox/feed.ts";
import { enableUser, inAnHour } from "../../support/sender/sending.ts";
import { type SendingApi, startSendingApi } from "../../support/sender/sending-api.ts";

// The daily notional cap over the API, with a market feed that answers, answers wrongly or is gone.

let feed: TestFeed;
let stage: SendingApi;
let partner: Partner;
let keyId: string;

beforeAll(async () => {
  feed = await startFeed();
  stage = await startSendingApi({ env: { MARKET_DATA_URL: feed.url } });
  partner = await enableUser(stage.sending, stage.api.url, present(stage.product.users[0], "a user"));
  const { rows } = await stage.sending.pool.query<{ key_id: string }>(
    "SELECT key_id FROM app.api_key WHERE api_key = $1",
    [partner.key.apiKey],
  );
  keyId = present(rows[0], "the key").key_id;
});
afterAll(async () => {
  await stage?.close();
  await feed?.stop();
});

beforeEach(async () => {
  await feed.setDown(false);
  quote({ price: "60.38" });
  await setMultiplier(1);
  // Moved to yesterday: only this test's sends count.
  await stage.sending.pool.query(
    "UPDATE app.send_request SET accepted_at = now() - interval '2 days', signed_at = signed_at - interval '2 days'",
  );
  await stage.sending.pool.query("UPDATE app.key_policy SET counted_day = counted_day - 2");
  await stage.sending.pool.query("UPDATE app.signed_total SET day = day - 2");
});

const stock = () => present(stage.product.deployment.stockTokens[0], "a stock");

/** Sets the quote, and lets the api's copy of the previous one expire. */
function quote(quoted: { price: string; stale?: boolean } | null): void {
  feed.setQuote(stock().stockSymbol, quoted);
  stage.clock.aheadMs += 300;
}

async function setDown(): Promise<void> {
  await feed.setDown(true);
  stage.clock.aheadMs += 300;
}

const setMultiplier = (times: number) =>
  stage.sending.pool.query("UPDATE onchain.stock_token SET multiplier = $1", [
    (BigInt(times * 100) * 10n ** 16n).toString(),
  ]);

const cap = (mUsd: string | null) =>
  setPolicy(stage.sending.pool, { keyId }, { dailyNotionalCap: mUsd === null ? null : parseEther(mUsd) });

type Terms = Record<string, string>;
const limit = (side: string, quantity: string, price: string): Terms => ({
  side,
  type: "Limit",
  quantity,
  price,
  timeInForce: "DAY",
});
const marketSell = (quantity: string): Terms => ({ side: "Sell", type: "Market", quantity });
const marketBuy = (notional: string): Terms => ({ side: "Buy", type: "Market", notional });

const order = (terms: Terms, path = "/orders/send") =>
  partner.post<Send>(path, { stockAddress: stock().address, deadline: inAnHour(), ...terms });
const withDeposit = (terms: Terms) => order(terms, "/orders/with-deposit/send");

const OVER_CAP = { code: 10002, errCode: "POLICY_REFUSED", param: "dailyNotionalCap", data: null };
const NO_QUOTE = { code: 503, errCode: "MARKET_DATA_UNAVAILABLE", retryable: true, data: null };

/** Returns the notional that the newest request counts with, mUSD wad. */
async function counted(): Promise<bigint> {
  const { rows } = await stage.sending.pool.query<{ notional: string }>(
    "SELECT notional::text FROM app.send_request ORDER BY sequence DESC LIMIT 1",
  );
  return BigInt(present(rows[0], "a request").notional);
}

describe.each([
  ["an order", order],
  ["an order with a deposit", withDeposit],
])("%s", (_what, post) => {
  it("to sell far below the market counts at the quote", async () => {
    await cap("3018.999999999999999999");
    expect((await post(limit("Sell", "50", "0.1"))).body).toMatchObject(OVER_CAP);
    await cap("3019");
    expect((await post(limit("Sell", "50", "0.1"))).body).toMatchObject({ code: 200 });
    expect(await counted()).toBe(parseEther("3019"));
    expect((await order(marketBuy("1"))).body).toMatchObject(OVER_CAP);
  });

  it("to sell above the market counts at its limit, and at the market at the quote", async () => {
    await cap("100000");
    expect((await post(limit("Sell", "2", "70"))).body).toMatchObject({ code: 200 });
    expect(await counted()).toBe(parseEther("140"));
    expect((await post(marketSell("2"))).body).toMatchObject({ code: 200 });
    expect(await counted()).toBe(parseEther("120.76"));
  });

  it("to sell a token that stands for several shares counts for all of them", async () => {
    await setMultiplier(2.5);
    await cap("301.899999999999999999");
    for (const terms of [limit("Sell", "2", "0.5"), marketSell("2")]) {
      expect((await post(terms)).body).toMatchObject(OVER_CAP);
    }
    await cap("301.9");
    expect((await post(limit("Sell", "2", "0.5"))).body).toMatchObject({ code: 200 });
  });

  it.each<[string, () => void | Promise<void>]>([
    ["a stale quote", () => quote({ price: "60.38", stale: true })],
    ["no quote", () => quote(null)],
    ["a quote that is none", () => quote({ price: "-1" })],
    ["a feed that is down", setDown],
  ])("to sell with %s is refused under a cap, and taken without one", async (_fault, cause) => {
    await cap("100000");
    await cause();
    for (const terms of [limit("Sell", "1", "70"), marketSell("1")]) {
      expect((await post(terms)).body).toMatchObject(NO_QUOTE);
    }
    await cap(null);
    for (const terms of [limit("Sell", "1", "70"), marketSell("1")]) {
      expect((await post(terms)).body).toMatchObject({ code: 200 });
    }
  });
});

it("a buy counts at its limit or notional and needs no quote", async () => {
  await setDown();
  await cap("150");
  expect((await order(limit("Buy", "10", "10"))).body).toMatchObject({ code: 200 });
  expect(await counted()).toBe(parseEther("100"));
  expect((await order(marketBuy("50.000000000000000001"))).body).toMatchObject(OVER_CAP);
  expect((await order(marketBuy("50"))).body).toMatchObject({ code: 200 });
});

it("what a policy refuses besides is named, also where there is no quote", async () => {
  await cap("100000");
  quote(null);
  await stage.sending.pool.query("UPDATE app.key_policy SET killed = true WHERE key_id = $1", [keyId]);
  try {
    expect((await order(marketSell("1"))).body).toMatchObject({ ...OVER_CAP, param: "killSwitch" });
  } finally {
    await stage.sending.pool.query("UPDATE app.key_policy SET killed = false WHERE key_id = $1", [keyId]);
  }
});

it("of two sends at the same instant only as many pass as fit", async () => {
  await cap("150");
  const holder = await stage.sending.pool.connect();
  try {
    // Both have passed all their checks and wait for the policy's row: a sum read without it is zero.
    await holder.query("BEGIN");
    await holder.query("SELECT 1 FROM app.key_policy WHERE key_id = $1 FOR UPDATE", [keyId]);
    const answers = Promise.all([order(limit("Sell", "1", "100")), order(marketBuy("100"))]);
    await until("both wait for the policy", async () => {
      const { rows } = await stage.sending.pool.query<{ waiting: number }>(
        `SELECT count(*)::int AS waiting FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%app.key_policy%'`,
      );
      return rows[0]?.waiting === 2 ? true : undefined;
    });
    await holder.query("COMMIT");
    const codes = (await answers).map(({ body }) => [body.code, body.param ?? null]);
    expect(codes.sort()).toEqual(
      [
        [10002, "dailyNotionalCap"],
        [200, null],
      ].sort(),
    );
  } finally {
    holder.release();
  }
});

describe("a movement of cash", () => {
  const token = () => present(stage.product.deployment.cashTokens[0], "a cash token").address;
  const setFees = (bps: number) =>
    stage.sending.pool.query("UPDATE onchain.cash_token SET deposit_fee_bps = $1, withdraw_fee_bps = $1", [
      bps,
    ]);
  const move = (kind: "deposits" | "withdrawals") =>
    partner.post<Send>(`/cash/${kind}/send`, { tokenAddress: token(), tokenAmount: "10" });

  afterAll(() => setFees(0));

  it.each(["deposits", "withdrawals"] as const)("counts for its fee as it is forecast: %s", async (kind) => {
    await setFees(50);
    await cap("0.049999999999999999");
    expect((await move(kind)).body).toMatchObject(OVER_CAP);
    await cap("0.05");
    expect((await move(kind)).body).toMatchObject({ code: 200 });
    expect(await counted()).toBe(parseEther("0.05"));
    expect((await move(kind)).body).toMatchObject(OVER_CAP);
  });

  it("that a buy is sent with counts besides it", async () => {
    await setFees(50);
    const terms = { ...marketBuy("9"), tokenAddress: token(), tokenAmount: "10" };
    await cap("9.049999999999999999");
    expect((await withDeposit(terms)).body).toMatchObject(OVER_CAP);
    await cap("9.05");
    expect((await withDeposit(terms)).body).toMatchObject({ code: 200 });
    expect(await counted()).toBe(parseEther("9.05"));
  });
});
