import { expect, it } from "@jest/globals";
import { build as bundle } from "esbuild";
import { partnersCommand } from "../../../../build.mjs";
import { ROOT } from "../../../../src/config/root.ts";

it("starts from one file that holds commander and the parser of the event stream, and nothing else of a package", async () => {
  const options = { ...partnersCommand, outdir: "test-results/start", write: false, metafile: true } as const;
  const { metafile, outputFiles } = await bundle({
    ...options,
    absWorkingDir: ROOT,
    bundle: true,
    format: "esm",
    platform: "node",
  });
  const packages = Object.keys(metafile.inputs)
    .map((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1])
    .filter((name) => name !== undefined);
  expect([...new Set(packages)]).toEqual(["commander", "eventsource-parser"]);
  const loaded = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  expect(loaded.filter((path) => !path.startsWith("node:"))).toEqual([]);
  expect(outputFiles).toHaveLength(1);
});
