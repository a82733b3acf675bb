/** Fees of one transaction, wei per gas. */
export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** Maximum wei per gas of any attempt. */
export interface FeeCaps {
  maxFeePerGasCap: bigint;
  maxPriorityFeeCap: bigint;
}

/** Nodes require 10% more to replace a transaction, some 12.5%. */
const BUMP_NUMERATOR = 1125n;
const BUMP_DENOMINATOR = 1000n;

/** Returns the fees of a new transaction: the base fee may double before they are too low. */
export function feesFor(baseFee: bigint, priorityFee: bigint): Fees {
  return { maxFeePerGas: baseFee * 2n + priorityFee, maxPriorityFeePerGas: priorityFee };
}

/**
 * Returns the tip of a new transaction from a node's suggestion: at least `minPriorityFee`, and at most half the cap, so that
 * replacements always have room.
 */
export function tipWithin(
  suggested: bigint,
  { minPriorityFee, maxPriorityFeeCap }: { minPriorityFee: bigint; maxPriorityFeeCap: bigint },
): bigint {
  return larger(minPriorityFee, smaller(suggested, maxPriorityFeeCap / 2n));
}

/**
 * Returns the fees of a replacement: at least 12.5% more than the highest attempt in both fees, and no less than a new
 * transaction's; null where that exceeds a cap, and the next attempt must wait for an operator or lower fees.
 */
export function bumpFees(highest: Fees, suggested: Fees, caps: FeeCaps): Fees | null {
  const raised = {
    maxFeePerGas: larger(raise(highest.maxFeePerGas), suggested.maxFeePerGas),
    maxPriorityFeePerGas: larger(raise(highest.maxPriorityFeePerGas), suggested.maxPriorityFeePerGas),
  };
  const fees = { ...raised, maxFeePerGas: larger(raised.maxFeePerGas, raised.maxPriorityFeePerGas) };
  const above =
    fees.maxFeePerGas > caps.maxFeePerGasCap || fees.maxPriorityFeePerGas > caps.maxPriorityFeeCap;
  return above ? null : fees;
}

/** Returns the suggestion within the cap: where fees are above it, a new transaction goes out at the cap, and waits. */
export function capFees(fees: Fees, capPerGas: bigint): Fees {
  const maxFeePerGas = smaller(fees.maxFeePerGas, capPerGas);
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(fees.maxPriorityFeePerGas, maxFeePerGas) };
}

/** Returns the highest fees among attempts, each of the two separately. */
export function highestFees(attempts: readonly Fees[]): Fees {
  return attempts.reduce(
    (top, fees) => ({
      maxFeePerGas: larger(top.maxFeePerGas, fees.maxFeePerGas),
      maxPriorityFeePerGas: larger(top.maxPriorityFeePerGas, fees.maxPriorityFeePerGas),
    }),
    { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
  );
}

/** Rounds up, by at least 1. */
function raise(value: bigint): bigint {
  return (value * BUMP_NUMERATOR + BUMP_DENOMINATOR - 1n) / BUMP_DENOMINATOR + 1n;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
