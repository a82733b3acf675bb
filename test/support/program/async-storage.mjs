// When a promise is made, Node.js visits every AsyncLocalStorage that was ever entered and not disabled: without this, a
// test file pays for those of all files that its worker ran before. (Node.js 24 visits none.)
import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll } from "@jest/globals";

const ENTERED = Symbol.for("partner-trading.entered");
const { prototype } = AsyncLocalStorage;

// The class is the worker's, this module each test file's.
if (!prototype[ENTERED]) {
  prototype[ENTERED] = new Set();
  for (const method of ["run", "enterWith"]) {
    const original = prototype[method];
    prototype[method] = function (...args) {
      prototype[ENTERED].add(this);
      return original.apply(this, args);
    };
  }
}

afterAll(() => {
  for (const storage of prototype[ENTERED]) storage.disable();
  prototype[ENTERED].clear();
});
