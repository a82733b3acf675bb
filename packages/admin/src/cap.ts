import { formatWad } from "../../../src/protocol/decimal.ts";

/** Writes a daily cap, mUSD wad, for the output of commands. */
export const describeCap = (wad: bigint | null): string =>
  wad === null ? "no limit" : `${formatWad(wad)} mUSD of orders a UTC day`;
