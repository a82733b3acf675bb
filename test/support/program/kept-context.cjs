// The global object of all test files that a worker of Jest runs: modules that it keeps (kept-modules.cjs) have it, too.
const { TestEnvironment } = require("jest-environment-node");

/** Where Jest's runner keeps the tests of a file, and whom it calls about them. */
const OF_RUNNER = new Set(["JEST_STATE_SYMBOL", "EVENT_HANDLERS"]);

class KeptContext extends TestEnvironment {
  keepsModules = true;
  exit = this.global.process.exit;

  /** Ends what the last test file began: its tests, and its variables of the environment. */
  reset() {
    const { process: copy } = this.global;
    // Jest puts a warning around it for each test file.
    copy.exit = this.exit;
    for (const name of Object.keys(copy.env)) delete copy.env[name];
    Object.assign(copy.env, process.env);
    for (const symbol of Object.getOwnPropertySymbols(this.global)) {
      if (OF_RUNNER.has(symbol.description)) delete this.global[symbol];
    }
  }

  /** The base class would take the globals away from modules that are kept. */
  async teardown() {
    this.fakeTimers.dispose();
    this.fakeTimersModern.dispose();
  }
}

let kept;

/** Jest constructs an environment for each test file, which has handlers of its own. */
module.exports = function environmentOf(...args) {
  kept ??= new KeptContext(...args);
  kept.reset();
  return Object.create(kept);
};
