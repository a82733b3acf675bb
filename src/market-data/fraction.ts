/**
 * Exact decimals and fractions. Prices reach this service as decimal text, are worked on as scaled integers, and are
 * rounded once, half up, where they leave: never through a float.
 */

/** num / den, den positive. */
export interface Fraction {
  num: bigint;
  den: bigint;
}

export const ONE: Fraction = { num: 1n, den: 1n };

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Parses decimal text (JSON number syntax, an exponent included) as a fraction.
 * @throws SyntaxError when the text is no decimal number.
 */
export function fraction(text: string): Fraction {
  return reduce(shifted(text, 0));
}

/** Returns the number times ten to the power of `by`, not reduced. */
function shifted(text: string, by: number): Fraction {
  const match = DECIMAL.exec(text);
  if (!match) throw new SyntaxError(`not a decimal number: ${text.slice(0, 40)}`);
  const [, sign = "", whole = "0", decimals = "", exponent = "0"] = match;
  const digits = BigInt(sign + whole + decimals);
  const shift = Number(exponent) - decimals.length + by;
  return shift >= 0
    ? { num: digits * 10n ** BigInt(shift), den: 1n }
    : { num: digits, den: 10n ** BigInt(-shift) };
}

export function multiply(a: Fraction, b: Fraction): Fraction {
  return reduce({ num: a.num * b.num, den: a.den * b.den });
}

/** @throws RangeError when b is zero. */
export function divide(a: Fraction, b: Fraction): Fraction {
  if (b.num === 0n) throw new RangeError("division by zero");
  const sign = b.num < 0n ? -1n : 1n;
  return reduce({ num: a.num * b.den * sign, den: a.den * b.num * sign });
}

export function subtract(a: Fraction, b: Fraction): Fraction {
  return reduce({ num: a.num * b.den - b.num * a.den, den: a.den * b.den });
}

export function add(a: Fraction, b: Fraction): Fraction {
  return reduce({ num: a.num * b.den + b.num * a.den, den: a.den * b.den });
}

/** Returns the integer nearest to the fraction, halves away from zero. */
export function round({ num, den }: Fraction): bigint {
  const half = num < 0n ? -den : den;
  return (2n * num + half) / (2n * den);
}

/**
 * Parses decimal text as an integer of `decimals` fraction digits, halves away from zero.
 * @throws SyntaxError when the text is no decimal number.
 */
export function toScaled(text: string, decimals: number): bigint {
  const { num, den } = shifted(text, decimals);
  return den === 1n ? num : round({ num, den });
}

function reduce({ num, den }: Fraction): Fraction {
  const divisor = gcd(num < 0n ? -num : num, den);
  return divisor > 1n ? { num: num / divisor, den: den / divisor } : { num, den };
}

function gcd(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return x;
}
