// Replaces Vite in Ponder's program (bundles.mjs): what Vite would find, transform and load at each start is bundled with
// the program, so modules of the project are loaded by Node.js. Exports what Ponder's build/index.js imports of Vite and
// its companions for the command `start`.
import { relative, sep } from "node:path";

/**
 * Creates the class that loads modules of the project.
 * @param modules loads each, by its path in the project
 */
export const runnerOf = (modules) =>
  class ViteNodeRunner {
    #root;

    constructor({ root }) {
      this.#root = root;
    }

    /** Loads a file of the project. */
    async executeFile(file) {
      return this.executeId(relative(this.#root, file).split(sep).join("/"));
    }

    /** Loads a module that Ponder names. */
    async executeId(id) {
      const load = modules[id];
      if (!load) throw new Error(`${id} is not in the bundle of the indexer`);
      return load();
    }
  };

/** Returns what Ponder needs of a development server: its root. */
export const createServer = async ({ root }) => ({
  config: { root },
  pluginContainer: { buildStart: async () => undefined },
  close: async () => undefined,
});

export class ViteNodeServer {}

/** Does nothing: the bundle has no source maps, and stacks name its own lines. */
export const installSourcemapsSupport = () => undefined;

/** Returns nothing, in the place of the plugin that finds modules by tsconfig.json. */
export default () => undefined;

/** Returns the id as it is: it serves reloading alone, which `start` does not do. */
export const normalizeModuleId = (id) => id;
export const toFilePath = (path) => ({ path });
