import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "../../../src/config/root.ts";

/** A folder for samples of documents, in which they find the packages and clients that they import. */
export interface SampleFolder {
  /** Writes a sample in Python. Returns how it is run. */
  python(name: string, text: string): string[];
  /** Writes a sample in TypeScript, and bundles it: that takes a tenth of the time in which tsx starts. */
  typescript(name: string, text: string): Promise<string[]>;
  /** Variables that samples need to find the Python client. */
  env: Record<string, string>;
  remove(): void;
}

export function createSampleFolder(): SampleFolder {
  // Below node_modules, where packages are found.
  const cache = `${ROOT}node_modules/.cache`;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "samples-"));
  return {
    python: (name, text) => {
      const file = join(folder, `${name}.py`);
      writeFileSync(file, text);
      return ["python3", file];
    },
    typescript: async (name, text) => {
      const outfile = join(folder, `${name}.mjs`);
      const stdin = { contents: text, loader: "ts", resolveDir: folder } as const;
      const alias = { "partner-trading": `${ROOT}packages/client/src/index.ts` };
      await build({
        stdin,
        alias,
        outfile,
        bundle: true,
        platform: "node",
        format: "esm",
        packages: "external",
      });
      return [process.execPath, outfile];
    },
    env: { PYTHONPATH: `${ROOT}packages/client/python`, PYTHONDONTWRITEBYTECODE: "1" },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
