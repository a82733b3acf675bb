// Jest evaluates every module again for every test file. This runtime evaluates those of the service and of packages once in a
// worker, which saves a fifth of the processor. Modules of tests are each file's own.
const { sep } = require("node:path");
const { default: Runtime } = require("jest-runtime");

const OF_TESTS = /^(packages\/[^/]+\/)?test\//;
/** Jest's word for a graph that its loader for newer versions of Node.js leaves to the asynchronous one. */
const LOAD_ASYNC = "load-async";

/** The runtime of all that is kept, which never ends; undefined before a worker's first test file. */
let keeper;
let lastLoad = Promise.resolve();

class KeptModules extends Runtime {
  constructor(config, environment, ...more) {
    super(config, environment, ...more);
    // A test file may name another environment in its docblock, and keeps nothing then.
    if (!environment.keepsModules) return;
    keeper ??= new Runtime(config, environment, ...more);
    const root = `${config.rootDir}${sep}`;
    this.isKept = (path) => this.keeps(path, root);
    this.delegateImports(this.esmLoader);
    this.transformCache.sourceMaps = keeper.transformCache.sourceMaps;
  }

  keeps(path, root) {
    return path.startsWith(root) && !OF_TESTS.test(path.slice(root.length));
  }

  delegateImports(loader) {
    const { loadEsmModule, loadCjsAsEsm, tryLoadGraphSync } = loader;
    loader.loadEsmModule = (path, ...rest) =>
      this.isKept(path) ? load(path, ...rest) : loadEsmModule.call(loader, path, ...rest);
    loader.loadCjsAsEsm = (from, path, ...rest) =>
      loadCjsAsEsm.call(this.isKept(path) ? keeper.esmLoader : loader, from, path, ...rest);
    loader.tryLoadGraphSync = (path, suffix, mode, ...rest) =>
      mode === "sync-preferred" ? LOAD_ASYNC : tryLoadGraphSync.call(loader, path, suffix, mode, ...rest);
  }

  requireModule(from, name, options, ...rest) {
    return Runtime.prototype.requireModule.call(
      this.runtimeOf(from, name, options),
      from,
      name,
      options,
      ...rest,
    );
  }

  runtimeOf(from, name, options) {
    if (!this.isKept || (name && this._resolution.isCoreModule(name))) return this;
    const path = this._resolution.resolveCjs(from, name);
    // Jest's own runner has the state of one test file.
    return this.isKept(path) && !(options?.isInternalModule && path.includes("/jest-circus/"))
      ? keeper
      : this;
  }
}

/** Loads one graph after another: Jest waits in vain for a module that two of them link at once. */
function load(path, suffix) {
  const { esmLoader } = keeper;
  const loaded = lastLoad.then(async () =>
    esmLoader.linkAndEvaluateModule(await esmLoader.loadEsmModule(path, suffix)),
  );
  lastLoad = loaded.catch(() => undefined);
  return loaded;
}

module.exports = { __esModule: true, default: KeptModules };
