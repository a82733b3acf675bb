import type { SearchKind } from "./words.ts";

/** Something that a dashboard leads on to: SearchHit of schema/dashboard-timeline.graphql. */
export interface SearchHit {
  kind: SearchKind;
  id: string;
  chainId: number | null;
  productType: string | null;
  title: string;
}

/** Returns an order in a few words. `symbol` is null where the index does not have the stock. */
export const titleOfOrder = (order: {
  side: string;
  orderType: string;
  symbol: string | null;
  status: string;
}): string => `${order.orderType} ${order.side} ${order.symbol ?? "of an unknown stock"}, ${order.status}`;

/** Returns an operation in a few words. */
export const titleOfOperation = ({ kind, status }: { kind: string; status: string }): string =>
  `${kind.charAt(0).toUpperCase()}${kind.slice(1)}, ${status}`;

/** Returns a request to send in a few words. */
export const titleOfSend = (send: { operation: string; symbol: string | null; state: string }): string =>
  `${send.operation}${send.symbol === null ? "" : ` ${send.symbol}`}, ${send.state}`;
