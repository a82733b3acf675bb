import { describe, expect, it } from "@jest/globals";
import { hrefOf, parseRoute } from "../../src/dashboard/frame/route.ts";
import {
  type Chain,
  failingProblems,
  problemsOf,
  staleness,
  webhookProblems,
} from "../../src/dashboard/overview/problems.ts";
import { visibilityOf } from "../../src/dashboard/table/columns.ts";
import { nextSort, rangeText, sortOf, variablesOf } from "../../src/dashboard/table/list-query.ts";
import { changedIds } from "../../src/dashboard/table/use-flashes.ts";
import { coins, counts, duration, relativeTime, shortCode } from "../../src/dashboard/values/format.ts";

/** Parts of the page that need no browser. */
describe("values", () => {
  it.each([
    [0.04, "0 s"],
    [3.14, "3.1 s"],
    [99.9, "99 s"],
    [100, "1 min"],
    [7_199, "119 min"],
    [7_200, "2 h"],
    [200_000, "2 days"],
  ])("a duration of %d s is %s", (seconds, text) => expect(duration(seconds)).toBe(text));

  it("times are relative to now, before and after", () => {
    expect({
      past: relativeTime(990, 1_000_000),
      future: relativeTime(1_120, 1_000_000),
      now: relativeTime(1_000, 1_000_400),
    }).toEqual({ past: "10 s ago", future: "in 2 min", now: "now" });
  });

  it("wei are coins, without a float", () => {
    expect({
      fraction: coins("1500000000000000001"),
      dust: coins("1"),
      whole: coins("10000000000000000000000"),
      noNumber: coins("x"),
    }).toEqual({ fraction: "1.5", dust: "0", whole: "10000", noNumber: "–" });
  });

  it("long codes show both ends, and counts the largest first", () => {
    expect({ long: shortCode(`0x${"ab".repeat(20)}`), short: shortCode("short") }).toEqual({
      long: "0xabab…abab",
      short: "short",
    });
    expect(counts({ signed: 1, accepted: 3, mined: 0 })).toBe("accepted 3, signed 1");
    expect(counts(null)).toBe("");
  });
});

describe("a route", () => {
  it("is read from what it is written as", () => {
    const href = hrefOf(["order", 31337, "a/b ?"], { status: "Partial filled", none: undefined, empty: "" });
    expect(href).toBe("#/order/31337/a%2Fb%20%3F?status=Partial+filled");
    expect(parseRoute(href)).toEqual({
      path: ["order", "31337", "a/b ?"],
      query: { status: "Partial filled" },
    });
  });

  it.each(["", "#", "#/", "#/%zz?%zz"])("%j does not fail", (hash) => {
    expect(parseRoute(hash).path.length).toBeLessThan(2);
  });
});

describe("a list's query", () => {
  const filters = [
    { name: "chainId", title: "Chain", type: "number" },
    { name: "status", title: "Status" },
  ] as const;

  it("becomes the variables that the service takes", () => {
    const query = {
      chainId: "31337",
      status: " New ",
      unknown: "x",
      after: "c",
      page: "2",
      sort: "createdAt.asc",
    };
    expect(variablesOf(filters, query)).toEqual({
      first: 25,
      after: "c",
      chainId: 31337,
      status: "New",
      orderBy: "createdAt",
      direction: "asc",
    });
    expect(variablesOf(filters, { chainId: "x", rows: "7", sort: "drop table" })).toEqual({
      first: 25,
      chainId: "x",
    });
  });

  it("turns the order with each click, and then back to the list's own", () => {
    const first = nextSort(null, "createdAt");
    const second = nextSort(sortOf({ sort: first ?? "" }), "createdAt");
    expect({ first, second, third: nextSort(sortOf({ sort: second ?? "" }), "createdAt") }).toEqual({
      first: "createdAt.desc",
      second: "createdAt.asc",
      third: undefined,
    });
  });

  it("says what of how many shows, and where the count ends", () => {
    expect(rangeText(20, 1, 25, 312, "orders")).toBe("1–20 of 312 orders");
    expect(rangeText(25, 3, 25, 10_000, "orders")).toBe("51–75 of 10000 or more orders");
    expect(rangeText(0, 1, 25, 0, "orders")).toBe("0 of 0 orders");
    // One row more than the count: the list grew in between.
    expect(rangeText(5, 1, 25, 4, "orders")).toBe("1–5 of 5 orders");
  });
});

describe("columns", () => {
  const columns = [{ id: "a" }, { id: "b", isHidden: true }];
  it.each([null, "{", "null", '{"a":"no"}'])("show as their list says where %j was kept", (kept) => {
    expect(visibilityOf(columns, kept)).toEqual({ a: true, b: false });
  });
  it("show as the reader chose", () => {
    expect(visibilityOf(columns, '{"a":false,"b":true,"gone":true}')).toEqual({ a: false, b: true });
  });
});

describe("changed rows", () => {
  it("are those that are new or another, and none of a first answer", () => {
    const before = new Map([
      ["1", "a"],
      ["2", "b"],
    ]);
    expect([
      ...changedIds(
        before,
        new Map([
          ["3", "c"],
          ["1", "a"],
          ["2", "x"],
        ]),
      ),
    ]).toEqual(["3", "2"]);
    expect(changedIds(new Map(), before).size).toBe(0);
  });
});

describe("what is wrong now", () => {
  const chain: Chain = {
    chainId: 1,
    products: ["Spot"],
    confirmations: 6,
    indexedBlock: 7,
    indexedAt: 1,
    lagSeconds: 2,
    headBlock: 8,
    lagBlocks: 1,
    explorerUrl: null,
    sendingHalted: false,
    sendingHaltedAt: null,
    sendingHaltReason: null,
    sendQueues: [],
  };
  const wallet = (observedAt: number, more: { daysLeft?: number; retired?: boolean } = {}) => ({
    wallet: "0x1",
    state: "active",
    stateReason: null,
    depth: {},
    oldestSeconds: null,
    balanceWei: null,
    daysLeft: null,
    nextNonce: null,
    chainNonce: null,
    observedAt,
    failures: {},
    retired: false,
    undelegatedAt: null,
    ...more,
  });
  const texts = (change: Partial<Chain>, missing: string[] | null = [], degraded: string[] = []) =>
    problemsOf([{ ...chain, ...change }], missing && { missing, degraded }).map(({ text }) => text);

  it("is also webhooks that were disabled within a day", () => {
    expect(webhookProblems([1_000_000 - 86_401], 1_000_000)).toEqual([]);
    expect(webhookProblems([999_000, 999_001], 1_000_000)).toMatchObject([
      { text: "2 webhooks were disabled in the last 24 h", href: "#/events?types=webhook.disabled" },
    ]);
  });
  it.each([
    [{ count: 0, since: null }, []],
    [{ count: 1, since: 999_000 }, ["A webhook has been failing for 16 min"]],
    [{ count: 3, since: 992_800 }, ["3 webhooks fail, the first for 2 h"]],
  ])("is also webhooks that fail: %j", (failing, expected) => {
    expect(failingProblems(failing, 1_000_000).map(({ text }) => text)).toEqual(expected);
  });
  it("is also that nothing new is known", () => {
    expect(staleness({ error: null, isLate: false })).toEqual([]);
    for (const late of [
      { error: null, isLate: true },
      { error: "x", isLate: false },
    ])
      expect(staleness(late)).toMatchObject([{ tone: "bad", text: expect.stringMatching(/^Not current: /) }]);
  });
  it("is also what the service does without for a while", () =>
    expect(texts({}, ["database"], ["market data (alpaca)"])).toEqual([
      "Not ready: database",
      "Does not answer: market data (alpaca)",
    ]));
  it("is nothing where all works", () => expect(texts({})).toEqual([]));
  it.each([
    [{ lagSeconds: 61, lagBlocks: 5 }, [], ["Chain 1 is 61 s behind"]],
    [{ lagSeconds: 61, lagBlocks: null }, [], ["Chain 1 is 61 s behind"]],
    [{ lagSeconds: 61 }, [], ["Chain 1 has had no new block for 61 s"]],
    [{ indexedAt: 100, sendQueues: [wallet(41), wallet(42)] }, [], []],
    [
      { indexedAt: 100, sendQueues: [wallet(40), wallet(41)] },
      [],
      ["No worker has looked at the wallets of chain 1 for 61 s"],
    ],
    [
      {
        indexedAt: 100,
        sendQueues: [wallet(100, { daysLeft: 1 }), wallet(100, { daysLeft: 1, retired: true })],
      },
      [],
      ["Wallet 0x1 on chain 1 has coins for 24 h"],
    ],
    [{ indexedAt: 100, sendQueues: [wallet(1)], headBlock: null }, [], ["No node of chain 1 answers"]],
    [{ indexedBlock: null, lagSeconds: null }, [], ["Chain 1 is not indexed"]],
    [{ headBlock: null }, [], ["No node of chain 1 answers"]],
    [{}, ["database"], ["Not ready: database"]],
    [{}, null, [expect.stringMatching(/^Readiness is not known/)]],
  ])("is said in words: %j, missing %j", (change, missing, expected) => {
    expect(texts(change, missing)).toEqual(expected);
  });
});
