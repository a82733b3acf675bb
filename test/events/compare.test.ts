import { describe, expect, it } from "@jest/globals";
import {
  type Comparison,
  type CurrentRow,
  compare,
  type Draft,
  type ShownRow,
} from "../../src/events/writer/compare.ts";

// Reports of the log about the rows of claims, as they are and as their keys saw them last.

const CURRENT: CurrentRow = {
  claimId: "claim",
  resource: "orders",
  ordinal: 0,
  keyId: "key",
  productType: "Stocks",
  txHash: "0x71",
  objectId: "0x0d",
  type: "order.placed",
  causeTxHash: "0xca",
  data: "now",
  rowHash: "hash",
  blockNumber: 20n,
  waitsFor: null,
  columns: { source: "send", createdMs: 1, updatedMs: 2, logIndex: 3, status: "open", userAddress: "0xa1" },
};

const SHOWN: ShownRow = {
  claimId: "claim",
  resource: "orders",
  ordinal: 0,
  keyId: "key",
  productType: "Stocks",
  txHash: "0x71",
  objectId: "0x0d",
  type: "order.placed",
  eventId: "old",
  unreported: false,
  data: "before",
  rowHash: "hash",
  blockNumber: 20n,
  columns: { source: "send", createdMs: 1, userAddress: "0xa1" },
};

/** Of a claim whose transaction is not indexed. */
const PENDING = { objectId: null, type: "order.mapped", blockNumber: null, rowHash: null } as const;

const current = (change: Partial<CurrentRow> = {}): CurrentRow => ({ ...CURRENT, ...change });
const shown = (change: Partial<ShownRow> = {}): ShownRow => ({ ...SHOWN, ...change });

function compared(rows: { current?: CurrentRow[]; shown?: ShownRow[] }, more: Partial<Comparison> = {}) {
  let count = 0;
  return compare({
    current: [],
    shown: [],
    newId: () => `event ${++count}`,
    isHistory: () => false,
    claimIds: ["claim"],
    lastOf: () => ({ txHash: "0xla", data: "last" }),
    ...rows,
    ...more,
  });
}

/** Returns the only event of a row that was shown, and is something else now. */
function changed(before: Partial<ShownRow>, after: Partial<CurrentRow>): Draft | undefined {
  const { events } = compared({ shown: [shown(before)], current: [current(after)] });
  expect(events).toHaveLength(1);
  return events[0];
}

describe("a row that is new", () => {
  it("is an event, and a mapping that changed", () => {
    expect(compared({ current: [current({ ordinal: 2 })] })).toEqual({
      events: [
        {
          keyId: "key",
          productType: "Stocks",
          eventId: "event 1",
          type: "order.placed",
          resource: "orders",
          object: "orders claim.2",
          blockNumber: 20n,
          data: "now",
          txHash: "0xca",
          retracts: null,
        },
      ],
      rows: [{ ...CURRENT, ordinal: 2, eventId: "event 1" }],
      remapped: new Set(["claim"]),
      waiting: [],
      claimIds: ["claim"],
    });
  });

  it("is no event where it is older than the log", () => {
    const { events, rows } = compared(
      { current: [CURRENT] },
      { isHistory: ({ claimId }) => claimId === "claim" },
    );
    expect(events).toEqual([]);
    expect(rows).toEqual([{ ...CURRENT, eventId: null }]);
  });

  it("changes no mapping while nothing of it is indexed", () => {
    expect(compared({ current: [current(PENDING)] })).toMatchObject({
      events: [{ type: "order.mapped", retracts: null }],
      remapped: new Set(),
    });
  });

  it("comes in the order of blocks and then of ordinals, what is not indexed first", () => {
    const rows = [
      current({ ordinal: 3, blockNumber: 9n }),
      current({ ordinal: 2, blockNumber: 9n }),
      current({ ordinal: 1, blockNumber: 10n }),
      current({ ordinal: 0, ...PENDING }),
    ];
    for (const each of [rows, [...rows].reverse()]) {
      const { events } = compared({ current: each });
      expect(events.map(({ object }) => object)).toEqual([
        "orders claim",
        "orders claim.2",
        "orders claim.3",
        "orders claim.1",
      ]);
    }
  });
});

describe("a row that is as it was reported", () => {
  it("is no event, and keeps the one that reported it", () => {
    const outcome = compared({ shown: [shown({ data: "now" })], current: [CURRENT] });
    expect(outcome).toMatchObject({ events: [], remapped: new Set() });
    expect(outcome.rows).toEqual([{ ...CURRENT, eventId: "old" }]);
  });

  it("is an event where its claim wrote it otherwise meanwhile", () => {
    const { events, remapped } = compared({
      shown: [shown({ data: "now", unreported: true })],
      current: [CURRENT],
    });
    expect(events).toMatchObject([{ data: "now", retracts: null }]);
    expect(remapped).toEqual(new Set());
  });

  it("is compared by its claim while nothing of it is indexed, and not by its data or the time of its last change", () => {
    const before = shown({ ...PENDING, data: null });
    const columns = { ...CURRENT.columns, updatedMs: 9 };
    expect(compared({ shown: [before], current: [current({ ...PENDING, columns })] }).events).toEqual([]);
    const others: Partial<CurrentRow>[] = [
      { type: "order.failed" },
      { txHash: "0x72" },
      { columns: { ...columns, source: "recorded" } },
      { columns: { ...columns, createdMs: 2 } },
      { columns: { ...columns, userAddress: null } },
    ];
    for (const other of others) {
      const rows = { shown: [before], current: [current({ ...PENDING, ...other })] };
      expect(compared(rows).events).toHaveLength(1);
    }
  });
});

describe("an event takes the last one back", () => {
  it.each<[string, Partial<ShownRow>, Partial<CurrentRow>]>([
    ["of a later block than the row's present one", {}, { blockNumber: 19n }],
    ["of the same block with another content", {}, { rowHash: "other" }],
    ["of another object", {}, { objectId: "0x0e", blockNumber: 21n }],
    ["of what is not indexed any more", {}, PENDING],
    ["that was the end, and is not", { type: "order.filled" }, { blockNumber: 21n }],
    [
      "that was the end, and is another one",
      { type: "order.filled" },
      { type: "order.canceled", blockNumber: 21n },
    ],
    ["that was the end of what was not indexed", { ...PENDING, type: "order.failed" }, {}],
  ])("%s", (_what, before, after) => {
    expect(changed(before, after)?.retracts).toBe("old");
  });

  it.each<[string, Partial<ShownRow>, Partial<CurrentRow>]>([
    ["not of an earlier block", {}, { blockNumber: 21n, rowHash: "other" }],
    ["not of the same block with the same content", {}, {}],
    ["not of what was not indexed", PENDING, {}],
    [
      "not of the same end in a later block",
      { type: "order.filled" },
      { type: "order.filled", blockNumber: 21n },
    ],
  ])("%s", (_what, before, after) => {
    expect(changed(before, after)?.retracts).toBeNull();
  });
});

describe("a change", () => {
  const remapped = (before: Partial<ShownRow>, after: Partial<CurrentRow>) =>
    compared({ shown: [shown(before)], current: [current(after)] }).remapped.has("claim");

  it("is one of the mapping where it leads to another object, or to none, and was reported", () => {
    expect(remapped({}, { data: "filled" })).toBe(false);
    expect(remapped({}, { objectId: "0x0e" })).toBe(true);
    expect(remapped({}, PENDING)).toBe(true);
    expect(remapped(PENDING, {})).toBe(true);
    expect(remapped(PENDING, { ...PENDING, txHash: "0x72" })).toBe(true);
    expect(remapped({ ...PENDING, eventId: null }, { ...PENDING, txHash: "0x72" })).toBe(false);
  });
});

describe("a row that its claim has no longer", () => {
  it("is removed, with the mapping that was its last", () => {
    expect(compared({ shown: [shown({ ordinal: 1 })] })).toEqual({
      events: [
        {
          keyId: "key",
          productType: "Stocks",
          eventId: "event 1",
          type: "mapping.removed",
          resource: "orders",
          object: "orders claim.1",
          blockNumber: null,
          txHash: "0xla",
          data: "last",
          retracts: "old",
        },
      ],
      rows: [],
      remapped: new Set(["claim"]),
      waiting: [],
      claimIds: ["claim"],
    });
  });

  it("takes no event back where another claim has its object, or it had none", () => {
    const other = current({ claimId: "other" });
    expect(compared({ shown: [SHOWN], current: [other] }).events).toMatchObject([
      { type: "mapping.removed", retracts: null },
      { type: "order.placed" },
    ]);
    expect(compared({ shown: [shown(PENDING)] }).events).toMatchObject([{ retracts: null }]);
    const another = current({ claimId: "other", objectId: "0x0e" });
    expect(compared({ shown: [SHOWN], current: [another] }).events).toMatchObject([
      { type: "mapping.removed", retracts: "old" },
      { type: "order.placed" },
    ]);
  });

  it("is no event where its claim is none of those that are compared", () => {
    expect(compared({ shown: [SHOWN] }, { lastOf: () => null })).toMatchObject({
      events: [],
      remapped: new Set(),
    });
  });

  it("is distinguished from the claim's other rows by list and ordinal", () => {
    const rows = [shown({ data: "now" }), shown({ data: "now", ordinal: 1 })];
    const { events } = compared({ shown: rows, current: [CURRENT] });
    expect(events).toMatchObject([{ type: "mapping.removed", object: "orders claim.1" }]);
  });
});

it("a claim waits as a whole while a row of it lacks a token's name, and the others do not", () => {
  const waitsFor = "0x70";
  const outcome = compared(
    {
      shown: [shown({ ordinal: 5 })],
      current: [CURRENT, current({ ordinal: 1, waitsFor }), current({ claimId: "other" })],
    },
    { claimIds: ["claim", "other"] },
  );
  expect(outcome).toMatchObject({
    events: [{ object: "orders other" }],
    waiting: [{ claimId: "claim", waitsFor }],
    claimIds: ["other"],
    remapped: new Set(["other"]),
  });
  expect(outcome.rows.map(({ claimId }) => claimId)).toEqual(["other"]);
});
