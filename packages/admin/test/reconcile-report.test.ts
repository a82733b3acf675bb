import { expect, it, jest } from "@jest/globals";
import { formatDuration } from "../src/output.ts";
import type { Comparison } from "../src/reconcile/check.ts";
import { type Difference, differencesOf, explanationOf } from "../src/reconcile/difference.ts";
import { createReporter, printReport } from "../src/reconcile/report.ts";
import type { Terminal } from "../src/terminal.ts";

// Reports of comparisons, and what they print.

const DIFFERENCE: Difference = {
  kind: "order",
  productType: "Stocks",
  object: "0x0d",
  field: "status",
  ours: "open",
  chain: "filled",
  likelyCause: "an event was missed",
  whatToDo: "rebuild",
};

function screen(): Terminal & { lines(of: "stdout" | "stderr"): string[] } {
  const texts = { stdout: "", stderr: "" };
  return {
    env: {},
    stdout: { write: (text: string) => (texts.stdout += text) },
    stderr: { write: (text: string) => (texts.stderr += text) },
    lines: (of) => texts[of].split("\n").slice(0, -1),
  };
}

const comparison = (change: Partial<Comparison> = {}): Comparison => ({
  kind: "order",
  rows: 1,
  unverified: 0,
  differences: [],
  ...change,
});

/** Returns the report of some comparisons, and what was printed meanwhile and of it. */
function reported(limit: number, ...comparisons: Comparison[]) {
  const terminal = screen();
  const reporter = createReporter(terminal, { chainId: 1, blockNumber: 5n }, limit);
  for (const each of comparisons) reporter.add(each);
  const report = reporter.finish(7n);
  printReport(terminal, report);
  return { report, progress: terminal.lines("stderr"), printed: terminal.lines("stdout") };
}

it("compares values by their texts", () => {
  const subject = { kind: "order", productType: "Stocks", object: "0x0d" } as const;
  const fields = [
    ["amount", 5n, "5"],
    ["status", "open", "filled"],
    ["end", null, null],
  ] as const;
  const explain = (field: string) => ({ likelyCause: `${field} was missed`, whatToDo: "rebuild" });
  expect(differencesOf(subject, fields, explain)).toEqual([
    { ...DIFFERENCE, likelyCause: "status was missed" },
  ]);
});

it("explains a difference in one sentence", () => {
  expect(explanationOf(DIFFERENCE)).toBe(
    "order 0x0d: status is open here and filled on the chain, probably because an event was missed; rebuild.",
  );
});

it("adds up comparisons by their kinds, and explains each difference", () => {
  const { report } = reported(
    10,
    comparison({ rows: 2, differences: [DIFFERENCE] }),
    comparison({ rows: 3, unverified: 1 }),
    comparison({ kind: "send", rows: 4, unverified: 2 }),
  );
  expect(report).toMatchObject({
    chainId: 1,
    blockNumber: 5n,
    lastBlockNumber: 7n,
    unverified: 3,
    differenceCount: 1,
    differences: [{ ...DIFFERENCE, explanation: explanationOf(DIFFERENCE) }],
  });
  expect(report.compared).toMatchObject({ order: 5, send: 4, claim: 0 });
});

it("keeps as many differences as its limit, and counts all", () => {
  const three = comparison({ differences: [DIFFERENCE, DIFFERENCE, DIFFERENCE] });
  const { report, printed } = reported(4, three, three);
  expect([report.differences.length, report.differenceCount]).toEqual([4, 6]);
  expect(printed.at(-1)).toBe("6 differences, 2 of them not shown (--limit)");
});

it("shows progress each ten thousand rows", () => {
  // From one call to the next, a minute passes.
  let nowMs = 60_000;
  const time = jest.spyOn(performance, "now").mockImplementation(() => (nowMs += 60_000));
  const { progress } = reported(
    1,
    comparison({ rows: 9_999 }),
    comparison({ rows: 1 }),
    comparison({ kind: "send", rows: 9_999 }),
    comparison({ kind: "send", rows: 20_001 }),
  );
  expect(progress).toEqual([
    `10000 rows in ${formatDuration(60)}, now comparing: order`,
    `40000 rows in ${formatDuration(120)}, now comparing: send`,
  ]);
  time.mockRestore();
});

it("prints each difference, then what was compared", () => {
  const wallet = { ...DIFFERENCE, kind: "wallet", productType: null, object: "0xaa" } as const;
  const { printed } = reported(5, comparison({ differences: [DIFFERENCE, wallet], unverified: 2 }));
  expect(printed.filter((line) => line.includes(" 0x") && !line.includes("explanation"))).toEqual([
    "order 0x0d (Stocks)",
    "wallet 0xaa",
  ]);
  expect(printed.slice(-3)).toEqual([
    expect.stringMatching(/^chain 1 at block 5: compared .*, 1 order, /),
    "2 could not be compared: the nodes no longer have the receipts, or one does not answer",
    "2 differences",
  ]);
});

it("says where there is no difference, or one", () => {
  const none = reported(5, comparison()).printed;
  expect([none.length, none.at(-1)]).toEqual([2, "no differences"]);
  expect(reported(5, comparison({ differences: [DIFFERENCE] })).printed.at(-1)).toBe("1 difference");
});
