import { describe, expect, it } from "@jest/globals";
import {
  type BroadcastResult,
  isConclusive,
  mergeResults,
  parseBroadcastAnswer,
} from "../../../src/sending/sender/broadcast-result.ts";

const HASH = `0x${"ab".repeat(32)}`;
const error = (message: string, data?: unknown) =>
  parseBroadcastAnswer({ kind: "error", code: -32000, message, data }, HASH);

// Nodes differ only in articles, blanks and hyphens: every form that one of the expressions allows.
const WORDINGS: [BroadcastResult["kind"], string[]][] = [
  ["taken", ["already imported", "alreadyimported", "tx already in the pool"]],
  ["nonce-too-low", ["already mined", "transaction already finalized", "nonce is too low", "nonce too low"]],
  [
    "unknown",
    [
      "rate limit",
      "ratelimit",
      "capacity for today exceeded",
      "exceeded your daily quota",
      "exceeded the capacity",
      "timed out",
      "timeout",
      "time out",
    ],
  ],
  [
    "later",
    ["queue is full", "queue full", "in-flight transaction limit", "inflight transaction limit", "syncing"],
  ],
  [
    "nonce-gap",
    ["nonce is too high", "nonce too far", "nonce_toofar", "noncetoofar", "gapped-nonce", "future nonce"],
  ],
  [
    "underpriced",
    [
      "another transaction with the same nonce",
      "another tx of the very same nonce",
      "replacement fee is too low",
      "replacement is not allowed",
    ],
  ],
  [
    "insufficient-funds",
    [
      "insufficient funds",
      "insufficientfunds",
      "exceeds balance",
      "exceeds the balance",
      "exceeds account balance",
    ],
  ],
  [
    "never-minable",
    [
      "gas limit exceeded",
      "gas limit of block exceeded",
      "exceeds block gas limit",
      "exceeds block's gas limit",
      "tx fee of 1 ether exceeds the configured cap",
      "fee cap exceeded",
      "feecap exceeded",
      "transaction too big",
      "transaction is too big",
      "max tx size",
      "maxtxsize",
    ],
  ],
  [
    "fee-too-low",
    [
      "fee too low",
      "feetoolow",
      "below minimum",
      "below configured minimum",
      "less than base fee",
      "less than block base fee",
      "lower than the base fee",
      "lower than the basefee",
      "gas price is too low",
      "gasprice of 1 is below 2",
      "tip is too low",
      "tip of 1 is below 2",
      "priority fee is too low",
      "priority fee of 1 is below 2",
    ],
  ],
];

describe("a node's words", () => {
  it.each(WORDINGS.flatMap(([kind, all]) => all.map((words) => [words, kind])))("%s: %s", (words, kind) => {
    expect(error(words).kind).toBe(kind);
  });

  it("are read to their end: what was known, mined and too large", () => {
    expect(error("already known")).toEqual({ kind: "taken", fresh: false });
    expect(error("rlp too long")).toEqual({ kind: "never-minable", because: "size" });
    expect(error("intrinsic gas")).toEqual({ kind: "never-minable", because: "gas" });
  });

  it("count from the error's data too, where that is text, and only at the beginning of very much", () => {
    expect(error("rejected", "nonce too low").kind).toBe("nonce-too-low");
    expect(error("rejected", ["nonce too low"]).kind).toBe("refused");
    expect(error("rejected", undefined).kind).toBe("refused");
    expect(error(`${" ".repeat(3_986)}nonce too low`).kind).toBe("nonce-too-low");
    expect(error(`${" ".repeat(3_988)}nonce too low`).kind).toBe("refused");
  });

  it("are no hash where the answer is another value", () => {
    expect(parseBroadcastAnswer({ kind: "result", value: null }, HASH)).toEqual({ kind: "unknown" });
    expect(parseBroadcastAnswer({ kind: "result", value: [HASH] }, HASH)).toEqual({ kind: "unknown" });
  });
});

describe("several answers", () => {
  it("are new only where every node that took the bytes did not know them", () => {
    const fresh: BroadcastResult = { kind: "taken", fresh: true };
    expect(mergeResults([{ kind: "refused" }, fresh])).toEqual(fresh);
    expect(mergeResults([fresh, fresh])).toEqual(fresh);
    expect(mergeResults([fresh, { kind: "taken", fresh: false }])).toEqual({ kind: "taken", fresh: false });
    expect(mergeResults([{ kind: "refused" }, { kind: "later" }])).toEqual({ kind: "later" });
    expect(mergeResults([])).toEqual({ kind: "unknown" });
  });

  it("end with one that is clear", () => {
    const clear: BroadcastResult["kind"][] = ["nonce-too-low", "underpriced", "fee-too-low", "nonce-gap"];
    const others: BroadcastResult["kind"][] = ["insufficient-funds", "unknown", "later", "refused"];
    expect(isConclusive({ kind: "taken", fresh: true })).toBe(true);
    const conclusive = [...clear, ...others].filter((kind) => isConclusive({ kind } as BroadcastResult));
    expect(conclusive).toEqual(clear);
    expect(isConclusive({ kind: "never-minable", because: "gas" })).toBe(false);
  });
});
