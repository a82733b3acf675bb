import { encodeFunctionData, getAddress, type Hex } from "viem";
import { type RouterCall, routerCall } from "../calldata/calldata.ts";
import { stockRouterAbi } from "../contracts/abi/index.ts";
import { TIME_IN_FORCE } from "../protocol/enums.ts";
import type { OrderTerms } from "./input.ts";

/** An order on a token; addresses lower case, the deadline in Unix seconds. */
export interface OrderCall {
  router: Hex;
  stockAddress: Hex;
  deadline: number;
  terms: OrderTerms;
}

/** Encodes an order for the router (docs/contracts.md#stockrouter): a sell carries a negative amount. */
export function encodeOrder(order: OrderCall): RouterCall {
  const { router, stockAddress, deadline, terms } = order;
  if (terms.type === "Limit") return encodeLimitOrder(order, terms);
  const amount = terms.side === "Buy" ? terms.notional : -terms.quantity;
  const callData = encodeFunctionData({
    abi: stockRouterAbi,
    functionName: "placeMarketOrder",
    args: [stockAddress, amount, deadline],
  });
  return routerCall(router, "placeMarketOrder", callData, {
    stockToken: getAddress(stockAddress),
    amount: `${amount}`,
    deadline: `${deadline}`,
  });
}

function encodeLimitOrder(
  { router, stockAddress, deadline }: OrderCall,
  { side, quantity, price }: Extract<OrderTerms, { type: "Limit" }>,
): RouterCall {
  const signed = side === "Buy" ? quantity : -quantity;
  const tif = TIME_IN_FORCE.DAY;
  const callData = encodeFunctionData({
    abi: stockRouterAbi,
    functionName: "placeLimitOrder",
    args: [stockAddress, signed, price, tif, deadline],
  });
  return routerCall(router, "placeLimitOrder", callData, {
    stockToken: getAddress(stockAddress),
    quantity: `${signed}`,
    price: `${price}`,
    tif: `${tif}`,
    deadline: `${deadline}`,
  });
}
