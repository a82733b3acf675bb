import type { Hex } from "viem";
import { z } from "zod";
import { stockAbi } from "../../../../src/contracts/abi/index.ts";
import { decodeRevert } from "../../../../src/contracts/reverts.ts";
import type { OpenOrder } from "../settler/book.ts";
import { expireOrders, fillOrders, rejectOrders, settleCancels } from "../settler/calls.ts";
import type { Desk } from "../settler/desk.ts";
import { type ControlContext, ControlError } from "./context.ts";
import { hash, positiveWad, reason } from "./fields.ts";
import { route } from "./route.ts";

/** Reason code of a script that names none. */
export const REASON_SCRIPTED = 2;

const params = z.strictObject({ orderId: hash });

export const orderRoutes = [
  route({
    method: "POST",
    path: "/orders/:orderId/fill",
    does: "Fills an order: by default all that is left, at the quote (a limit order never worse than its limit).",
    params,
    body: z.strictObject({ quantity: positiveWad.optional(), price: positiveWad.optional() }),
    run: (context, { orderId }, { quantity, price }) =>
      onOrder(context, orderId, async (desk, order) => {
        if (!order.isLimit && quantity !== undefined) {
          throw new ControlError(400, "quantity: a market order is filled whole");
        }
        const fill = {
          order,
          quantity: quantity ?? order.size - order.filled,
          price: price ?? (await defaultPrice(desk, order)),
        };
        return desk.send(fillOrders(desk.deployment, [fill]));
      }),
  }),
  route({
    method: "POST",
    path: "/orders/:orderId/reject",
    does: "Rejects an order; what it locks goes back.",
    params,
    body: z.strictObject({ reason: reason.optional() }),
    run: (context, { orderId }, body) =>
      onOrder(context, orderId, (desk) =>
        desk.send(rejectOrders(desk.deployment, [orderId], body.reason ?? REASON_SCRIPTED)),
      ),
  }),
  route({
    method: "POST",
    path: "/orders/:orderId/cancel",
    does: "Settles the cancel of a limit order, asked for or not.",
    params,
    body: z.strictObject({}),
    run: (context, { orderId }) =>
      onOrder(context, orderId, (desk) => desk.send(settleCancels(desk.deployment, [orderId]))),
  }),
  route({
    method: "POST",
    path: "/orders/:orderId/expire",
    does: "Expires an order, as the end of the session does.",
    params,
    body: z.strictObject({}),
    run: (context, { orderId }) =>
      onOrder(context, orderId, (desk) => desk.send(expireOrders(desk.deployment, [orderId]))),
  }),
];

/** Returns the quote where it crosses, else the limit: a script's fill is unconditional. */
async function defaultPrice(desk: Desk, order: OpenOrder): Promise<bigint> {
  const quote = await desk.priceOf(order.stockToken);
  if (quote === null) throw new ControlError(409, "the stock has no quote: name a price");
  if (!order.isLimit) return quote;
  const crosses = order.isBuy ? quote <= order.price : quote >= order.price;
  return crosses ? quote : order.price;
}

async function onOrder(
  { desks }: ControlContext,
  orderId: Hex,
  work: (desk: Desk, order: OpenOrder) => Promise<Hex[]>,
) {
  for (const desk of desks.values()) {
    const transactions = await desk.exclusive(async (book) => {
      const order = book.orders.get(orderId);
      return order && (await work(desk, order));
    });
    if (transactions) return { chainId: desk.deployment.chainId, orderId, txHash: transactions.at(-1) };
  }
  throw await notOpen([...desks.values()], orderId);
}

async function notOpen(desks: Desk[], orderId: Hex): Promise<ControlError> {
  for (const { client, deployment } of desks) {
    const known = await client
      .readContract({ address: deployment.stock, abi: stockAbi, functionName: "getOrder", args: [orderId] })
      .catch((error: unknown) => {
        if (decodeRevert(error)?.name === "OrderNotFound") return null;
        throw error;
      });
    if (known) return new ControlError(409, `order ${orderId} is closed`);
  }
  return new ControlError(404, `there is no order ${orderId}`);
}
