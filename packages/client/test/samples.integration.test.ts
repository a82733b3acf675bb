import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { ROOT } from "../../../src/config/root.ts";
import { type Sample, samplesIn } from "../../../test/support/samples/samples.ts";

/** The document's samples in TypeScript fit the types of the client, under settings as strict as a partner's. */
const OPTIONS = {
  incremental: false,
  exactOptionalPropertyTypes: true,
  lib: ["ES2023", "DOM", "DOM.Iterable"],
};

let directory: string;
beforeEach(() => {
  mkdirSync(join(ROOT, "test-results"), { recursive: true });
  directory = mkdtempSync(join(ROOT, "test-results/sample-types-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Returns the compiler's messages about samples, each a module of its own. */
async function typecheck(samples: readonly Sample[]): Promise<string> {
  for (const { id, source } of samples) writeFileSync(join(directory, `${id}.ts`), source);
  const config = {
    extends: join(ROOT, "tsconfig.json"),
    compilerOptions: {
      ...OPTIONS,
      paths: { "partner-trading": [join(ROOT, "packages/client/src/index.ts")] },
    },
    include: ["*.ts"],
    exclude: [],
  };
  writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(ROOT, "node_modules/.bin/tsgo");
  return promisify(execFile)(compiler, ["--noEmit", "-p", directory], { cwd: directory }).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
}

it("every sample fits the client's types", async () => {
  expect(await typecheck(samplesIn("TypeScript"))).toBe("");
});

it("one that names a field which the operation does not take would not", async () => {
  const samples = samplesIn("TypeScript").filter(({ id }) => id === "orders.send");
  const wrong = samples.map(({ id, source }) => ({ id, source: source.replace("symbol:", "ticker:") }));
  expect(await typecheck(wrong)).toContain("'ticker' does not exist");
});
