import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { present } from "../../../../test/support/assert/until.ts";
import {
  commandsOfChain,
  commandsOfKey,
  commandsOfSend,
  commandsOfWallet,
} from "../../src/dashboard/detail/commands.ts";
import { blockAge, knownOf, type Problem, viewOf } from "../../src/dashboard/frame/problems.ts";
import { hrefOf, parseRoute } from "../../src/dashboard/frame/route.ts";
import { changeOf, orderTotals, type Total } from "../../src/dashboard/overview/totals.ts";
import type { OrderSeriesQuery } from "../../src/dashboard/service/documents.ts";
import { visibilityOf } from "../../src/dashboard/table/columns.ts";
import { flatten, toCsv } from "../../src/dashboard/table/csv.ts";
import { nextSort, rangeText, sortOf, variablesOf } from "../../src/dashboard/table/list-query.ts";
import { changedIds } from "../../src/dashboard/table/use-flashes.ts";
import {
  amount,
  coins,
  counts,
  duration,
  milliseconds,
  relativeTime,
  shortCode,
  sumOf,
} from "../../src/dashboard/values/format.ts";

/** Parts of the page that need no browser. */
describe("values", () => {
  it.each([
    [0.04, "0 s"],
    [3.14, "3.1 s"],
    [119.9, "119 s"],
    [120, "2 min"],
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
    }).toEqual({ fraction: "1.5", dust: "0", whole: "10,000", noNumber: "–" });
  });

  it.each([
    ["0", "0"],
    ["7", "7"],
    ["1234567.5", "1,234,567.50"],
    ["59.000000000000000001", "59"],
    ["12.345", "12.34"],
    ["-1234.999", "-1,234.99"],
    ["0.1234567", "0.123456"],
    ["0.000000000000000001", "less than 0.000001"],
    ["x", "–"],
  ])("the amount %s is shown as %s", (text, shown) => expect(amount(text)).toBe(shown));

  it("milliseconds have no digits that are noise", () => {
    expect([0, 3, 3.456, 99.1, 371.72, 1_535].map(milliseconds)).toEqual([
      "0 ms",
      "3 ms",
      "3.45 ms",
      "99 ms",
      "372 ms",
      "1,535 ms",
    ]);
  });

  it("sums of amounts are exact", () => {
    expect(sumOf([])).toBe("0");
    expect(sumOf(["1", "2"])).toBe("3");
    expect(sumOf(["9007199254740993.000000000000000001", "0.5", "-0.25"])).toBe(
      "9007199254740993.250000000000000001",
    );
    expect(sumOf(["0.5", "0.5"])).toBe("1");
    expect(sumOf(["-0.5", "0.25"])).toBe("-0.25");
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

describe("totals of a range", () => {
  const orders = {
    stepSeconds: 60,
    points: [
      { at: 0, count: 3, byStatus: [{ status: "Filled", count: 1 }], volume: "1000.5" },
      { at: 60, count: 1, byStatus: [{ status: "Filled", count: 1 }], volume: "0.000000000000000001" },
    ],
  } as OrderSeriesQuery["dashboard"]["orderSeries"];

  it("are of all its steps", () => {
    expect(orderTotals(orders).map(({ title, value, shown }) => [title, value, shown])).toEqual([
      ["Orders", "4", "4"],
      ["Filled", "50", "50"],
      ["Volume", "1000.500000000000000001", "1,000.50"],
    ]);
    const empty = { ...orders, points: [] };
    expect(orderTotals(empty).map(({ value, shown }) => [value, shown])).toEqual([
      ["0", "0"],
      [null, "–"],
      ["0", "0"],
    ]);
  });

  it("have no share at a step without orders", () => {
    const [first] = orders.points;
    const points = [present(first, "a step"), { at: 60, count: 0, byStatus: [], volume: "0" }];
    expect(orderTotals({ ...orders, points }).map(({ title, values }) => [title, values])).toEqual([
      ["Orders", [3, 0]],
      ["Filled", [1 / 3, null]],
      ["Volume", [1000.5, 0]],
    ]);
  });

  it("change against the range before", () => {
    const [count, filled] = orderTotals(orders);
    const of = (total: Total | undefined, value: string | null) => ({ ...present(total, "a total"), value });
    const change = (total: Total | undefined, before: string | null) =>
      changeOf(of(total, total?.value ?? null), of(total, before));
    expect([
      change(count, "2"),
      change(count, "8"),
      change(count, "4"),
      change(count, "0.4"),
      change(count, "0"),
    ]).toEqual(["+100%", "−50%", "±0%", "×10", null]);
    expect([change(filled, "47.5"), change(filled, null)]).toEqual(["+2.5 points", null]);
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
    expect(rangeText(25, 3, 25, 10_000, "orders")).toBe("51–75 of 10,000 or more orders");
    expect(rangeText(0, 1, 25, 0, "orders")).toBe("0 of 0 orders");
    expect(rangeText(1, 1, 25, 1, "entries")).toBe("1–1 of 1 entry");
    expect(rangeText(1, 1, 25, 1, "keys")).toBe("1–1 of 1 key");
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
  const NOW_MS = 1_000_000;
  const worker: Problem = {
    severity: "critical",
    cause: "worker",
    text: "No worker is alive",
    chainId: null,
    wallet: null,
    since: 990,
  };
  const chain = { chainId: 1, lagSeconds: 2, blockSeconds: 1 };
  const reading = (problems: Problem[], more = {}) => ({
    data: { problems, chains: [chain] },
    at: NOW_MS - 1_000,
    error: null,
    isLate: false,
    ...more,
  });

  it("is what the newest answer says, while that is of now", () => {
    expect(knownOf(reading([]), "live", NOW_MS)).toEqual({ kind: "known", problems: [] });
    expect(knownOf(reading([worker]), "live", NOW_MS)).toEqual({ kind: "known", problems: [worker] });
  });

  it.each([
    ["a reading that failed", { error: "The service does not answer." }, "live", "unreachable"],
    ["a reading that is overdue", { isLate: true }, "live", "unreachable"],
    ["an answer of eleven seconds ago", { at: NOW_MS - 11_000 }, "live", "unknown"],
    ["an answer that was kept", { at: null }, "live", "unknown"],
    ["no answer yet", { data: null, at: null }, "connecting", "unknown"],
    ["a page that is paused", { at: NOW_MS - 60_000 }, "stopped", "unknown"],
  ] as const)("is not known from %s", (_what, more, mode, kind) => {
    const known = knownOf(reading([], more), mode, NOW_MS);
    expect(known).toEqual({ kind, text: expect.stringMatching(/./) });
    if (mode === "stopped") expect(known).toMatchObject({ text: expect.stringMatching(/paused/) });
  });

  it("leads to the view that shows it", () => {
    const wallet = { ...worker, cause: "wallet", chainId: 1, wallet: "0x1" } as const;
    expect([viewOf(worker), viewOf({ ...worker, chainId: 1 }), viewOf(wallet)]).toEqual([
      "#/sends",
      "#/sends?chainId=1",
      "#/wallet/0x1?chainId=1",
    ]);
    const others = (["halt", "index", "webhooks", "deliverer"] as const).map((cause) =>
      viewOf({ ...worker, cause }),
    );
    expect(others).toEqual(["#/audit", "#/overview", "#/webhooks?state=failing", "#/webhooks"]);
    expect(viewOf({ ...worker, cause: "index", chainId: 1 })).toBe("#/chain/1");
  });

  it.each([
    [2, 1, { seconds: 3, tone: "good" }],
    [9, 1, { seconds: 10, tone: "warn" }],
    [29, 1, { seconds: 30, tone: "bad" }],
    // Blocks come every 12 s.
    [30, 12, { seconds: 31, tone: "good" }],
    [40, 12, { seconds: 41, tone: "warn" }],
    [130, 12, { seconds: 131, tone: "bad" }],
  ])(
    "a block that was %d s old a second ago, where one comes every %d s",
    (lagSeconds, blockSeconds, expected) => {
      const data = { problems: [], chains: [{ chainId: 1, lagSeconds, blockSeconds }] };
      expect(blockAge(reading([], { data }), NOW_MS)).toEqual(expected);
    },
  );

  it("the age that shows is that of the chain that is worst for its blocks, and goes on without answers", () => {
    const slow = { chainId: 2, lagSeconds: 25, blockSeconds: 12 };
    const data = {
      problems: [],
      chains: [slow, { ...chain, lagSeconds: 15 }, { ...chain, lagSeconds: null }],
    };
    expect(blockAge(reading([], { data }), NOW_MS)).toEqual({ seconds: 16, tone: "warn" });
    expect(blockAge(reading([], { data }), NOW_MS + 60_000)).toEqual({ seconds: 76, tone: "bad" });
    expect(blockAge(reading([], { data: null, at: null }), NOW_MS)).toBe(null);
  });
});

describe("a list as CSV", () => {
  it("has a column for each name of any record, those within others by both names", () => {
    const records = [
      { id: 1, key: { name: "acme" }, ips: ["10.0.0.1"] },
      { id: 2, reason: null },
    ];
    expect(toCsv(records.map((record) => flatten(record)))).toBe(
      'id,key.name,ips,reason\r\n1,acme,"[""10.0.0.1""]",\r\n2,,,\r\n',
    );
  });

  it.each([
    ['say "x", y', '"say ""x"", y"'],
    ["two\nlines", '"two\nlines"'],
    ["-1.25", "-1.25"],
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["@cmd", "'@cmd"],
    ["-1+1", "'-1+1"],
    ["\tx", "'\tx"],
  ])("the text %j is the cell %s: a spreadsheet calculates none", (text, cell) =>
    expect(toCsv([{ text }])).toBe(`text\r\n${cell}\r\n`),
  );
});

describe("commands", () => {
  const wallet = { chainId: 1, wallet: "0xab" };
  const all = [
    ...commandsOfKey({ apiKey: "pk_1", status: "active" }),
    ...commandsOfSend("request-1"),
    ...commandsOfWallet({ ...wallet, state: "halted", retired: false }),
    ...commandsOfWallet({ ...wallet, state: "active", retired: true }),
    commandsOfChain({ chainId: 1, sendingHalted: false }),
    commandsOfChain({ chainId: 1, sendingHalted: true }),
  ].map(([, command]) => command);

  it("are those of the operator's command, with options that it documents", () => {
    const page = readFileSync("docs/operations/cli.md", "utf8");
    const unknown = all.filter((command) => {
      const [, noun, verb, ...words] = command.split(" ");
      const options = words.filter((word) => word.startsWith("--"));
      const [, section = ""] = page.split(`### ${noun} ${verb}\n`);
      const [text = ""] = section.split("\n### ");
      return text === "" || !options.every((option) => text.includes(option));
    });
    expect(all).toHaveLength(9);
    expect(unknown).toEqual([]);
  });

  it("offer nothing that changes a revoked key, or a wallet that works", () => {
    expect(commandsOfKey({ apiKey: "pk_1", status: "revoked" }).map(([, command]) => command)).toEqual([
      "partner-trading-admin policies show pk_1",
      "partner-trading-admin audit list --subject pk_1",
    ]);
    expect(commandsOfWallet({ ...wallet, state: "active", retired: false })).toEqual([]);
  });
});
