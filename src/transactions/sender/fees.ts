/** Fees of one transaction, wei per gas. */
export interface Fees {
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/** Nodes ask for 10% more to replace a transaction, some for 12.5%. */
const BUMP_NUMERATOR = 1125n;
const BUMP_DENOMINATOR = 1000n;

/** What a new transaction offers: room for the base fee to double before it is priced out. */
export function suggestFees(baseFee: bigint, priorityFee: bigint): Fees {
  return { maxFeePerGas: baseFee * 2n + priorityFee, maxPriorityFeePerGas: priorityFee };
}

/**
 * What a replacement offers: at least 12.5% more than the highest attempt in both fees, and no less than what a new
 * transaction would; null where that is above the cap, and the next attempt must wait for a person or lower fees.
 */
export function bumpFees(highest: Fees, suggested: Fees, capPerGas: bigint): Fees | null {
  const raised = {
    maxFeePerGas: larger(raise(highest.maxFeePerGas), suggested.maxFeePerGas),
    maxPriorityFeePerGas: larger(raise(highest.maxPriorityFeePerGas), suggested.maxPriorityFeePerGas),
  };
  const fees = { ...raised, maxFeePerGas: larger(raised.maxFeePerGas, raised.maxPriorityFeePerGas) };
  return fees.maxFeePerGas > capPerGas ? null : fees;
}

/** The suggestion within the cap: a new transaction goes out at the cap where fees are above it, and waits. */
export function capFees(fees: Fees, capPerGas: bigint): Fees {
  const maxFeePerGas = smaller(fees.maxFeePerGas, capPerGas);
  return { maxFeePerGas, maxPriorityFeePerGas: smaller(fees.maxPriorityFeePerGas, maxFeePerGas) };
}

/** The highest fees among attempts, each of the two on its own. */
export function highestFees(attempts: readonly Fees[]): Fees {
  return attempts.reduce(
    (top, fees) => ({
      maxFeePerGas: larger(top.maxFeePerGas, fees.maxFeePerGas),
      maxPriorityFeePerGas: larger(top.maxPriorityFeePerGas, fees.maxPriorityFeePerGas),
    }),
    { maxFeePerGas: 0n, maxPriorityFeePerGas: 0n },
  );
}

/** Rounded up, and always up by at least 1. */
function raise(value: bigint): bigint {
  return (value * BUMP_NUMERATOR + BUMP_DENOMINATOR - 1n) / BUMP_DENOMINATOR + 1n;
}

export function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
