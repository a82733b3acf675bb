import type { Hex } from "viem";

/** A stock deposit or withdrawal of a transaction; addresses are lower case. */
export interface StockMovement {
  kind: "stock-deposit" | "stock-withdraw";
  userAddress: Hex;
  tokenAddress: Hex;
  amount: bigint;
  /** Order that it already pays for, or null. */
  orderId: Hex | null;
}

/** A sell that the router placed together with a deposit, from its event. */
export interface CombinedSell {
  user: Hex;
  stockToken: Hex;
  depositAmount: bigint;
}

/**
 * Finds the deposit of a combined sell. The router deposits, places and emits its event in one call, so the deposit is the last
 * fitting one before that event that pays for no other order.
 * @param movements of the transaction before the router's event, in log order
 */
export function findCombinedDeposit<T extends StockMovement>(
  movements: readonly T[],
  { user, stockToken, depositAmount }: CombinedSell,
): T | undefined {
  return movements.findLast(
    (movement) =>
      movement.kind === "stock-deposit" &&
      movement.orderId === null &&
      movement.amount === depositAmount &&
      movement.userAddress === user.toLowerCase() &&
      movement.tokenAddress === stockToken.toLowerCase(),
  );
}
