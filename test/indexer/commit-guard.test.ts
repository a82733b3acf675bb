import { describe, expect, it } from "@jest/globals";
import { type BlockEvent, createCommitGuard } from "../../indexer/commit-guard.ts";

const block = (checkpoint: string): BlockEvent => ({ checkpoint });

/** Returns a guard whose process has committed block 10. */
function afterTen() {
  const guard = createCommitGuard();
  const ten = block("10");
  guard.begin(ten, "9");
  guard.committed(ten);
  return guard;
}

describe("a block's transaction", () => {
  it("runs on whatever the database had when the process began", () => {
    expect(createCommitGuard().begin(block("10"), "3")).toBe("run");
  });

  it("runs where the database has what was committed last", () => {
    expect(afterTen().begin(block("11"), "10")).toBe("run");
  });

  it.each([
    ["not committed", "10", "again"],
    ["committed", "11", "done"],
    ["lost with others", "9", "lost"],
  ])("that failed, and was %s", (_what, stored, attempt) => {
    const guard = afterTen();
    const eleven = block("11");
    guard.begin(eleven, "10");
    expect(guard.begin(eleven, stored)).toBe(attempt);
  });

  it("that failed as the first one of a process is compared with what it began on", () => {
    const guard = createCommitGuard();
    const ten = block("10");
    guard.begin(ten, "9");
    expect(guard.begin(ten, "8")).toBe("lost");
    expect(guard.begin(ten, "10")).toBe("done");
  });

  it.each(["9", "12"])("is lost on a database that went from block 10 to %s by itself", (stored) => {
    expect(afterTen().begin(block("11"), stored)).toBe("lost");
  });

  it("of a block in another's place, under the same checkpoint, is tried once", () => {
    const guard = afterTen();
    const instead = block("10");
    expect(guard.begin(instead, "10")).toBe("run");
    expect(guard.begin(instead, "10")).toBe("lost");
  });
});
