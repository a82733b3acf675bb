import { describe, expect, it } from "@jest/globals";
import { getAddress } from "viem";
import type { ChainState } from "../../../src/dashboard/chains.ts";
import { type Facts, problemsOf } from "../../../src/dashboard/problems/problems.ts";
import type { Queue } from "../../../src/sending/outbox/queue-store.ts";

const NOW = 1_000_000;
const WALLET = `0x${"cd".repeat(20)}`;

const chain: ChainState = {
  chainId: 1,
  products: ["Stocks"],
  confirmations: 12,
  explorerUrl: null,
  indexedBlock: 7n,
  indexedAt: BigInt(NOW - 2),
  lagSeconds: 2,
  headBlock: 7n,
  headAt: BigInt(NOW - 2),
  lagBlocks: 0,
  behindSeconds: 0,
  blockSeconds: 1,
  sendingHalted: false,
  sendingHaltedAt: null,
  sendingHaltReason: null,
};

const queue: Queue = {
  chainId: 1,
  wallet: WALLET,
  state: "active",
  stateReason: null,
  retired: false,
  undelegatedAt: null,
  nextNonce: 1,
  balanceWei: "1",
  chainNonce: 1,
  observedAt: NOW - 2,
  depth: { accepted: 0, signed: 0, broadcast: 0, mined: 0 },
  oldestSeconds: null,
  unsignedSeconds: null,
};

const calm: Facts = {
  now: NOW,
  chains: [chain],
  queues: [queue],
  daysLeft: [null],
  seen: new Map([
    ["worker", 1],
    ["deliverer", 1],
  ]),
  webhooks: { hasEnabled: true, failing: 0, failingSince: null, disabled: 0 },
  overdueSwitches: [],
  failing: [],
};

const told = (facts: Partial<Facts>) =>
  problemsOf({ ...calm, ...facts }).map(({ severity, cause, text, since }) => [severity, cause, text, since]);
const ofChain = (change: Partial<ChainState>) => told({ chains: [{ ...chain, ...change }] });
const ofQueue = (change: Partial<Queue>, daysLeft: number | null = null) =>
  told({ queues: [{ ...queue, ...change }], daysLeft: [daysLeft] });

it("nothing is wrong while all works", () => expect(told({})).toEqual([]));

describe("programs", () => {
  const WORKER = "No worker is alive: nothing is sent, and no event is written";
  const DELIVERER = "No deliverer is alive: no webhook is delivered";

  it.each([
    [8, []],
    [9, [["critical", "worker", WORKER, NOW - 9]]],
    [undefined, [["critical", "worker", WORKER, null]]],
  ])("a worker that was alive %s s ago", (age, expected) => {
    const seen = new Map([
      ["deliverer", 1] as const,
      ...(age === undefined ? [] : [["worker", age] as const]),
    ]);
    expect(told({ seen })).toEqual(expected);
  });

  it("a deliverer is missed where there is a webhook", () => {
    const seen = new Map([["worker", 1] as const, ["deliverer", 60] as const]);
    expect(told({ seen })).toEqual([["critical", "deliverer", DELIVERER, NOW - 60]]);
    expect(told({ seen, webhooks: { ...calm.webhooks, hasEnabled: false } })).toEqual([]);
  });

  it("a worker that is alive and does not look at its wallets is named; without a worker that follows, without a node it cannot", () => {
    const queues = [
      { ...queue, observedAt: NOW - 61 },
      { ...queue, observedAt: NOW - 90 },
    ];
    const looks = ["critical", "worker", "No worker has looked at the wallets of chain 1", NOW - 61];
    expect(told({ queues })).toEqual([looks]);
    expect(told({ queues, seen: new Map([["deliverer", 1]]) }).map(([, , text]) => text)).toEqual([WORKER]);
    const noNode = { ...chain, headBlock: null, headAt: null, lagBlocks: null, behindSeconds: null };
    expect(told({ queues, chains: [noNode] }).map(([, cause]) => cause)).toEqual(["node"]);
  });
});

describe("a chain", () => {
  it.each([
    ["reads a block late", { behindSeconds: 9 }, []],
    [
      "is behind for ten seconds",
      { headBlock: 8n, behindSeconds: 10 },
      [["warning", "index", "The index of chain 1 is 1 block behind", NOW - 10]],
    ],
    [
      "is behind for half a minute",
      { headBlock: 37n, behindSeconds: 30 },
      [["critical", "index", "The index of chain 1 is 30 blocks behind", NOW - 30]],
    ],
    ["is not indexed", { indexedBlock: null }, [["critical", "index", "Chain 1 is not indexed", null]]],
    [
      "has no node",
      { headBlock: null, headAt: null, behindSeconds: null },
      [["critical", "node", "No node of chain 1 answers", null]],
    ],
    ["has an old block and slow ones", { headAt: BigInt(NOW - 35), blockSeconds: 12 }, []],
    [
      "has an old block, and it is not known how fast they come",
      { headAt: BigInt(NOW - 35), blockSeconds: null },
      [],
    ],
    [
      "stands still",
      { headAt: BigInt(NOW - 12) },
      [["warning", "chain", "Chain 1 has no new block, by its nodes", NOW - 12]],
    ],
    [
      "stands still for long",
      { headAt: BigInt(NOW - 120), blockSeconds: 12 },
      [["critical", "chain", "Chain 1 has no new block, by its nodes", NOW - 120]],
    ],
    [
      "is halted",
      { sendingHalted: true, sendingHaltedAt: BigInt(NOW - 5), sendingHaltReason: "restore" },
      [["critical", "halt", "Sending on chain 1 is halted by an operator: restore", NOW - 5]],
    ],
  ])("that %s", (_what, change, expected) => expect(ofChain(change)).toEqual(expected));
});

describe("a wallet", () => {
  const address = getAddress(WALLET);
  const name = `Wallet ${address.slice(0, 6)}…${address.slice(-4)} on chain 1`;
  const shown = (rows: unknown[][]) => rows.map(([severity, , text, since]) => [severity, text, since]);

  it.each([
    [{ state: "halted", stateReason: "nonce" }, null, [["critical", `${name} is halted: nonce`, null]]],
    [{ state: "paused" }, null, [["critical", `${name} is paused`, null]]],
    [{ oldestSeconds: 120 }, null, []],
    [{ unsignedSeconds: 10 }, null, []],
    [{ unsignedSeconds: 11 }, null, [["critical", `${name}: its key does not sign`, NOW - 11]]],
    [{ oldestSeconds: 121 }, null, [["critical", `${name}: its oldest request waits`, NOW - 121]]],
    [{}, 3, []],
    [{}, 2.94, [["warning", `${name} has coins for 2.9 days`, null]]],
    [{ retired: true }, 1, []],
  ])("%j with coins for %s days", (change, daysLeft, expected) =>
    expect(shown(ofQueue(change, daysLeft))).toEqual(expected),
  );
});

it("webhooks and other parts are warnings, behind what is critical", () => {
  const webhooks = { hasEnabled: true, failing: 1, failingSince: NOW - 960, disabled: 1 };
  const more = { ...webhooks, failing: 2, disabled: 2 };
  expect(
    told({ webhooks, failing: ["market data (alpaca)"], chains: [{ ...chain, indexedBlock: null }] }),
  ).toEqual([
    ["critical", "index", "Chain 1 is not indexed", null],
    ["warning", "part", "Does not answer: market data (alpaca)", null],
    ["warning", "webhooks", "A webhook fails", NOW - 960],
    ["warning", "webhooks", "1 webhook was disabled in the last 24 h", null],
  ]);
  expect(told({ webhooks: more }).map(([, , text]) => text)).toEqual([
    "2 webhooks fail",
    "2 webhooks were disabled in the last 24 h",
  ]);
});

it("names a switch whose orders are not canceled", () => {
  expect(told({ overdueSwitches: [{ chainId: 1, name: "acme", cancelAt: NOW - 12 }] })).toEqual([
    ["critical", "switch", "Open orders of acme on chain 1 are not canceled, as its switch asks", NOW - 12],
  ]);
});
