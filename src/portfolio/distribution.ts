import { formatWad, multiplyWad } from "../protocol/decimal.ts";

/** A change of the multiplier of a token that a user holds on the exchange; wad. */
export interface DistributedHolding {
  oldMultiplier: bigint;
  newMultiplier: bigint;
  /** Tokens, locked ones too. */
  held: bigint;
}

/** Returns what a split or dividend made of the tokens held, in the API's shape; shares are rounded down. */
export const presentDistribution = ({ oldMultiplier, newMultiplier, held }: DistributedHolding) => ({
  multiplierBefore: formatWad(oldMultiplier),
  multiplierAfter: formatWad(newMultiplier),
  tokens: formatWad(held),
  sharesBefore: formatWad(multiplyWad(held, oldMultiplier)),
  sharesAfter: formatWad(multiplyWad(held, newMultiplier)),
});
