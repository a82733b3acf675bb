import { randomUUID } from "node:crypto";
import { type Address, type Hex, isHex } from "viem";
import { divideUp, formatWad, WAD } from "../../../../../src/protocol/decimal.ts";
import type { OrdersSendInput } from "../../../../client/src/index.ts";
import type { Deployment } from "../../deploy.ts";
import type { OpenOrder } from "../../settler/book.ts";
import { expireOrders, fillOrders, rejectOrders, settleCancels } from "../../settler/calls.ts";
import { FEES, type Step } from "../../transact.ts";
import { ControlError } from "../context.ts";
import { REASON_SCRIPTED } from "../orders.ts";
import {
  type Cause,
  having,
  inSeconds,
  requireSending,
  type Scene,
  walletOf,
  withoutMining,
} from "./scene.ts";

const DEADLINE_S = 3_600;
/** Least value of an order, mUSD. */
const NOTIONAL = 10n;
/** Prices of orders have 6 decimals at most. */
const PRICE_STEP = 10n ** 12n;
/** Suffices for a transaction to be mined, and not for an order. */
const GAS_TOO_LOW = 60_000n;

/** Returns the fields of a limit order that rests: at half the quote. @param index of the stock in the list of those listed */
export async function restingOrder(scene: Scene, index = 0): Promise<OrdersSendInput> {
  const { desk } = scene;
  const stock = desk.deployment.stockTokens.at(index);
  const quote = stock && (await desk.priceOf(stock.address));
  if (!quote) throw new ControlError(409, "the stock has no quote");
  const price = (quote / 2n / PRICE_STEP) * PRICE_STEP;
  return {
    stockAddress: stock.address,
    side: "Buy",
    type: "Limit",
    timeInForce: "DAY",
    quantity: `${divideUp(NOTIONAL * WAD, price)}`,
    price: formatWad(price),
    deadline: await inSeconds(scene, DEADLINE_S),
    clientOrderId: `trigger-${randomUUID()}`,
  };
}

async function sendOrder(scene: Scene, index?: number) {
  await requireSending(scene);
  return scene.trading.orders.send(await restingOrder(scene, index));
}

/** Places an order that rests. @returns its id */
async function place(scene: Scene, index?: number): Promise<Hex> {
  const { orderId } = await scene.trading.orders.waitFor(await sendOrder(scene, index), ["New"]);
  if (isHex(orderId)) return orderId;
  throw new Error(`an order has the id ${orderId}`);
}

type StepOf = (deployment: Deployment, order: OpenOrder) => Step;

/** Takes the broker's step on an order. */
const settle = ({ desk }: Scene, orderId: Hex, stepOf: StepOf) =>
  desk.exclusive(async (book) => {
    const order = book.orders.get(orderId);
    if (!order) throw new ControlError(409, `order ${orderId} is closed`);
    await desk.send(stepOf(desk.deployment, order));
  });

/** Returns the cause of what a step of the broker makes of an order. */
const settled =
  (stepOf: StepOf): Cause =>
  async (scene) => {
    const orderId = await place(scene);
    await settle(scene, orderId, stepOf);
    return scene.seen(having("orderId", orderId));
  };

/** Has the user buy the stock that is listed last. @returns its symbol */
export async function buyStock(scene: Scene): Promise<string> {
  const orderId = await place(scene, -1);
  await settle(scene, orderId, fillOf(1n));
  await scene.seen(having("orderId", orderId), { type: "order.filled" });
  return scene.desk.deployment.stockTokens.at(-1)?.stockSymbol ?? "";
}

const fillOf =
  (divisor: bigint): StepOf =>
  (deployment, order) =>
    fillOrders(deployment, [{ order, quantity: order.size / divisor, price: order.price }]);

/** Requests the cancel of an order, inside `exclusive` alone: the broker would grant it. */
async function requestCancel({ trading, seen }: Scene, orderId: Hex) {
  await trading.orders.cancelSend(orderId);
  return seen(having("orderId", orderId), { type: "order.canceling" });
}

async function cancelRequested(scene: Scene) {
  const orderId = await place(scene);
  return scene.desk.exclusive(() => requestCancel(scene, orderId));
}

async function canceled(scene: Scene) {
  const { desk, seen } = scene;
  const orderId = await place(scene);
  await desk.exclusive(async () => {
    await requestCancel(scene, orderId);
    await desk.send(settleCancels(desk.deployment, [orderId]));
  });
  return seen(having("orderId", orderId));
}

async function mapped(scene: Scene) {
  await requireSending(scene);
  const order = await restingOrder(scene);
  return withoutMining(scene, async () => {
    await scene.trading.orders.send(order);
    return scene.seen(having("mapping.clientOrderId", order.clientOrderId));
  });
}

async function placed(scene: Scene) {
  return scene.seen(having("orderId", await place(scene)));
}

/** Records a transaction of the user's wallet before it is mined, and runs out of gas. */
async function failed(scene: Scene) {
  const { desk, key, trading, seen } = scene;
  const wallet = walletOf(scene);
  const { toAddress, callData } = await trading.orders.calldata({
    ...(await restingOrder(scene)),
    userAddress: wallet.address,
  });
  const call = { to: toAddress as Address, data: callData as Hex, gas: GAS_TOO_LOW };
  const { mappingId } = await withoutMining(scene, async () => {
    const nonce = await desk.client.getTransactionCount({ address: wallet.address, blockTag: "pending" });
    const signed = await wallet.signTransaction({
      ...call,
      ...FEES,
      nonce,
      chainId: key.chainId,
      type: "eip1559",
    });
    const txHash = await desk.client.sendRawTransaction({ serializedTransaction: signed });
    return trading.orders.record({ txHash });
  });
  return seen(having("mapping.mappingId", mappingId));
}

export const orderCauses = {
  "order.mapped": mapped,
  "order.placed": placed,
  "order.partially_filled": settled(fillOf(2n)),
  "order.filled": settled(fillOf(1n)),
  "order.canceling": cancelRequested,
  "order.canceled": canceled,
  "order.rejected": settled((deployment, { orderId }) =>
    rejectOrders(deployment, [orderId], REASON_SCRIPTED),
  ),
  "order.expired": settled((deployment, { orderId }) => expireOrders(deployment, [orderId])),
  "order.failed": failed,
} satisfies Record<string, Cause>;
