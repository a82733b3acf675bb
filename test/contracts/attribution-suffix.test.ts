import { describe, expect, it } from "@jest/globals";
import { splitSuffix } from "../../src/contracts/attribution-suffix.ts";

const MARKER = "80218021802180218021802180218021";

describe("an ERC-8021 suffix", () => {
  // The examples of the reference implementation (ox/erc8021).
  it.each([
    ["metadata", "a161616762617365617070000b0280218021802180218021802180218021"],
    ["in upper case", "A161616762617365617070000B0280218021802180218021802180218021"],
    ["no metadata", `000002${MARKER}`],
  ])("is cut off the calldata: %s", (_schema, suffix) => {
    expect(splitSuffix(`0xdddddddd${suffix}`)).toEqual({
      callData: "0xdddddddd",
      suffix: `0x${suffix.toLowerCase()}`,
    });
  });

  // Schemas that calldata built here never carries.
  it.each([
    ["codes", "62617365617070070080218021802180218021802180218021"],
    [
      "codes of a registry",
      "cccccccccccccccccccccccccccccccccccccccc210502626173656170702C6D6F7270686F0E0180218021802180218021802180218021",
    ],
    ["no codes", `0000${MARKER}`],
  ] as const)("of another schema stays: %s", (_schema, suffix) => {
    expect(splitSuffix(`0xdddddddd${suffix}`)).toBeNull();
  });

  it("may be long: the length of CBOR has two bytes", () => {
    const cbor = "00".repeat(0x1234);
    expect(splitSuffix(`0xdddddddd${cbor}123402${MARKER}`)).toEqual({
      callData: "0xdddddddd",
      suffix: `0x${cbor}123402${MARKER}`,
    });
  });

  it.each([
    ["no marker", "0xdddddddd"],
    ["nothing", "0x"],
    ["the marker not at the end", `0x0000${MARKER}00`],
    ["nothing but the marker", `0x${MARKER}`],
    ["an unknown schema", `0xdddddddd0003${MARKER}`],
    ["fewer codes than it says", `0xdddd0800${MARKER}`],
    ["less CBOR than it says", `0xdddddddd000502${MARKER}`],
    ["a length that is not there", `0x02${MARKER}`],
    ["half a length", `0x0002${MARKER}`],
    ["a byte less than it says", `0x000102${MARKER}`],
    ["a registry that is not there", `0xdddddddd0001${MARKER}`],
  ] as const)("is none where there is %s", (_what, input) => {
    expect(splitSuffix(input)).toBeNull();
  });
});
