import { groups } from "./groups.ts";
import type { Send } from "./sends.ts";

export interface PlacedOrder {
  orderId: string;
  txHash: string;
  /** Lower case. */
  user: string;
  /** Decimal mUSD. */
  notional: string;
}

/** The effects on the chain, to compare with callers' answers once every request is final. */
export interface Effects {
  /** Every market buy of the recorded users. */
  orders: readonly PlacedOrder[];
  /** The user of each API key, lower case. */
  users: ReadonlyMap<string, string>;
}

/**
 * Returns what differs between the chain and the calls of POST /orders/send: requests that never ended, confirmed ones
 * without their order, and orders that no confirmed request explains.
 */
export function effectFaults(sends: readonly Send[], { orders, users }: Effects): string[] {
  const calls = sends.filter(({ exchange }) => exchange.path === "/orders/send");
  const requests = groups(calls, ({ told }) => told?.requestId ?? null);
  const placed = groups(orders, ({ txHash }) => txHash);
  const explained = new Set<string>();
  const faults: string[] = [];
  for (const [requestId, answers] of requests) {
    const end = answers.find(({ told }) => told?.final);
    if (!end?.told) {
      faults.push(`request ${requestId} was accepted and never came to its end`);
      continue;
    }
    const { status, txHash } = end.told;
    if (status !== "confirmed" || txHash === null) continue;
    explained.add(txHash);
    const orderId = answers.find(({ told }) => told?.mapping?.orderId)?.told?.mapping?.orderId;
    const { notional } = end.exchange.body as { notional: string };
    const [order, ...others] = placed.get(txHash) ?? [];
    const isRight =
      others.length === 0 &&
      order?.user === users.get(end.exchange.apiKey) &&
      Number(order?.notional) === Number(notional) &&
      (orderId === undefined || order?.orderId === orderId);
    if (!isRight) faults.push(`request ${requestId} was confirmed, and the chain has not its one order`);
  }
  const unexplained = orders.filter(({ txHash }) => !explained.has(txHash));
  return [
    ...faults,
    ...unexplained.map(({ orderId }) => `order ${orderId} is on the chain, and no caller was told so`),
  ];
}
