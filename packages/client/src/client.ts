import type { Answer } from "./answer.ts";
import { Events } from "./events.ts";
import { Groups } from "./generated/methods.ts";
import { type ClientOptions, readOptions, type SendOptions } from "./options.ts";
import { Orders } from "./orders.ts";
import { Prices } from "./prices.ts";
import type { Method, RequestParts } from "./request.ts";
import { Transport } from "./transport.ts";

/**
 * A client of the partner trading API, for one key on one chain and product.
 *
 *     const trading = new PartnerTrading({ baseUrl, apiKey, apiSecret, chainId: 1, productType: "Stocks" });
 *     const { rows } = await trading.orders.list({ status: "New" });
 */
export class PartnerTrading extends Groups {
  override readonly orders: Orders;
  override readonly events: Events;
  override readonly prices: Prices;
  readonly #transport: Transport;

  /** @throws TypeError naming the option that is missing or wrong */
  constructor(options: ClientOptions = {}) {
    const transport = new Transport(readOptions(options));
    super(transport);
    this.#transport = transport;
    this.orders = new Orders(transport);
    this.events = new Events(transport);
    this.prices = new Prices(transport);
  }

  /**
   * The server's time minus this machine's, milliseconds, from the latest answer; null before the first. Requests are refused
   * from 45,000 on, either way: set the machine's clock, or give the client `clock: () => Date.now() + skew`.
   */
  get clockSkewMs(): number | null {
    return this.#transport.clockSkewMs;
  }

  /** Makes any call, signed and repeated like those of the methods. `path` is as in the reference: `/orders`. */
  request<T = unknown>(
    method: Method,
    path: string,
    parts: RequestParts & SendOptions = {},
  ): Promise<Answer<T>> {
    return this.#transport.send<T>(method, path, parts, parts);
  }
}
