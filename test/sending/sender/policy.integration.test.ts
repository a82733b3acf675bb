import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { encodeFunctionData } from "viem";
import { oneClickRouterAbi, stockRouterAbi } from "../../../src/contracts/abi/index.ts";
import type { NewSend } from "../../../src/sending/outbox/submit.ts";
import { setPolicy } from "../../support/db/builders/keys.ts";
import { newSend, STOCK_TOKEN } from "../../support/sender/new-send.ts";
import {
  type DrivenWallet,
  type SenderFixture,
  startSenderFixture,
} from "../../support/sender/sender-fixture.ts";

// The worker's own cap: rows have the api's count, which may be wrong (docs/sending.md#policies).

const WAD = 10n ** 18n;
const mUsd = (amount: number): bigint => BigInt(amount) * WAD;

let fixture: SenderFixture;
let one: DrivenWallet;

beforeAll(async () => {
  fixture = await startSenderFixture();
});
afterAll(() => fixture?.close());
beforeEach(async () => {
  one = await fixture.makeWallet({ config: { inFlightMax: 64 } });
  one.chain.balance = 10n ** 20n;
});

const cap = (dailyNotionalCap: bigint | null) => setPolicy(fixture.pool, one.caller, { dailyNotionalCap });
/** Sends like an api that checks nothing and counts nothing. */
const send = (more: Partial<NewSend>) => one.send({ ...more, bypassChecks: true });
const buy = (amount: number) => send({ notional: mUsd(amount) });
const NEVER = 2 ** 32 - 1;
const sell = (amount: number) => {
  const args = [STOCK_TOKEN, -mUsd(amount), NEVER] as const;
  const call = encodeFunctionData({ abi: stockRouterAbi, functionName: "placeMarketOrder", args });
  return send({ data: executeFor(call), notional: 1n });
};
const executeFor = (call: `0x${string}`) =>
  encodeFunctionData({ abi: oneClickRouterAbi, functionName: "executeFor", args: [one.user, call] });
const move = (functionName: "deposit" | "withdraw", amount: number) => {
  const call = encodeFunctionData({ abi: stockRouterAbi, functionName, args: [STOCK_TOKEN, mUsd(amount)] });
  const operation = functionName === "deposit" ? "cash/deposits" : "cash/withdrawals";
  return send({ operation, data: executeFor(call) });
};
const states = async (ids: readonly string[]) =>
  (await Promise.all(ids.map(one.row))).map(({ state }) => state);
const OVER = {
  state: "canceled",
  errCode: "POLICY_REFUSED",
  nonce: null,
  reason: "the key's policy before it was signed: dailyNotionalCap",
};

describe("under a daily cap", () => {
  it("a worker signs what fits, in one group and over several, whatever the api counted", async () => {
    await cap(mUsd(100));
    const ids = [await buy(60), await buy(60), await buy(40)];
    await one.cycle();
    expect(await states(ids)).toEqual(["broadcast", "canceled", "broadcast"]);
    expect(await one.row(ids[1] ?? "")).toMatchObject(OVER);
    const late = await buy(1);
    await one.cycle();
    expect(await one.row(late)).toMatchObject(OVER);
  });

  it("a sale counts at the worker's own quote, not at what its row says", async () => {
    await cap(mUsd(100));
    one.facts.price = 3n * WAD;
    const ids = [await sell(33), await sell(1)];
    await one.cycle();
    expect(await states(ids)).toEqual(["broadcast", "canceled"]);
    const late = await sell(1);
    await one.cycle();
    expect(await one.row(late)).toMatchObject(OVER);
  });

  it("a sale without a quote waits for one, and keeps nobody waiting", async () => {
    await cap(mUsd(100));
    one.facts.price = null;
    const sales: string[] = [];
    for (let count = 0; count < 40; count++) sales.push(await sell(1));
    const bought = await buy(10);
    await one.cycle();
    expect(await one.row(bought)).toMatchObject({ state: "broadcast", nonce: 7n });
    expect(new Set(await states(sales))).toEqual(new Set(["accepted"]));
    one.facts.price = WAD;
    one.clock.nowMs += 1_000;
    await one.cycle();
    expect(new Set(await states(sales))).toEqual(new Set(["broadcast"]));
  });

  it("a sale that never gets a quote ends with its deadline", async () => {
    await cap(mUsd(100));
    one.facts.price = null;
    const deadline = BigInt(Math.floor(one.clock.nowMs / 1000) + 600);
    const id = await send({ deadline });
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "accepted" });
    one.clock.nowMs += 700_000;
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "canceled", errCode: "DEADLINE_EXPIRED" });
  });

  it("12 alternating deposits and withdrawals at 50 bps cannot burn more than the cap of 1", async () => {
    await cap(mUsd(1));
    one.facts.feeBps = 50;
    const ids: string[] = [];
    for (let round = 0; round < 6; round++) ids.push(await move("deposit", 100), await move("withdraw", 100));
    await one.cycle();
    const ended = await states(ids);
    // A fee of 0.5 each.
    expect(ended.filter((state) => state === "broadcast")).toHaveLength(2);
    expect(ended.filter((state) => state === "canceled")).toHaveLength(10);
  });

  it("what reverted, or was filled, counts no more; what failed by the api's word alone does", async () => {
    await cap(mUsd(100));
    const [reverted, filled, claimed] = [await buy(30), await buy(30), await buy(40)];
    await one.cycle();
    await fixture.pool.query(
      "UPDATE app.send_request SET state = 'final', outcome = 'reverted', final_at = now() WHERE request_id = $1",
      [reverted],
    );
    await fixture.pool.query(
      `UPDATE app.send_request SET state = 'canceled', err_code = 'DEADLINE_EXPIRED', mined_filler = true, final_at = now()
       WHERE request_id = $1`,
      [filled],
    );
    await fixture.pool.query(
      "UPDATE app.send_request SET state = 'failed', err_code = 'CHAIN_REVERT', final_at = now() WHERE request_id = $1",
      [claimed],
    );
    const ids = [await buy(60), await buy(1)];
    await one.cycle();
    expect(await states(ids)).toEqual(["broadcast", "canceled"]);
  });

  it("a cap that is set later on a day counts what was signed before it, as the api valued it", async () => {
    const before = await buy(70);
    await one.cycle();
    expect(await one.row(before)).toMatchObject({ state: "broadcast" });
    await cap(mUsd(100));
    const ids = [await buy(40), await buy(30)];
    await one.cycle();
    expect(await states(ids)).toEqual(["canceled", "broadcast"]);
    // A request signed without the worker's own value counts likewise.
    const old = await buy(1);
    await cap(mUsd(200));
    await fixture.pool.query(
      "UPDATE app.send_request SET state = 'signed', nonce = 500, signed_at = now(), notional = $2 WHERE request_id = $1",
      [old, mUsd(90).toString()],
    );
    const last = [await buy(20), await buy(10)];
    await one.cycle();
    expect(await states(last)).toEqual(["canceled", "broadcast"]);
  });

  it("what has no value frees none of the cap, whatever its row says", async () => {
    await cap(mUsd(100));
    const signed = [
      await send({ operation: "orders/cancel", notional: mUsd(-1_000) }),
      await send({ operation: "stock/deposits", notional: mUsd(-1_000) }),
    ];
    await one.cycle();
    expect(await states(signed)).toEqual(["broadcast", "broadcast"]);
    const ids = [await buy(101), await buy(100)];
    await one.cycle();
    expect(await states(ids)).toEqual(["canceled", "broadcast"]);
  });

  it("a disable is signed all the same", async () => {
    await cap(0n);
    const id = await send({ operation: "1ct/disable", needsDelegation: false, operationType: null });
    await one.cycle();
    expect(await one.row(id)).toMatchObject({ state: "broadcast" });
  });
});

it.each<[string, Parameters<typeof setPolicy>[2], string]>([
  ["its operations", { allowedOperations: ["cash/deposits"] }, "allowedOperations"],
  ["its symbols", { allowedSymbols: ["MSFT"] }, "allowedSymbols"],
  ["its expiry", { expiresAt: new Date(0) }, "expiry"],
])("a policy is held to %s again where a request is signed", async (_what, policy, name) => {
  const id = await send({ symbol: "MSFT" });
  await setPolicy(fixture.pool, one.caller, policy);
  await one.cycle();
  expect(await one.row(id)).toMatchObject({
    state: "canceled",
    errCode: "POLICY_REFUSED",
    reason: `the key's policy before it was signed: ${name}`,
  });
});

it("a cancel is of the symbol of its order", async () => {
  await setPolicy(fixture.pool, one.caller, { allowedSymbols: ["AAPL"] });
  const [mine, foreign] = [
    newSend(one.address, one.user, { operation: "orders/cancel" }),
    newSend(one.address, one.user, { operation: "orders/cancel" }),
  ];
  one.facts.readOrderSymbols = async (_scope, orderIds) =>
    new Map(orderIds.map((orderId) => [orderId, foreign.data.includes(orderId.slice(2)) ? "MSFT" : "AAPL"]));
  const ids = [
    await send({ operation: "orders/cancel", data: mine.data }),
    await send({ operation: "orders/cancel", data: foreign.data }),
  ];
  await one.cycle();
  expect(await states(ids)).toEqual(["broadcast", "canceled"]);
});
