import type { Hex } from "viem";
import { z } from "zod";
import {
  address,
  decimal,
  hash,
  oneOf,
  parseAmount,
  refuse,
  seconds,
  text,
} from "../context/input/fields.ts";
import { listFields, listFilters } from "../context/input/list.ts";
import { WAD_DECIMALS } from "../protocol/decimal.ts";
import { ON_CHAIN_STATUSES, ORDER_STATUSES, ORDER_TYPES, SIDES, type Side } from "../protocol/enums.ts";
import { ApiError } from "../protocol/errors.ts";

/** Every input rule of docs/api.md#order-of-checks that does not read the chain, in that order. */

/** Quantity and price: the quantity is mUSD wad on a market buy, stock wad otherwise; the price mUSD wad per token. */
export type OrderTerms =
  | { type: "Market"; side: "Buy"; notional: bigint }
  | { type: "Market"; side: "Sell"; quantity: bigint }
  | { type: "Limit"; side: Side; quantity: bigint; price: bigint };

export interface OrderInput {
  terms: OrderTerms;
  /** Lower case; this or the symbol is there. */
  stockAddress: Hex | undefined;
  symbol: string | undefined;
  /** Unix seconds. */
  deadline: number;
  /** Wallet that will submit. */
  userAddress: Hex | undefined;
  clientOrderId: string | undefined;
}

const MAX_INT96 = 2n ** 95n - 1n;
const MAX_UINT96 = 2n ** 96n - 1n;

const clientOrderId = text
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 of A-Za-z0-9_-")
  .meta({ example: "order-42" });

export const orderShape = z.object({
  stockAddress: address.optional(),
  symbol: text.meta({ example: "AAPL" }).optional(),
  side: oneOf(SIDES).optional(),
  type: oneOf(ORDER_TYPES).optional(),
  notional: decimal.optional(),
  quantity: decimal.optional(),
  price: decimal.optional(),
  timeInForce: text.meta({ example: "DAY" }).optional(),
  deadline: seconds.optional(),
  userAddress: address.optional(),
  clientOrderId: clientOrderId.optional(),
});
/** An order's request; each field has its form. */
export type OrderFields = z.output<typeof orderShape>;

/**
 * Checks an order's fields against each other, up to decimals and range. The deadline is for requireFuture.
 * @param requireMore what else a request must have, checked with what an order must have
 * @throws ApiError VALIDATION_FAILED, NOTIONAL_REQUIRED, QUANTITY_REQUIRED, PRICE_REQUIRED, TIME_IN_FORCE_REQUIRED,
 * TIME_IN_FORCE_NOT_SUPPORTED, TOO_MANY_DECIMALS
 */
export function checkOrder(
  given: OrderFields,
  requireMore: (side: Side) => void = () => undefined,
): OrderInput {
  const complete = requireFields(given);
  requireMore(complete.side);
  refuseForeignFields(given);
  if (given.timeInForce !== undefined && given.timeInForce !== "DAY") {
    throw new ApiError("TIME_IN_FORCE_NOT_SUPPORTED", { param: "timeInForce" });
  }
  const terms = readTerms(complete);
  const { stockAddress, symbol, userAddress, clientOrderId } = given;
  return { terms, stockAddress, symbol, deadline: complete.deadline, userAddress, clientOrderId };
}

/** The amounts of an order by its kind, as text. */
type Amounts =
  | { type: "Market"; side: "Buy"; notional: string }
  | { type: "Market"; side: "Sell"; quantity: string }
  | { type: "Limit"; side: Side; quantity: string; price: string };

/** Reports a missing field before a superfluous one: it shows best what the caller got wrong. */
function requireFields(given: OrderFields): Amounts & { deadline: number } {
  const { side, type, notional, quantity, price, deadline } = given;
  if (!side) throw refuse("side", "is required");
  if (!type) throw refuse("type", "is required");
  if (!given.stockAddress && !given.symbol) throw refuse("stockAddress", "or symbol is required");
  const amounts = requireAmounts(side, type, { notional, quantity, price });
  if (type === "Limit" && !given.timeInForce) {
    throw new ApiError("TIME_IN_FORCE_REQUIRED", { param: "timeInForce" });
  }
  if (deadline === undefined) throw refuse("deadline", "is required");
  return { ...amounts, deadline };
}

function requireAmounts(
  side: Side,
  type: "Market" | "Limit",
  { notional, quantity, price }: Pick<OrderFields, "notional" | "quantity" | "price">,
): Amounts {
  if (type === "Market" && side === "Buy") {
    if (notional === undefined) throw new ApiError("NOTIONAL_REQUIRED", { param: "notional" });
    return { type, side, notional };
  }
  if (quantity === undefined) throw new ApiError("QUANTITY_REQUIRED", { param: "quantity" });
  if (type === "Market") return { type, side: "Sell", quantity };
  if (price === undefined) throw new ApiError("PRICE_REQUIRED", { param: "price" });
  return { type, side, quantity, price };
}

/** Refuses a field of another kind of order: the chain would ignore it without notice to the caller. */
function refuseForeignFields({ type, side, notional, quantity, price }: OrderFields): void {
  const kind = `a ${type} ${side} order`.toLowerCase();
  const marketBuy = type === "Market" && side === "Buy";
  if (notional !== undefined && !marketBuy) throw refuse("notional", `does not belong to ${kind}`);
  if (quantity !== undefined && marketBuy) throw refuse("quantity", `does not belong to ${kind}`);
  if (price !== undefined && type === "Market") throw refuse("price", `does not belong to ${kind}`);
}

function readTerms(amounts: Amounts): OrderTerms {
  const { type, side } = amounts;
  if (type === "Market" && side === "Buy") {
    return { type, side, notional: parseAmount("notional", amounts.notional, WAD_DECIMALS, MAX_INT96) };
  }
  const quantity = parseAmount("quantity", amounts.quantity, WAD_DECIMALS, MAX_INT96);
  if (type === "Market") return { type, side, quantity };
  return { type, side, quantity, price: parseAmount("price", amounts.price, WAD_DECIMALS, MAX_UINT96) };
}

export const orderIdShape = z.object({ orderId: hash });
export const txHashShape = z.object({ txHash: hash });
export const clientOrderIdShape = z.object({ clientOrderId });

export type OrderIdInput = z.output<typeof orderIdShape>;
export type TxHashInput = z.output<typeof txHashShape>;
export type ClientOrderIdInput = z.output<typeof clientOrderIdShape>;

/** Filters of every list of orders. */
export const orderFilters = {
  status: oneOf(ORDER_STATUSES).optional(),
  onChainStatus: oneOf(ON_CHAIN_STATUSES).optional(),
  side: oneOf(SIDES).optional(),
  type: oneOf(ORDER_TYPES).optional(),
  symbol: text.meta({ example: "AAPL" }).optional(),
  stockAddress: address.optional(),
  clientOrderId: clientOrderId.optional(),
  ...listFilters,
};
export type OrderFilter = z.output<z.ZodObject<typeof orderFilters>>;

export const orderListShape = z.object({ ...orderFilters, ...listFields });
export type OrderListInput = z.output<typeof orderListShape>;
