import { readSaleValue, type SaleValue } from "../chain/product/quoted-value.ts";
import type { StockToken } from "../chain/product/tokens.ts";
import type { Deps } from "../context/deps.ts";
import { multiplyWadUp } from "../protocol/decimal.ts";
import type { OrderTerms } from "./input.ts";

/** Values an order for the daily cap: a buy fills at its limit at most, or for its notional. */
export async function readNotional(
  deps: Deps,
  token: Pick<StockToken, "symbol" | "multiplier">,
  terms: OrderTerms,
): Promise<SaleValue> {
  const limit = terms.type === "Limit" ? terms.price : null;
  if (terms.side === "Sell") return readSaleValue(deps, token, { quantity: terms.quantity, limit });
  const notional = terms.type === "Market" ? terms.notional : multiplyWadUp(terms.quantity, terms.price);
  return { notional, unquoted: false };
}
