// Evaluates packages and the database's client once in a process of Stryker's, which runs one mutant after the other. Nothing of them
// is mutated, and nothing of them imports a source. A mutant's run evaluates all other modules anew.
const { default: KeptModules } = require("../support/program/kept-modules.cjs");

const KEPT = /\/(node_modules|src\/db\/generated)\//;

class KeptPackages extends KeptModules {
  keeps(path) {
    return KEPT.test(path);
  }
}

module.exports = { __esModule: true, default: KeptPackages };
