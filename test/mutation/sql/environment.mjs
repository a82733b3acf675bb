// Ends a run at its first failure, which is all that a mutant's run is for; and runs, of each file, the tests that
// MUTATION_TESTS names. Jest's own --bail writes no results.
import { TestEnvironment } from "jest-environment-node";

// All files of a run share this module: jest runs them in its own process.
let hasFailed = false;

export default class MutationEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    const wanted = JSON.parse(process.env.MUTATION_TESTS ?? "{}");
    const names = Object.entries(wanted).find(([file]) => context.testPath.endsWith(file))?.[1] ?? null;
    this.names = names?.map((name) => new RegExp(name)) ?? null;
  }

  async handleTestEvent({ name, test }, { rootDescribeBlock }) {
    // Set before hooks run: a block whose tests are all skipped runs none.
    if (name === "run_start") {
      for (const each of testsOf(rootDescribeBlock)) {
        if (hasFailed || !this.isWanted(each)) each.mode = "skip";
      }
    }
    if (name === "test_start" && hasFailed) test.mode = "skip";
    if (name === "test_done" && test.errors.length > 0) hasFailed = true;
  }

  isWanted(test) {
    return this.names === null || this.names.some((name) => name.test(fullName(test)));
  }
}

function testsOf({ children }) {
  return children.flatMap((child) => (child.type === "test" ? [child] : testsOf(child)));
}

function fullName({ name, parent }) {
  return parent?.parent ? `${fullName(parent)} ${name}` : name;
}
