import type { Claim } from "../claims/mapping.ts";
import type {
  ChainOrderStatus,
  EndedStatus,
  OnChainStatus,
  OpenStatus,
  OrderStatus,
  OrderType,
} from "../protocol/enums.ts";

/** The columns of onchain.stock_order that decide the status of an indexed order. */
export interface ChainState {
  type: OrderType;
  status: ChainOrderStatus;
  /** Stock wad. */
  filledQuantity: bigint;
}

export type Status =
  | { status: OrderStatus; onChainStatus: OpenStatus }
  | { status: EndedStatus; onChainStatus: "history" };

const ENDED: Partial<Record<ChainOrderStatus, EndedStatus>> = {
  filled: "Filled",
  canceled: "Canceled",
  rejected: "Rejected",
  expired: "Expired",
};
const ended = (status: EndedStatus): Status => ({ status, onChainStatus: "history" });

/**
 * Returns where an order stands (docs/api.md#order-states). The chain's word counts; the claim's only where the chain has none.
 * A canceling order keeps the status it had: it may still fill.
 */
export function statusOf(chain: ChainState | null, claim: Claim["state"]): Status {
  if (chain === null)
    return claim === "reverted" ? ended("Failed") : { status: "Init", onChainStatus: "placing" };
  const end = ENDED[chain.status];
  if (end) return ended(end);
  return { status: openStatus(chain), onChainStatus: chain.status === "canceling" ? "canceling" : "open" };
}

function openStatus({ filledQuantity, type }: ChainState): OrderStatus {
  if (filledQuantity > 0n) return "Partial filled";
  return type === "Market" ? "Pending" : "New";
}

const OPEN: OrderStatus[] = ["Partial filled", "Pending", "New"];
const STATUSES: Record<OnChainStatus, OrderStatus[]> = {
  placing: ["Init"],
  open: OPEN,
  canceling: OPEN,
  history: ["Failed", "Filled", "Canceled", "Rejected", "Expired"],
};

/** Returns the statuses of orders that stand so on the chain. */
export const statusesOf = (onChainStatus: OnChainStatus): OrderStatus[] => STATUSES[onChainStatus];
