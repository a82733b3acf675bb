/**
 * Exact decimals. On the wire amounts are decimal strings in human units; inside they are bigint base units
 * (docs/api.md#general-rules). Nothing here rounds unless its name says so, and no float is ever involved.
 */

/** Decimals of mUSD, prices and every stock token. */
export const WAD_DECIMALS = 18;
export const WAD = 10n ** 18n;

export type DecimalError = "malformed" | "too-many-decimals";

/** A non-negative decimal, as callers write it in a string or a JSON number: without an exponent; a leading point is read. */
export const DECIMAL = /^(?:(0|[1-9]\d*)(?:\.(\d+))?|\.(\d+))$/;
/** Characters of a decimal at most: more than any amount a chain can hold needs. */
export const DECIMAL_MAX_LENGTH = 200;

/**
 * Reads a decimal as base units: `parseDecimal("1.5", 6)` is 1500000n.
 * @returns `malformed` for anything that is not a non-negative decimal, `too-many-decimals` where more fraction
 * digits are written than the token has.
 */
export function parseDecimal(text: string, decimals: number): bigint | DecimalError {
  const match = text.length <= DECIMAL_MAX_LENGTH ? DECIMAL.exec(text) : null;
  if (!match) return "malformed";
  const [, whole = "", behindWhole = "", fraction = behindWhole] = match;
  if (fraction.length > decimals) return "too-many-decimals";
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

/** Writes base units in human units: no exponent, no trailing zeros, `-` in front of a negative value. */
export function formatDecimal(value: bigint, decimals: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = trimTrailingZeros(digits.slice(digits.length - decimals));
  return `${value < 0n ? "-" : ""}${whole}${fraction && `.${fraction}`}`;
}

/** Cuts off the zeros at the end. By hand: the expression /0+$/ takes quadratic time where other digits follow zeros. */
export function trimTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
}

/** Formats a wad (18 decimals) in human units. */
export const formatWad = (value: bigint): string => formatDecimal(value, WAD_DECIMALS);

/** Returns the quotient of two non-negative numbers, rounded up. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}

/** Returns the product of two wads as a wad, rounded towards zero. */
export const multiplyWad = (a: bigint, b: bigint): bigint => (a * b) / WAD;

/** Returns the product of two non-negative wads as a wad, rounded up: what the chain locks and charges. */
export const multiplyWadUp = (a: bigint, b: bigint): bigint => divideUp(a * b, WAD);
