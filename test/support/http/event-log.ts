import type { Order } from "./answers.ts";
import type { Partner } from "./partner.ts";

/** An event as the log, streams and webhooks have it. */
export interface LoggedEvent {
  eventId: string;
  sequence: number;
  type: string;
  resource: string;
  retracts: string | null;
  data: Record<string, unknown> & { mapping?: { mappingId: string } | null };
}

interface Page<T> {
  rows: T[];
  nextCursor: string | null;
}

/** Reads the whole log of a key. */
export async function readLog(partner: Partner): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  let after = "";
  for (;;) {
    const query = { limit: 100, ...(after ? { after } : {}) };
    const { rows, nextCursor } = await partner.must(partner.get<Page<LoggedEvent>>("/events", query));
    events.push(...rows);
    if (rows.length === 0 || nextCursor === null) return events;
    after = nextCursor;
  }
}

/** Reads all orders of a key, by mapping. */
export async function readAllOrders(partner: Partner): Promise<Map<string, Order>> {
  const orders = new Map<string, Order>();
  let cursor: string | null = "";
  while (cursor !== null) {
    const query = { limit: 100, ...(cursor ? { cursor } : {}) };
    const page: Page<Order> = await partner.must(partner.get<Page<Order>>("/orders", query));
    for (const order of page.rows) orders.set(order.mapping.mappingId, order);
    cursor = page.nextCursor;
  }
  return orders;
}

/** Returns the orders that a log folds into, by mapping (docs/events.md#reading-it). */
export function foldOrders(events: readonly LoggedEvent[]): Map<string, unknown> {
  const orders = new Map<string, unknown>();
  for (const { type, resource, data } of events) {
    if (resource !== "orders") continue;
    if (type === "mapping.removed") orders.delete(String(data.mappingId));
    else orders.set(data.mapping?.mappingId ?? "", data);
  }
  return orders;
}

/** Returns what an event is about: events of one object are delivered in their order. */
export const objectOf = ({ resource, data }: LoggedEvent): string =>
  `${resource} ${data.mapping?.mappingId ?? data.mappingId ?? data.requestId}`;
