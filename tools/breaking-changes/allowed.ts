/** A change of a released document that `test/api/breaking-changes.test.ts` lets pass, until the next release. */
export interface AllowedChange {
  /** The end of the fault that the comparison reports. */
  fault: string;
  /** Why the rules of docs/versioning.md allow it, or which decision overrules them. */
  reason: string;
}

const DECIMAL_BEFORE = "^(0|[1-9]\\d*)(?:\\.(\\d+))?(?:[eE]([+-]?\\d{1,3}))?$";
const DECIMAL_NOW = "^(?:(0|[1-9]\\d*)(?:\\.(\\d+))?|\\.(\\d+))$";

const patternOf = (was: string, is: string): string => `pattern was ${was} and is ${is}`;
const hexPatternOf = (digits: number): string =>
  patternOf(`^0x[0-9a-fA-F]{${digits}}$`, `^0[xX][0-9a-fA-F]{${digits}}$`);

const WIDER = "Wider: 0X is taken, too. The comparison does not know that one pattern contains another.";

export const ALLOWED: readonly AllowedChange[] = [
  { fault: hexPatternOf(40), reason: WIDER },
  { fault: hexPatternOf(64), reason: WIDER },
  {
    fault: patternOf("^\\s*0x[0-9a-fA-F]{40}\\s*$", "^\\s*0[xX][0-9a-fA-F]{40}\\s*$"),
    reason: WIDER,
  },
  {
    fault: patternOf(DECIMAL_BEFORE, DECIMAL_NOW),
    reason:
      "Wider by a leading point, narrower by exponents, which no partner sends knowingly: JavaScript writes them for floats, " +
      "and what a float rounded is no amount to trade.",
  },
  {
    fault: "retryable of TRANSACTION_NOT_FOUND was true and is false or true",
    reason:
      "False where the transaction is another key's or on another chain (docs/ownership.md): a client that repeated the request then waited " +
      "for what never comes.",
  },
];
