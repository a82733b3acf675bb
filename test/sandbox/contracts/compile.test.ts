import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, it } from "@jest/globals";
import { ROOT } from "../../../src/config/root.ts";
import { keptCheck } from "../../support/program/kept-check.ts";

// The ABIs and the bytecode are committed, so that nobody needs a compiler to run or to read them.

/** The sources, what they compile to, and what compiles them. */
const FILES = ["src/sandbox/contracts", "src/contracts/abi"].flatMap((folder) =>
  readdirSync(ROOT + folder).map((name) => `${folder}/${name}`),
);

it("the committed ABIs and bytecode are what the Solidity sources compile to", async () => {
  const check = keptCheck(...FILES, ...FILES.map((file) => readFileSync(ROOT + file, "utf8")));
  if (check.hasPassed) return;
  // The compiler is WebAssembly and runs once: optimizing it takes a third of the processor time.
  const args = ["--liftoff-only", "--import", "tsx", "src/sandbox/contracts/compile.ts", "--check"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  expect(stdout).toBe("9 files, 0 changed\n");
  check.keep();
});
