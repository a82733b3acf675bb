import { divideUp } from "../../protocol/decimal.ts";

/**
 * The Cashier's arithmetic on what the index holds of it (docs/contracts.md#cashier), so that limits and forecasts need
 * no chain read. An integration test holds it against the contract. Token amounts are base units, mUSD is wad.
 */
export interface CashTerms {
  decimals: number;
  /** Whole tokens, 6 decimals. */
  minAmount: bigint;
  /** mUSD per token, 6 decimals. */
  usdRate: bigint;
  depositPaused: boolean;
  withdrawPaused: boolean;
  withdrawBuffer: bigint;
  withdrawBufferCapacity: bigint;
  depositFeeBps: number;
  withdrawFeeBps: number;
}

/** Amounts of mUSD that may be credited at once, and that the buffer can hold. */
export interface CreditBuffer {
  creditBuffer: bigint;
  creditBufferCapacity: bigint;
}

export interface Forecast {
  isInstant: boolean;
  credit: bigint;
  fee: bigint;
}

const RATE = 1_000_000n;
const BPS = 10_000n;
const MAX_UINT96 = 2n ** 96n - 1n;

/** Returns the wad of one base unit of the token, before the rate. */
const unitWad = ({ decimals }: CashTerms): bigint => 10n ** BigInt(18 - decimals);

const lessFee = (amount: bigint, feeBps: number): bigint => amount - divideUp(amount * BigInt(feeBps), BPS);

/** Returns the mUSD that a token amount is worth, rounded down, before fees. */
const worthOf = (terms: CashTerms, amount: bigint): bigint =>
  (amount * unitWad(terms) * terms.usdRate) / RATE;

/** Returns the smallest deposit or withdrawal, in token base units. */
export const minimumOf = (terms: CashTerms): bigint =>
  divideUp(terms.minAmount * 10n ** BigInt(terms.decimals), RATE);

/** Returns what a deposit credits, and whether at once. */
export function forecastDeposit(terms: CashTerms, buffer: CreditBuffer, amount: bigint): Forecast {
  const fee = depositFee(terms, amount);
  const credit = worthOf(terms, amount) - fee;
  const isInstant =
    buffer.creditBuffer >= credit && terms.withdrawBuffer + amount <= terms.withdrawBufferCapacity;
  return { isInstant, credit, fee };
}

/** Returns the token base units that a withdrawal of an mUSD amount pays, fee deducted. */
export const payoutOf = (terms: CashTerms, amountWad: bigint): bigint =>
  (lessFee(amountWad, terms.withdrawFeeBps) * RATE) / (unitWad(terms) * terms.usdRate);

/** Returns the largest deposit that is credited at once, token base units; 0 while the token is paused. */
export function maxInstantDeposit(terms: CashTerms, buffer: CreditBuffer): bigint {
  if (terms.depositPaused) return 0n;
  const largest = last(MAX_UINT96, (amount) => forecastDeposit(terms, buffer, amount).isInstant);
  return largest < minimumOf(terms) ? 0n : largest;
}

/**
 * Returns the largest withdrawal that is paid at once, in mUSD wad, as withdrawals name it; 0 while the token is paused.
 * A multiple of what the token can represent.
 */
export function maxInstantWithdrawal(terms: CashTerms, buffer: CreditBuffer): bigint {
  if (terms.withdrawPaused) return 0n;
  const unit = unitWad(terms);
  const room = buffer.creditBufferCapacity - buffer.creditBuffer;
  const units = last(
    (room < MAX_UINT96 ? room : MAX_UINT96) / unit,
    (count) => payoutOf(terms, count * unit) <= terms.withdrawBuffer,
  );
  const largest = units * unit;
  return largest < minimumWithdrawalOf(terms) ? 0n : largest;
}

/** Returns the smallest deposit that credits at least this much mUSD (wad), token base units; null where no deposit does. */
export function depositFor(terms: CashTerms, credit: bigint): bigint | null {
  const tooLittle = last(
    MAX_UINT96,
    (amount) => lessFee(worthOf(terms, amount), terms.depositFeeBps) < credit,
  );
  const amount = tooLittle + 1n;
  const minimum = minimumOf(terms);
  if (amount > MAX_UINT96) return null;
  return amount < minimum ? minimum : amount;
}

/**
 * Returns the last number from 0 to `max` for which something holds that holds up to some point and not beyond; 0 where
 * never.
 */
function last(max: bigint, holds: (value: bigint) => boolean): bigint {
  let low = 0n;
  let high = max;
  while (low < high) {
    const middle = (low + high + 1n) / 2n;
    if (holds(middle)) low = middle;
    else high = middle - 1n;
  }
  return low;
}

/**
 * Returns what a withdrawal of an mUSD amount (wad) pays, and whether at once.
 * @returns `credit` and `fee` in token base units
 */
export function forecastWithdrawal(terms: CashTerms, buffer: CreditBuffer, amountWad: bigint): Forecast {
  const credit = payoutOf(terms, amountWad);
  const isInstant =
    credit <= terms.withdrawBuffer && buffer.creditBuffer + amountWad <= buffer.creditBufferCapacity;
  return { isInstant, credit, fee: payoutOf({ ...terms, withdrawFeeBps: 0 }, amountWad) - credit };
}

/** Returns what a withdrawal of an mUSD amount (wad) costs, mUSD wad. */
export const withdrawalFee = ({ withdrawFeeBps }: CashTerms, amountWad: bigint): bigint =>
  amountWad - lessFee(amountWad, withdrawFeeBps);

/** Returns what a deposit costs, mUSD wad. */
export function depositFee(terms: CashTerms, amount: bigint): bigint {
  const worth = worthOf(terms, amount);
  return worth - lessFee(worth, terms.depositFeeBps);
}

/** Returns the smallest withdrawal, mUSD wad. */
export const minimumWithdrawalOf = ({ minAmount, usdRate }: CashTerms): bigint => minAmount * usdRate * RATE;
