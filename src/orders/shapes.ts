import type { z } from "zod";
import { EXAMPLE_ADDRESS } from "../context/examples.ts";
import { gasLimitShape } from "../sending/gas.ts";
import { ORDER_REQUESTS, WITH_DEPOSIT_REQUESTS } from "./examples.ts";
import { orderIdShape, orderShape } from "./input.ts";
import { depositShape } from "./with-deposit.ts";

/** Requirements of checkOrder that a shape cannot express: each missing field has a code of its own. */
const REQUIRED = {
  required: ["side", "type", "deadline"],
  anyOf: [{ required: ["stockAddress"] }, { required: ["symbol"] }],
};

type Requests = Readonly<Record<string, object>>;

const sends = ({ marketBuy, ...others }: Requests): Requests => ({
  marketBuy: { ...marketBuy, gasLimit: 600_000 },
  ...others,
});
const submitted = (requests: Requests): Requests =>
  Object.fromEntries(
    Object.entries(requests).map(([name, request]) => [name, { ...request, userAddress: EXAMPLE_ADDRESS }]),
  );

/** Schemas of the endpoints that take an order, with an example of every kind of order for the OpenAPI document. */
export const orderCalldataShape = orderShape.meta({ ...REQUIRED, requests: submitted(ORDER_REQUESTS) });
export const orderSendShape = orderShape
  .extend(gasLimitShape.shape)
  .meta({ ...REQUIRED, requests: sends(ORDER_REQUESTS) });

/** Of the two, the deposit's fields are checked first. */
export const withDepositCalldataShape = depositShape
  .extend(orderShape.shape)
  .meta({ ...REQUIRED, requests: submitted(WITH_DEPOSIT_REQUESTS) });
export const orderPreviewShape = depositShape
  .extend(orderShape.shape)
  .meta({ ...REQUIRED, requests: submitted(ORDER_REQUESTS) });
export const withDepositSendShape = orderShape
  .extend(depositShape.shape)
  .extend(gasLimitShape.shape)
  .meta({ ...REQUIRED, requests: sends(WITH_DEPOSIT_REQUESTS) });

export const cancelSendShape = orderIdShape.extend(gasLimitShape.shape);

export type OrderSendInput = z.output<typeof orderSendShape>;
export type WithDepositSendInput = z.output<typeof withDepositSendShape>;
export type CancelSendInput = z.output<typeof cancelSendShape>;
