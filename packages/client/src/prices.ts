import { PricesMethods } from "./generated/methods.ts";
import type { ListedPrice, Session } from "./generated/types.ts";
import type { Frame } from "./sse.ts";
import { ReconnectingStream, type StreamOptions, type StreamRequest } from "./stream.ts";
import type { Transport } from "./transport.ts";

/** Quotes and histories: `list` and `get` read them, `stream` follows them. */
export class Prices extends PricesMethods {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /** Follows prices as they change, across broken connections. `GET /prices/stream` */
  stream(query: PriceStreamQuery = {}, options: StreamOptions = {}): PriceStream {
    return new PriceStream(this.#transport, query, options);
  }
}

/** Selection of a stream's prices. */
export interface PriceStreamQuery {
  /** Stock symbols, token symbols or token addresses, at most 100; all that are listed by default. */
  symbols?: readonly string[] | undefined;
}

/** The market, as the service last described it. */
export interface MarketState {
  session: Session;
  /** True while no quote is fresh. */
  stale: boolean;
  /** Server time, Unix milliseconds. */
  t: number;
}

/**
 * Prices as they change. Each connection begins with the price of each stock, so nothing is missing after one broke. Iterate it
 * once.
 */
export class PriceStream extends ReconnectingStream<ListedPrice> {
  readonly #query: PriceStreamQuery;
  #market: MarketState | null = null;

  constructor(transport: Transport, query: PriceStreamQuery, options: StreamOptions) {
    super(transport, options);
    this.#query = query;
  }

  /** The market at the last status or heartbeat; null before the first. */
  get market(): MarketState | null {
    return this.#market;
  }

  protected override request(): StreamRequest {
    return { path: "/prices/stream", query: { symbols: this.#query.symbols?.join(",") }, headers: {} };
  }

  protected override *take(
    { event }: Frame,
    data: ListedPrice | MarketState,
  ): Generator<ListedPrice | null, void, undefined> {
    if (event === "price") yield data as ListedPrice;
    if (event !== "status" && event !== "heartbeat") return;
    this.#market = data as MarketState;
    yield null;
  }
}
