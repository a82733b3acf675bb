import type { Hex } from "viem";
import { z } from "zod";
import type { Viewer } from "../auth/viewer.ts";
import type { Deps } from "../context/deps.ts";
import { address, oneOf, text } from "../context/input/fields.ts";
import { findListedStock } from "../context/listed-stock.ts";
import type { BlockRead } from "../context/request.ts";
import type { Order } from "../context/schema-types.ts";
import { SIDES } from "../protocol/enums.ts";
import { ApiError } from "../protocol/errors.ts";
import { readOrders } from "./list-store.ts";

/** Orders that one call cancels at most. */
const ORDERS_MAX = 100;

/** Cost of a call that may cancel ORDERS_MAX orders: it is counted before any order is read. */
export const CANCEL_MANY_COST = 20;

export const cancelManyShape = z.object({
  symbol: text.meta({ example: "AAPL" }).optional(),
  side: oneOf(SIDES).optional(),
  userAddress: address.optional(),
});
export type CancelManyInput = z.output<typeof cancelManyShape>;

/** Limit orders that rest, as a call to cancel many finds them. */
export interface OpenOrders {
  /** Newest mapping first. */
  orders: { orderId: Hex; order: Order }[];
  /** True where there are more than one call cancels; they are behind the cursor. */
  more: boolean;
  cursor: string | null;
}

/**
 * Finds limit orders of the viewer that rest and are not being canceled, newest mapping first, at most ORDERS_MAX.
 * @param cursor continues behind an earlier answer
 * @throws ApiError TOKEN_NOT_SUPPORTED, INDEXER_BEHIND, RPC_UNAVAILABLE
 */
export async function findOpenOrders(
  deps: Deps,
  viewer: Viewer,
  { symbol, side, userAddress }: CancelManyInput,
  cursor?: string,
): Promise<BlockRead<OpenOrders>> {
  const stockAddress = symbol === undefined ? undefined : await requireStock(deps, viewer, symbol);
  const { block, data } = await readOrders(deps, viewer, {
    stockAddress,
    side,
    userAddress,
    type: "Limit",
    onChainStatus: "open",
    page: 1,
    limit: ORDERS_MAX,
    cursor,
  });
  const orders = data.rows.flatMap((order) =>
    order.orderId === null ? [] : [{ orderId: order.orderId as Hex, order }],
  );
  return { block, data: { orders, more: data.nextCursor !== null, cursor: data.nextCursor } };
}

async function requireStock(deps: Deps, viewer: Viewer, symbol: string) {
  const { data: token } = await findListedStock(deps, viewer, symbol);
  if (!token) throw new ApiError("TOKEN_NOT_SUPPORTED", { param: "symbol" });
  return token.address;
}
