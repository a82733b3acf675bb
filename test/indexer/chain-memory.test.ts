import { describe, expect, it } from "@jest/globals";
import { chainMemory, type SeenBlock } from "../../indexer/chain-memory.ts";

/** Blocks that are kept below the head. */
const KEPT = 1_024;

/** Returns block `number` of a chain: forks of it differ in `fork`. */
const block = (number: number, fork = "a"): SeenBlock => ({
  number,
  hash: `${number}${fork}`,
  parentHash: `${number - 1}${fork}`,
  logsBloom: "0x00",
});

/** Returns a memory that has seen these heads. */
function seen(...heads: SeenBlock[]) {
  const memory = chainMemory();
  for (const head of heads) memory.recordHead(head);
  return memory;
}

describe("a head", () => {
  it("is taken again, and not below where it is of the same chain", () => {
    const memory = seen(block(9), block(10));
    expect(memory.recordHead(block(10))).toBe(true);
    expect(memory.recordHead(block(9))).toBe(false);
  });

  it("of a shorter fork removes the blocks above it", () => {
    const memory = seen(block(8), block(9), block(10), block(8, "b"), block(11, "b"));
    // Were 9 of the first chain still known, this would pass for another fork.
    expect(memory.recordHead(block(9, "b"))).toBe(false);
  });

  it("removes what is far below it, and nothing that is nearer", () => {
    const far = seen(block(10), block(10 + KEPT + 1));
    expect(far.recordHead(block(10, "b"))).toBe(false);
    const near = seen(block(10), block(10 + KEPT));
    expect(near.recordHead(block(10, "b"))).toBe(true);
  });
});
