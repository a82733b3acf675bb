import { parseDecimal, WAD_DECIMALS } from "../../../../../src/protocol/decimal.ts";

/** Returns an amount of a program or of the service in base units; null where it is none, such as a JSON number. */
export function unitsOf(amount: unknown): bigint | null {
  const units = typeof amount === "string" ? parseDecimal(amount, WAD_DECIMALS) : null;
  return typeof units === "bigint" ? units : null;
}
