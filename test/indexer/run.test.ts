import { describe, expect, it } from "@jest/globals";
import { parseLine } from "../../indexer/run.ts";

describe("a line of Ponder's log", () => {
  it("keeps its level, text and fields", () => {
    const line = {
      level: 40,
      time: 1,
      msg: "Failed to fetch latest block",
      chain: "1",
      error: { message: "no" },
    };
    expect(parseLine(JSON.stringify(line))).toEqual({
      level: "warn",
      msg: "Failed to fetch latest block",
      fields: { chain: "1", error: { message: "no" } },
    });
  });

  it.each(["FATAL ERROR: heap out of memory", "{}", '{"level":"info"}', ""])("may be none: %s", (text) => {
    expect(parseLine(text)).toEqual({ level: "warn", msg: text, fields: {} });
  });
});
