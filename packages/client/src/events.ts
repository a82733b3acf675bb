import { EventStream, type StreamQuery } from "./event-stream.ts";
import { EventsMethods } from "./generated/methods.ts";
import type { Order, TradingEvent } from "./generated/types.ts";
import type { StreamOptions } from "./stream.ts";
import type { Transport } from "./transport.ts";

/** The log of the key's events: `list` reads it, `stream` follows it. */
export class Events extends EventsMethods {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /** Follows events as they happen, each once, across broken connections. `GET /events/stream` */
  stream(query: StreamQuery = {}, options: StreamOptions = {}): EventStream {
    return new EventStream(this.#transport, query, options);
  }
}

/**
 * Returns true for an event about an order, also of a type that is newer than this library. Its data then is the order, as
 * `orders.get` answers it.
 */
export function isOrderEvent(event: TradingEvent): event is Extract<TradingEvent, { data: Order }> {
  return event.type.startsWith("order.");
}
