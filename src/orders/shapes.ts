import type { z } from "zod";
import { gasLimitShape } from "../sending/gas.ts";
import { orderIdShape, orderShape } from "./input.ts";
import { depositShape } from "./with-deposit.ts";

/** Requirements of checkOrder that a shape cannot express: each missing field has a code of its own. */
const REQUIRED = {
  required: ["side", "type", "deadline"],
  anyOf: [{ required: ["stockAddress"] }, { required: ["symbol"] }],
};

const deadline = 1_924_992_000;
const MARKET_BUY = { symbol: "AAPL", side: "Buy", type: "Market", notional: "100", deadline };
const MARKET_SELL = { symbol: "AAPL", side: "Sell", type: "Market", quantity: "2", deadline };
const LIMIT = { type: "Limit", quantity: "2", price: "180.5", timeInForce: "DAY", deadline };
const LIMIT_BUY = { symbol: "AAPL", side: "Buy", ...LIMIT };
const LIMIT_SELL = { symbol: "AAPL", side: "Sell", ...LIMIT, clientOrderId: "order-42" };
const ORDERS = [MARKET_BUY, MARKET_SELL, LIMIT_BUY, LIMIT_SELL];

const userAddress = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const CASH = { tokenAddress: "0x5FbDB2315678afecb367f032d93F642f64180aa3", tokenAmount: "400" };
const WITH_DEPOSIT = [{ ...MARKET_BUY, ...CASH }, MARKET_SELL, { ...LIMIT_BUY, ...CASH }, LIMIT_SELL];

const sends = (orders: readonly object[]) => [...orders, { ...orders[0], gasLimit: 600_000 }];
const submitted = (orders: readonly object[]) => orders.map((order) => ({ ...order, userAddress }));

/** Schemas of the endpoints that take an order, with an example of every kind of order for the OpenAPI document. */
export const orderCalldataShape = orderShape.meta({ ...REQUIRED, requests: submitted(ORDERS) });
export const orderSendShape = orderShape
  .extend(gasLimitShape.shape)
  .meta({ ...REQUIRED, requests: sends(ORDERS) });

/** Of the two, the deposit's fields are checked first. */
export const withDepositCalldataShape = depositShape
  .extend(orderShape.shape)
  .meta({ ...REQUIRED, requests: submitted(WITH_DEPOSIT) });
export const withDepositSendShape = orderShape
  .extend(depositShape.shape)
  .extend(gasLimitShape.shape)
  .meta({ ...REQUIRED, requests: sends(WITH_DEPOSIT) });

export const cancelSendShape = orderIdShape.extend(gasLimitShape.shape);

export type OrderSendInput = z.output<typeof orderSendShape>;
export type WithDepositSendInput = z.output<typeof withDepositSendShape>;
export type CancelSendInput = z.output<typeof cancelSendShape>;
