import { startDeadline } from "./deadline.ts";
import { ApiError, OrderEndedError, TimeoutError } from "./errors.ts";
import { EventStream } from "./event-stream.ts";
import { isOrderEvent } from "./events.ts";
import { type OrdersMethods, SendsMethods } from "./generated/methods.ts";
import type { Order, OrderStatus, Send, TradingEvent } from "./generated/types.ts";
import type { Transport } from "./transport.ts";

/** Reference to an order: its id, the names it was sent under, its transaction, or the answer of `send`. */
export type OrderReference = string | { clientOrderId: string } | { txHash: string } | Send;

export interface WaitOptions {
  /** Milliseconds; 120,000 by default. A limit order may rest for days. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

const TIMEOUT_MS = 120_000;
const ENDED: ReadonlySet<OrderStatus> = new Set(["Filled", "Canceled", "Expired", "Rejected", "Failed"]);

/**
 * Waits until an order has one of some statuses. Opens the stream of events before it reads the order, so that no change is
 * missed between the two.
 * @throws OrderEndedError, TimeoutError, or what reading the order throws
 */
export async function waitForOrder(
  transport: Transport,
  orders: OrdersMethods,
  reference: OrderReference,
  wanted: readonly OrderStatus[],
  { timeoutMs = TIMEOUT_MS, signal }: WaitOptions,
): Promise<Order> {
  const deadline = startDeadline(timeoutMs, signal);
  const { read, matches } = finderOf(transport, orders, reference, deadline.signal);
  let status: OrderStatus | null = null;
  try {
    const stream = new EventStream(transport, { types: ["order.*"] }, { signal: deadline.signal });
    for await (const event of stream.follow()) {
      // Null is a heartbeat: the first one means that the stream is open.
      const order = event === null ? await read() : orderOf(event, matches);
      if (order && wanted.includes(order.status)) return order;
      if (order && ENDED.has(order.status)) throw endedOtherwise(order.status, order, wanted);
      status = order?.status ?? status;
    }
  } catch (error) {
    if (!deadline.signal.aborted) throw error;
  } finally {
    deadline.clear();
  }
  if (!deadline.isOver()) throw signal?.reason;
  throw new TimeoutError(
    `The order is ${status ?? "not indexed"} after ${timeoutMs} ms, not ${wanted.join(" or ")}`,
  );
}

interface Finder {
  /** Reads the order; null where it is not indexed yet. */
  read: () => Promise<Order | null>;
  /** Returns true for an event's order that is the awaited one. */
  matches: (order: Order) => boolean;
}

function finderOf(
  transport: Transport,
  orders: OrdersMethods,
  reference: OrderReference,
  signal: AbortSignal,
): Finder {
  if (typeof reference === "string") {
    const id = reference.toLowerCase();
    return { read: () => orders.get(reference, { signal }), matches: ({ orderId }) => orderId === id };
  }
  if ("requestId" in reference) return finderOfSend(new SendsMethods(transport), orders, reference, signal);
  if ("clientOrderId" in reference) {
    const { clientOrderId } = reference;
    return {
      read: () => orders.getByClientOrderId(clientOrderId, { signal }),
      matches: ({ mapping }) => mapping.clientOrderId === clientOrderId,
    };
  }
  const txHash = reference.txHash.toLowerCase();
  return {
    read: () => orders.getByTxHash(txHash, { signal, retries: 0 }).catch(ignoreNotIndexed),
    matches: (order) => order.txHash === txHash,
  };
}

function finderOfSend(sends: SendsMethods, orders: OrdersMethods, sent: Send, signal: AbortSignal): Finder {
  const mappingId = sent.mapping?.mappingId;
  return {
    read: async () => {
      const { mapping, status, final, errCode } = await sends.get(sent.requestId, { signal });
      if (mapping?.orderId) return orders.get(mapping.orderId, { signal });
      if (status !== "failed" || !final) return null;
      throw new OrderEndedError(`The order was not placed: ${errCode}`, "Failed", null);
    },
    matches: ({ mapping }) => mapping.mappingId === mappingId,
  };
}

function ignoreNotIndexed(error: unknown): null {
  if (error instanceof ApiError && error.errCode === "TRANSACTION_NOT_FOUND") return null;
  throw error;
}

function orderOf(event: TradingEvent, matches: (order: Order) => boolean): Order | null {
  return isOrderEvent(event) && matches(event.data) ? event.data : null;
}

function endedOtherwise(status: OrderStatus, order: Order, wanted: readonly OrderStatus[]): OrderEndedError {
  const reason = order.historyOrder?.failReason ? `: ${order.historyOrder.failReason}` : "";
  return new OrderEndedError(`The order ended ${status}, not ${wanted.join(" or ")}${reason}`, status, order);
}
