import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { parseUnits } from "ethers";
import { z } from "zod";
import { SEED, seededRandom } from "../support/assert/seeded-random.ts";
import { present, until } from "../support/assert/until.ts";
import type { ActivityList, Balance } from "../support/http/answers.ts";
import { type Control, createControl } from "../support/http/control.ts";
import { type LoggedEvent, readLog } from "../support/http/event-log.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import { keepSandbox } from "../support/sandbox/kept-sandbox.ts";
import { npmStart, processesOf, readState, untilPrinted } from "../support/sandbox/sandbox.ts";
import type { SandboxState } from "../support/sandbox/sandbox-state.ts";

/**
 * Splits of a stock that a user holds, at random, with reorgs that take them out, or mine them elsewhere. At every moment the activities sum
 * to the balance, and afterwards the events that stand are the splits that activities have. In a sandbox of its own: its clock and prices
 * are ahead of what other tests expect.
 */
const ROUNDS = 12;
/** So many blocks are final for the service, and may not be taken out. */
const FINAL = 8;
const LIMIT_MS = 300_000;

let dir: string;
let state: SandboxState;
let control: Control;
let chainId: number;
const random = seededRandom(SEED);
const wad = (amount: string) => parseUnits(amount, 18);

const madeSchema = z.object({
  address: z.string(),
  apiKey: z.string(),
  apiSecret: z.string(),
  chainId: z.number(),
  productType: z.string(),
});

let partner: Partner;
let user: string;
/** A stock that the user holds on the exchange. */
let stock: { symbol: string; address: string };
/** Splits less reverse splits that are on the chain. */
let doubled = 0;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), "partner-distributions-"));
  await untilPrinted(npmStart(dir), "The sandbox is ready to trade.", LIMIT_MS);
  state = readState(dir);
  control = createControl(state.controlUrl);
  chainId = present(state.chains[0], "a chain").chainId;
  const { address, ...key } = madeSchema.parse(await control.post("/users", { chainId }));
  partner = createPartner(state.baseUrl, key);
  user = address;
  const held = present(
    (await activities()).rows.find(({ stockAddress }) => stockAddress),
    "a holding",
  );
  stock = { symbol: held.asset, address: present(held.stockAddress, "a stock") };
  await control.post("/mine", { chainId, blocks: FINAL });
}, LIMIT_MS);

afterAll(() => {
  for (const pid of processesOf(dir)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It is gone already.
    }
  }
  keepSandbox(dir, "distributions");
  rmSync(dir, { recursive: true, force: true });
});

const split = (oldRate: string, newRate: string) =>
  control.post("/corporate-action", { symbol: stock.symbol, type: "split", oldRate, newRate });

async function activities() {
  const list = await partner.must(partner.get<ActivityList>(`/users/${user}/activities`, { limit: "100" }));
  expect(list.nextCursor).toBeNull();
  return list;
}

/** Expects the activities of one answer to sum to what is available after the newest of each asset. @returns the sums */
function expectSums({ rows }: ActivityList): Map<string, bigint> {
  const sums = new Map<string, { sum: bigint; newest: bigint }>();
  for (const { asset, delta, balanceAfter } of rows) {
    const { sum, newest } = sums.get(asset) ?? { sum: 0n, newest: wad(balanceAfter) };
    sums.set(asset, { sum: sum + wad(delta), newest });
  }
  for (const [asset, { sum, newest }] of sums) expect({ asset, sum }).toEqual({ asset, sum: newest });
  return new Map([...sums].map(([asset, { sum }]) => [asset, sum]));
}

/** Expects what the activities sum to, to be what the contracts have. */
async function expectBalance(): Promise<void> {
  const sums = expectSums(await activities());
  const balance = await partner.must(partner.get<Balance>(`/users/${user}/balance`));
  const held = balance.tokenBalances.find(({ address }) => address === stock.address);
  expect({ mUsd: sums.get("mUSD"), held: sums.get(stock.symbol) }).toEqual({
    mUsd: wad(balance.mUsdBalance),
    held: wad(present(held?.exchangeBalance, "a holding")),
  });
}

const FIELDS = ["blockNumber", "txHash", "multiplierBefore", "multiplierAfter", "tokens", "sharesAfter"];

/** Returns what an event and an activity say of a distribution alike. */
const shownOf = (data: Readonly<Record<string, unknown>>): string =>
  FIELDS.map((field) => data[field]).join(" ");

/** Returns the distributions that a log folds into: those that no event withdrew. */
function standing(log: readonly LoggedEvent[]): string[] {
  const found = new Map<string, string>();
  for (const { type, eventId, retracts, data } of log) {
    if (type !== "distribution.applied") continue;
    if (retracts !== null)
      expect({ retracts, isKnown: found.delete(retracts) }).toEqual({ retracts, isKnown: true });
    if (data.blockNumber !== null) found.set(eventId, shownOf(data));
  }
  return [...found.values()].toSorted();
}

/** Waits until the log folds into the activities. @returns the distributions */
const settled = () =>
  until(
    "the events are those of the activities",
    async () => {
      const list = await activities();
      expectSums(list);
      const shown = list.rows.flatMap(({ distribution, ...row }) =>
        distribution ? [shownOf({ ...row, ...distribution })] : [],
      );
      const told = standing(await readLog(partner));
      return JSON.stringify(told) === JSON.stringify(shown.toSorted()) ? { shown } : undefined;
    },
    60_000,
  );

async function head(): Promise<number> {
  const response = await fetch(`${state.controlUrl}/state`);
  const { chains } = z
    .object({ chains: z.array(z.object({ chainId: z.number(), blockNumber: z.number() })) })
    .parse(await response.json());
  return present(
    chains.find((one) => one.chainId === chainId),
    "the chain",
  ).blockNumber;
}

it(
  `row 121: are events and activities alike, through reorgs, and move no balance (TEST_SEED=${SEED})`,
  async () => {
    const seen = { kept: 0, dropped: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const isForward = doubled <= 0;
      const { shown: before } = await settled();
      const from = await head();
      await split(...((isForward ? ["1", "2"] : ["2", "1"]) as [string, string]));
      const applied = await until("the split is reported", async () => {
        const { shown } = await settled();
        return shown.length === before.length + 1 ? shown : undefined;
      });
      doubled += isForward ? 1 : -1;
      await expectBalance();
      // The first two of each kind for certain.
      const kind = round < 2 ? round : random.below(3);
      if (kind === 2) {
        await control.post("/mine", { chainId, blocks: FINAL });
        continue;
      }
      const transactions = kind === 0 ? "keep" : "drop";
      await control.post("/reorg", { chainId, depth: (await head()) - from + random.below(2), transactions });
      await control.post("/mine", { chainId, blocks: 2 });
      await control.indexed(partner, await head());
      const { shown } = await settled();
      await expectBalance();
      if (transactions === "keep") seen.kept += 1;
      else {
        seen.dropped += 1;
        doubled -= isForward ? 1 : -1;
      }
      expect({ transactions, count: shown.length }).toEqual({
        transactions,
        count: applied.length - (transactions === "drop" ? 1 : 0),
      });
      await control.post("/mine", { chainId, blocks: FINAL });
    }
    expect({ ...seen, areBoth: seen.kept > 0 && seen.dropped > 0 }).toEqual({ ...seen, areBoth: true });
    const log = (await readLog(partner)).filter(({ type }) => type === "distribution.applied");
    expect(log.filter(({ retracts }) => retracts !== null)).not.toEqual([]);
  },
  LIMIT_MS,
);
