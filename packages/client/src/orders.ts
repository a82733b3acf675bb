import { OrdersMethods } from "./generated/methods.ts";
import type { Order, OrderStatus } from "./generated/types.ts";
import type { Transport } from "./transport.ts";
import { type OrderReference, type WaitOptions, waitForOrder } from "./wait-for.ts";

/** Orders: `calldata` for the user's own wallet, `send` for users who delegated, `waitFor` to follow them. */
export class Orders extends OrdersMethods {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /**
   * Waits until the order has this status, or one of these, by the stream of events, without polling.
   * @throws OrderEndedError where the order ends in another status, TimeoutError where it takes too long
   */
  waitFor(
    order: OrderReference,
    status: OrderStatus | readonly OrderStatus[],
    options: WaitOptions = {},
  ): Promise<Order> {
    const wanted = typeof status === "string" ? [status] : status;
    return waitForOrder(this.#transport, this, order, wanted, options);
  }
}
