// Runs a test file for a mutant only where the file has tests that cover the mutant, and only until one of them fails.
// Stryker names the tests to run, and Jest would still load every file of the group for them; nor does Jest end at the
// first failure when a program starts it.
const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { join, relative } = require("node:path");
const { default: runTests } = require("jest-circus/runner");

/** The mutant that was found last. One process tests one mutant after the other, each over all files of its group. */
let found;

module.exports = async (globalConfig, config, environment, runtime, testPath, sendMessage) => {
  const mutant = process.env.__STRYKER_ACTIVE_MUTANT__;
  // The global object is kept, and with it the mutant that was run last.
  if (environment.global.__stryker__) environment.global.__stryker__.activeMutant = mutant;
  // In the copy of the sources that Stryker makes, and removes in the end.
  const folder = join(config.rootDir, "test-names");
  // By the path: files of two folders may have one name.
  const names = join(folder, `${encodeURIComponent(relative(config.rootDir, testPath))}.json`);
  const run = () => runTests(globalConfig, config, environment, runtime, testPath, sendMessage);
  if (mutant === undefined) {
    const result = await run();
    mkdirSync(folder, { recursive: true });
    writeFileSync(names, JSON.stringify(result.testResults.map(({ fullName }) => fullName)));
    return result;
  }
  if (found === mutant || !covers(JSON.parse(readFileSync(names, "utf8")), globalConfig.testNamePattern)) {
    return nothingOf(testPath);
  }
  endAtFirstFailure(environment, mutant);
  return run();
};

/** @param pattern undefined where every test covers the mutant */
function covers(names, pattern) {
  const expression = new RegExp(pattern ?? "", "i");
  return names.some((name) => expression.test(name));
}

function endAtFirstFailure(environment, mutant) {
  const inner = environment.handleTestEvent?.bind(environment);
  environment.handleTestEvent = async (event, state) => {
    if (event.name === "test_done" && event.test.errors.length > 0) found = mutant;
    if (event.name === "test_start" && found === mutant) event.test.mode = "skip";
    await inner?.(event, state);
  };
}

/** The result of a file whose tests were all left out. */
function nothingOf(testFilePath) {
  const test = {
    ancestorTitles: [],
    failureMessages: [],
    fullName: "left out",
    status: "pending",
    title: "left out",
  };
  return {
    leaks: false,
    numFailingTests: 0,
    numPassingTests: 0,
    numPendingTests: 1,
    numTodoTests: 0,
    openHandles: [],
    perfStats: {},
    skipped: true,
    snapshot: {
      added: 0,
      fileDeleted: false,
      matched: 0,
      unchecked: 0,
      uncheckedKeys: [],
      unmatched: 0,
      updated: 0,
    },
    testFilePath,
    testResults: [test],
  };
}
