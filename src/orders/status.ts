import type { Claim } from "../claims/mapping.ts";
import { Prisma } from "../db/generated/client.ts";
import type { EndedStatus, OpenStatus, OrderStatus, OrderType } from "../protocol/enums.ts";

/** What decides an order's status once it is indexed: onchain.stock_order. */
export interface ChainState {
  type: OrderType;
  status: "open" | "canceling" | "filled" | "canceled" | "rejected" | "expired";
  /** Stock wad. */
  filledQuantity: bigint;
}

export type Status =
  | { status: OrderStatus; onChainStatus: OpenStatus }
  | { status: EndedStatus; onChainStatus: "history" };

const ENDED = { filled: "Filled", canceled: "Canceled", rejected: "Rejected", expired: "Expired" } as const;

/**
 * Where an order stands (docs/api.md#order-states). The chain's word counts; the claim's only where the chain has none.
 * A canceling order keeps the status it had: it may still fill.
 */
export function statusOf(chain: ChainState | null, claim: Claim["state"]): Status {
  if (!chain) {
    return claim === "reverted"
      ? { status: "Failed", onChainStatus: "history" }
      : { status: "Init", onChainStatus: "placing" };
  }
  if (chain.status === "open" || chain.status === "canceling") {
    return { status: restingStatus(chain), onChainStatus: chain.status };
  }
  return { status: ENDED[chain.status], onChainStatus: "history" };
}

function restingStatus({ type, filledQuantity }: ChainState): OrderStatus {
  if (filledQuantity > 0n) return "Partial filled";
  return type === "Market" ? "Pending" : "New";
}

/** The same as an SQL expression over claim `c` and order `o`, for the list's filter; a test holds the two together. */
export const statusSql = Prisma.sql`
  CASE
    WHEN o.order_id IS NULL THEN CASE c.state WHEN 'reverted' THEN 'Failed' ELSE 'Init' END
    WHEN o.status IN ('open', 'canceling') THEN
      CASE WHEN o.filled_quantity > 0 THEN 'Partial filled' WHEN o.order_type = 'Market' THEN 'Pending' ELSE 'New' END
    WHEN o.status = 'filled' THEN 'Filled'
    WHEN o.status = 'canceled' THEN 'Canceled'
    WHEN o.status = 'rejected' THEN 'Rejected'
    ELSE 'Expired'
  END`;
