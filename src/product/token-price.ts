import { multiplyWad, parseDecimal, WAD_DECIMALS } from "../protocol/decimal.ts";
import { ApiError } from "../protocol/errors.ts";

/**
 * Returns what one stock token is worth, mUSD wad: the underlying's price times the token's multiplier (wad).
 * @param price a decimal string, as quotes carry it
 * @throws ApiError MARKET_DATA_UNAVAILABLE where it is no price
 */
export function tokenPrice(price: string, multiplier: bigint): bigint {
  const wad = parseDecimal(price, WAD_DECIMALS);
  if (typeof wad === "bigint") return multiplyWad(wad, multiplier);
  throw new ApiError("MARKET_DATA_UNAVAILABLE", { cause: new Error("a quote carries a price that is none") });
}
