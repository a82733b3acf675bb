import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";
import { judge, judgeStage } from "./results.mjs";

/** Returns a test result in jest's form. */
const test = (status: string, ...ancestorTitles: string[]) => ({ status, ancestorTitles, fullName: status });
type Reported = ReturnType<typeof test>;

/** Returns a report in jest's form. */
function report(tests: Reported[], more: Record<string, number> = {}) {
  const count = (...statuses: string[]) => tests.filter(({ status }) => statuses.includes(status)).length;
  return {
    numPassedTests: count("passed"),
    numFailedTests: count("failed"),
    numPendingTests: count("pending", "skipped"),
    numTodoTests: count("todo"),
    numRuntimeErrorTestSuites: 0,
    testResults: [{ assertionResults: tests }],
    ...more,
  };
}

const part = (isPresent: boolean) => ({ pgbouncer: { reason: "a package", isPresent: () => isPresent } });
const absent = part(false);
const passed = test("passed");

describe("a report", () => {
  it("counts what passed and failed", () => {
    const judged = judge(report([passed, passed, test("failed")]), absent);
    expect(judged).toEqual({ passed: 2, failed: 1, skipped: 0, problems: ["failed: failed: "] });
  });

  it("says why a test failed, and why a file could not run", () => {
    const failed = { ...test("failed"), fullName: "an order is filled", failureMessages: ["not so\n at x"] };
    const unable = { name: "a.test.ts", status: "failed", message: "no such module", assertionResults: [] };
    const hook = { ...unable, name: "b.test.ts", message: "its last hook", assertionResults: [passed] };
    const half = { status: "failed", assertionResults: [failed, passed] };
    const { problems } = judge({ ...report([failed, passed]), testResults: [half, unable, hook] }, absent);
    expect(problems).toEqual([
      "failed: an order is filled: not so\n at x",
      "could not run: a.test.ts: no such module",
      "could not run: b.test.ts: its last hook",
    ]);
  });

  it("counts a declared skip as skipped where the part is absent", () => {
    const judged = judge(report([passed, test("pending", "needs pgbouncer", "a storm")]), absent);
    expect(judged).toEqual({ passed: 1, failed: 0, skipped: 1, problems: [] });
  });

  it.each<[string, Reported, ReturnType<typeof part>]>([
    ["a declared skip of a part that is there", test("pending", "needs pgbouncer"), part(true)],
    ["a skip of a part that nobody registered", test("pending", "needs luck"), absent],
    ["a pending test, skipped or left out by .only", test("pending"), absent],
    ["a skipped test", test("skipped"), absent],
    ["a todo", test("todo"), absent],
    ["a todo below a declaration", test("todo", "needs pgbouncer"), absent],
    ["a status that is unknown here", test("disabled"), absent],
  ])("fails for %s", (_what, one, parts) => {
    const { failed, skipped, problems } = judge(report([passed, one]), parts);
    expect({ failed, skipped, count: problems.length }).toEqual({ failed: 1, skipped: 0, count: 1 });
  });

  it.each<[string, Record<string, number>]>([
    ["a file that is skipped as a whole", { numPendingTests: 1 }],
    ["a file that could not run", { numRuntimeErrorTestSuites: 1 }],
  ])("fails for %s", (_what, more) => {
    const { failed, problems } = judge(report([passed], more), absent);
    expect({ failed, count: problems.length }).toEqual({ failed: 1, count: 1 });
  });

  it("fails where nothing passed", () => {
    expect(judge(report([]), absent)).toMatchObject({ failed: 1, problems: ["no test passed"] });
  });
});

it.each(["", "{"])("a stage that left no readable results has failed: %j", (text) => {
  const directory = mkdtempSync(join(tmpdir(), "results-"));
  try {
    if (text) writeFileSync(join(directory, "parts.json"), text);
    const judged = judgeStage({ name: "parts", results: "parts.json" }, directory, absent);
    expect(judged).toEqual({ passed: 0, failed: 1, skipped: 0, problems: ["parts: no results"] });
  } finally {
    rmSync(directory, { recursive: true });
  }
});

it("jest's own report of each way to leave a test out is judged so", () => {
  const files = {
    only: `it.only("a", () => {}); it("b", () => {});`,
    skip: `it("a", () => {}); it.skip("b", () => {});`,
    todo: `it("a", () => {}); it.todo("b");`,
    file: `it.skip("a", () => {}); it.skip("b", () => {});`,
    part: `it("a", () => {}); describe.skip("needs pgbouncer", () => { it("b", () => {}); });`,
    broken: "throw new Error();",
  };
  const directory = mkdtempSync(join(tmpdir(), "results-"));
  try {
    writeFileSync(join(directory, "package.json"), "{}");
    for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, `${name}.test.js`), text);
    const jest = fileURLToPath(new URL("../node_modules/jest/bin/jest.js", import.meta.url));
    const args = [jest, "--rootDir", directory, "--json", "--outputFile=out.json", "--silent", "-i"];
    spawnSync(process.execPath, args, { cwd: directory, stdio: "ignore" });
    const { problems, ...counts } = judgeStage({ name: "one", results: "out.json" }, directory, absent);
    expect(counts).toEqual({ passed: 4, failed: 6, skipped: 1 });
    expect(problems.map((problem) => problem.split("\n")[0]).sort()).toEqual([
      "one: 1 files could not run",
      `one: could not run: ${join(directory, "broken.test.js")}:   ● Test suite failed to run`,
      "one: pending, and no part declared: a",
      "one: pending, and no part declared: b",
      "one: pending, and no part declared: b",
      "one: pending, and no part declared: b",
      "one: todo, and no part declared: b",
    ]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
