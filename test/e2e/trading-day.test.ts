import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { LONG } from "../support/assert/long.ts";
import { SEED } from "../support/assert/seeded-random.ts";
import { present } from "../support/assert/until.ts";
import type { Price } from "../support/http/answers.ts";
import type { Partner } from "../support/http/partner.ts";
import { cancelOne, type Done, enableSending, trade } from "./day/actions.ts";
import { checkAll } from "./day/checks.ts";
import { chain, control, makeSender, partner, provider, random, stocks } from "./day/context.ts";

/**
 * A day of trading at random, through the API alone: orders, cancels, combined calls, deposits and withdrawals of two
 * users, by their own wallets and through /send, with a split, two reorgs, and an hour in which cash has to queue.
 * Whatever happened, every balance, position with its cost, order with its fills, and operation that the API tells is what
 * the contracts and their events say at the very block that the answer names. The contracts are asked by ethers.
 */
const STEPS = LONG ? 120 : 24;
const CHECK_EVERY = 12;

const { chainId } = chain;
const cash = present(chain.cashTokens[0], "a cash token");
const done: Done[] = [];
let sender: Partner;

beforeAll(async () => {
  sender = await makeSender();
  await enableSending(sender);
});

afterAll(async () => {
  await control.releaseBuffers(partner, cash.address);
  await sender.post("/1ct/disable", {});
  provider.destroy();
});

/** Costs of positions that were compared, all day. */
let costs = 0;

async function check() {
  const seen = await checkAll(done, [partner, sender]);
  costs += seen.costs;
  return seen;
}

/**
 * Rolls the chain back and waits until the API follows the new branch. A rollback keeps the height, so the next block is
 * higher than any of the old branch: where it is indexed, the old branch is gone.
 */
async function reorg(how: Record<string, unknown>): Promise<void> {
  await control.post("/reorg", { chainId, ...how });
  const head = await provider.getBlockNumber();
  await control.post("/mine", { chainId, blocks: 1 });
  await control.indexed(partner, head + 1);
  await check();
}

async function split(): Promise<void> {
  const { address } = present(stocks[0], "a stock");
  const { basicInfo } = await partner.must(partner.get<Price>(`/prices/${address}`));
  const { symbol } = basicInfo;
  await control.post("/corporate-action", { symbol, type: "split", oldRate: 1, newRate: 2 });
}

/** Each at its step. */
const REORGS = new Map<number, Record<string, unknown>>([
  [STEPS / 2, { depth: 4, transactions: "keep" }],
  [(STEPS * 2) / 3, { depth: 2 }],
]);

/** The events at fixed times of the day. */
const EVENTS = new Map<number, () => Promise<unknown>>([
  [
    10,
    () => control.post("/buffers", { chainId, creditBuffer: "0", token: cash.address, withdrawBuffer: "0" }),
  ],
  [STEPS / 3, split],
  [(STEPS * 5) / 6, () => control.post("/buffers", { chainId, release: true })],
  ...[...REORGS].map(([step, how]): [number, () => Promise<unknown>] => [step, () => reorg(how)]),
]);

it(`tells what the contracts say, all day long (TEST_SEED=${SEED})`, async () => {
  for (let step = 1; step <= STEPS; step++) {
    if (random.chance(0.15)) await cancelOne();
    else await trade(sender, done);
    await EVENTS.get(step)?.();
    // A reorg is followed by a check, and so is the last step.
    if (step % CHECK_EVERY === 0 && step < STEPS && !REORGS.has(step)) await check();
  }
  const evening = async () => {
    await control.post("/mine", { chainId, blocks: 3 });
    await control.quiet(partner);
    return check();
  };
  let seen = await evening();
  const isShort = () => !seen.statuses.get("Filled") || costs === 0 || seen.operations === 0;
  // Chance may let too little happen, or be compared: such a day lasts longer.
  for (let more = 0; isShort() && more < 5 * STEPS; more += CHECK_EVERY) {
    for (let step = 0; step < CHECK_EVERY; step++) await trade(sender, done);
    seen = await evening();
  }
  expect(seen.statuses.get("Filled") ?? 0).toBeGreaterThan(0);
  // Counts the checks of the whole day: in the evening there may be no holdings.
  expect(costs).toBeGreaterThan(0);
  expect(seen.operations).toBeGreaterThan(0);
}, 600_000);
