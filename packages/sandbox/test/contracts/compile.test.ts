import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "@jest/globals";

// The ABIs and the bytecode are committed, so that nobody needs a compiler to run or to read them.
const root = fileURLToPath(new URL("../../../..", import.meta.url));

it("the committed ABIs and bytecode are what the Solidity sources compile to", async () => {
  // The compiler is WebAssembly and runs once: optimizing it takes a third of the processor time.
  const args = ["--liftoff-only", "--import", "tsx", "packages/sandbox/src/contracts/compile.ts", "--check"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  expect(stdout).toBe("9 files, 0 changed\n");
});
