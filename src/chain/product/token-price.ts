import { multiplyWad, multiplyWadUp, parseDecimal, WAD, WAD_DECIMALS } from "../../protocol/decimal.ts";
import { ApiError } from "../../protocol/errors.ts";

/** The smallest step of a price per token, mUSD wad: the chain knows no coarser one. */
export const PRICE_STEP = 1n;

/** Roundings of the product of two non-negative wads. */
const ROUNDED = {
  down: multiplyWad,
  nearest: (a: bigint, b: bigint) => (2n * a * b + WAD) / (2n * WAD),
  up: multiplyWadUp,
};

/**
 * Returns what one stock token is worth, mUSD wad: the underlying's price times the token's multiplier (wad), on the grid
 * of PRICE_STEP.
 * @param price a decimal string, as quotes carry it
 * @throws ApiError MARKET_DATA_UNAVAILABLE where it is no price
 */
export function tokenPrice(
  price: string,
  multiplier: bigint,
  rounding: keyof typeof ROUNDED = "nearest",
): bigint {
  const wad = parseDecimal(price, WAD_DECIMALS);
  if (typeof wad === "bigint") return ROUNDED[rounding](wad, multiplier);
  throw new ApiError("MARKET_DATA_UNAVAILABLE", { cause: new Error("a quote carries a price that is none") });
}
