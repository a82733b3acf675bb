import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
// @ts-expect-error: a plain script, which Jest's setup loads without any build.
import { offerParts, useKeptParts } from "./kept-parts.mjs";

const NAME = "TEST_DATABASE_TEMPLATE";
let directory = "";
let file = "";
const before = process.env[NAME];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "partner-trading-parts-"));
  file = join(directory, "parts.json");
});
afterEach(() => {
  rmSync(directory, { recursive: true });
  if (before === undefined) delete process.env[NAME];
  else process.env[NAME] = before;
});

/** Offers parts of this process, and changes what is written of them. */
function offer(change: Record<string, unknown> = {}): () => void {
  process.env[NAME] = "kept";
  const withdraw: () => void = offerParts(file);
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...change }));
  process.env[NAME] = "own";
  return withdraw;
}

describe("parts that are kept for runs of single files", () => {
  it("are used while the process that keeps them runs, by their variables", () => {
    const withdraw = offer();
    expect(useKeptParts(file)).toBe(true);
    expect(process.env[NAME]).toBe("kept");
    withdraw();
    process.env[NAME] = "own";
    expect(useKeptParts(file)).toBe(false);
    expect(process.env[NAME]).toBe("own");
  });

  it.each([
    ["of a process that was killed", { pid: 2 ** 22 + 1 }],
    ["of other migrations or contracts", { sources: "others" }],
  ])("are not used where they are %s", (_what, change) => {
    offer(change);
    expect(useKeptParts(file)).toBe(false);
    expect(process.env[NAME]).toBe("own");
  });
});
