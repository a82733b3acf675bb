import type { TradingEvent } from "../../index.ts";
import type { Style } from "../terminal.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Returns an event on one line: when, what, and about which object. */
export function presentEvent(event: TradingEvent, paint: (style: Style, text: string) => string): string {
  const time = new Date(event.createdAt * 1000).toISOString().slice(11, 19);
  const type = paint(event.retracts === null ? "cyan" : "yellow", event.type.padEnd(22));
  const retracts = event.retracts === null ? "" : `  retracts ${event.retracts}`;
  return `${time}  ${String(event.sequence).padStart(5)}  ${type} ${subjectOf(event)}${retracts}`;
}

function subjectOf({ data, txHash }: TradingEvent): string {
  const fields = data as Fields;
  const order = (fields.openOrder ?? fields.historyOrder) as Fields | null | undefined;
  const what = order ? [order.side, order.symbol, order.notional ?? order.quantity] : [];
  const id = fields.orderId ?? fields.operationId ?? fields.requestId ?? txHash ?? "";
  return [...what, id].filter((part) => typeof part === "string" && part !== "").join(" ");
}
