// Judges what jest wrote of a stage. Silence is never success: a stage without results, a file that could not run, and a
// test that was skipped, focused away or left as todo count as failed. The one exception is declared: describeWhere.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { needs, PARTS } from "./support/program/parts.mjs";

/** Lines of a failure that are shown: what was expected and what came. */
const FAILURE_LINES = 40;

/** Returns how many tests of a stage passed, failed and were skipped, and why it may not pass. */
export function judgeStage({ name, results }, root, parts = PARTS) {
  let report;
  try {
    report = JSON.parse(readFileSync(join(root, results), "utf8"));
  } catch {
    return { passed: 0, failed: 1, skipped: 0, problems: [`${name}: no results`] };
  }
  const { passed, failed, skipped, problems } = judge(report, parts);
  return { passed, failed, skipped, problems: problems.map((problem) => `${name}: ${problem}`) };
}

/** Returns the same of a report, as jest's option --json writes it. */
export function judge(report, parts = PARTS) {
  const notRun = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status !== "passed" && status !== "failed");
  const undeclared = notRun.filter((test) => !isDeclared(test, parts));
  // A file that is skipped as a whole lists none of its tests.
  const unlisted = report.numPendingTests + report.numTodoTests - notRun.length;
  const problems = undeclared.map(({ fullName, status }) => `${status}, and no part declared: ${fullName}`);
  if (unlisted > 0) problems.push(`${unlisted} tests were skipped with their whole file`);
  const broken = report.numRuntimeErrorTestSuites;
  if (broken > 0) problems.push(`${broken} files could not run`);
  if (report.numPassedTests === 0) problems.push("no test passed");
  for (const file of report.testResults) problems.push(...failuresOf(file));
  return {
    passed: report.numPassedTests,
    failed:
      report.numFailedTests +
      broken +
      undeclared.length +
      Math.max(unlisted, 0) +
      (report.numPassedTests === 0 ? 1 : 0),
    skipped: notRun.length - undeclared.length,
    problems,
  };
}

/**
 * Names what failed in a file, with the beginning of why: whoever has only the end of a log sees it there. A file fails without a
 * failed test where it cannot be loaded, where its last hook fails, and by an error that no test awaits.
 */
function failuresOf({ name = "", message = "", status: ofFile, assertionResults }) {
  const failed = assertionResults.filter(({ status }) => status === "failed");
  if (failed.length === 0 && ofFile === "failed") return [`could not run: ${name}: ${beginning(message)}`];
  return failed.map(
    ({ fullName, failureMessages = [] }) => `failed: ${fullName}: ${beginning(failureMessages[0] ?? "")}`,
  );
}

const beginning = (message) => message.split("\n").slice(0, FAILURE_LINES).join("\n");

/** Returns true where describeWhere skipped a test because this machine lacks a part. */
function isDeclared({ status, ancestorTitles }, parts) {
  if (status === "todo") return false;
  return Object.entries(parts).some(
    ([part, { isPresent }]) => ancestorTitles.includes(needs(part)) && !isPresent(),
  );
}
