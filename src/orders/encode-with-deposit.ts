import { encodeFunctionData, getAddress, type Hex } from "viem";
import { type RouterCall, routerCall } from "../calldata/calldata.ts";
import { stockRouterAbi } from "../contracts/abi/index.ts";
import { TIME_IN_FORCE } from "../protocol/enums.ts";
import type { OrderCall } from "./encode.ts";

/** The deposit of an order: a cash token on a buy, the stock itself on a sell. */
export interface PaidIn {
  /** Lower case. */
  token: Hex;
  /** Base units. */
  amount: bigint;
}

const abi = stockRouterAbi;
const tif = TIME_IN_FORCE.DAY;

/** Encodes a deposit and an order in one call of the router (docs/contracts.md#stockrouter). */
export function encodeOrderWithDeposit(order: OrderCall, deposit: PaidIn): RouterCall {
  const { side } = order.terms;
  return side === "Buy" ? encodeBuy(order, deposit) : encodeSell(order, deposit);
}

function encodeBuy(
  { router, stockAddress, deadline, terms }: OrderCall,
  { token, amount }: PaidIn,
): RouterCall {
  const shown = {
    depositToken: getAddress(token),
    depositAmount: `${amount}`,
    stockToken: getAddress(stockAddress),
    deadline: `${deadline}`,
  };
  if (terms.type === "Market") {
    if (terms.side !== "Buy") throw new Error("a sell is encoded by encodeSell");
    const functionName = "depositAndMarketBuy";
    const args = [token, amount, stockAddress, terms.notional, deadline] as const;
    const callData = encodeFunctionData({ abi, functionName, args });
    return routerCall(router, functionName, callData, { ...shown, usdAmount: `${terms.notional}` });
  }
  const { quantity, price } = terms;
  const functionName = "depositAndLimitBuy";
  const args = [token, amount, stockAddress, quantity, price, tif, deadline] as const;
  const callData = encodeFunctionData({ abi, functionName, args });
  return routerCall(router, functionName, callData, { ...shown, ...limitArgs(quantity, price) });
}

function encodeSell({ router, stockAddress, deadline, terms }: OrderCall, { amount }: PaidIn): RouterCall {
  if (!("quantity" in terms)) throw new Error("a buy is encoded by encodeBuy");
  const shown = {
    stockToken: getAddress(stockAddress),
    depositAmount: `${amount}`,
    deadline: `${deadline}`,
  };
  const sold = -terms.quantity;
  if (terms.type === "Market") {
    const functionName = "depositStockAndMarketSell";
    const callData = encodeFunctionData({ abi, functionName, args: [stockAddress, amount, sold, deadline] });
    return routerCall(router, functionName, callData, { ...shown, quantity: `${sold}` });
  }
  const functionName = "depositStockAndLimitSell";
  const args = [stockAddress, amount, sold, terms.price, tif, deadline] as const;
  const callData = encodeFunctionData({ abi, functionName, args });
  return routerCall(router, functionName, callData, { ...shown, ...limitArgs(sold, terms.price) });
}

const limitArgs = (quantity: bigint, price: bigint) => ({
  quantity: `${quantity}`,
  price: `${price}`,
  tif: `${tif}`,
});
