// Loaded by each process of Jest before all else. Jest compiles every module again for every test file: V8 parses it once in a
// process, where what it compiled is kept.
const vm = require("node:vm");

/** What this process compiled, by the module's path: its source, and V8's data of it. */
const compilations = new Map();
/** What a module needs that imports others while it runs, or reads its own address, is of one compilation: it is not kept. */
const IMPORTS = /\bimport\s*[(.]/;

/** @returns the entry of a module, without data the first time; undefined where none is kept */
function entryOf(path, source) {
  const known = compilations.get(path);
  if (known?.source === source) return known;
  const entry = IMPORTS.test(source) ? { source, isKept: false } : { source, isKept: true };
  compilations.set(path, entry);
  return entry;
}

vm.SourceTextModule = class extends vm.SourceTextModule {
  constructor(source, options) {
    const entry = entryOf(options?.identifier, source);
    super(source, { ...options, cachedData: entry.data });
    if (entry.isKept) entry.data ??= this.createCachedData();
  }
};

const { compileFunction } = vm;
vm.compileFunction = (source, parameters, options) => {
  const entry = entryOf(options?.filename, source);
  const produceCachedData = entry.isKept && !entry.data;
  const compiled = compileFunction(source, parameters, {
    ...options,
    cachedData: entry.data,
    produceCachedData,
  });
  if (produceCachedData) entry.data = compiled.cachedData;
  return compiled;
};
