import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Order, OrdersSendInput, PartnerTrading, TradingEvent } from "../../index.ts";
import { CommandError } from "../terminal.ts";
import type { Control } from "./control.ts";

const SYMBOL = "AAPL";
const POLL_MS = 100;
const WAIT_MS_MAX = 30_000;
/** Blocks that the chain may mine until a reorg begins, and one. */
const BLOCKS_APART = 4;
const DEADLINE_S = 3_600;

/** The market of a run: places orders with the program's key, and decides as the broker what becomes of them. */
export class Market {
  readonly #trading: PartnerTrading;
  readonly #control: Control;
  readonly #chainId: number;
  readonly #signal: AbortSignal;
  #price = "";
  #modeBefore = "auto";

  constructor(trading: PartnerTrading, control: Control, chainId: number, signal: AbortSignal) {
    this.#trading = trading;
    this.#control = control;
    this.#chainId = chainId;
    this.#signal = signal;
  }

  /** Keeps the broker from acting by itself on this chain, until `close`. */
  async open(): Promise<void> {
    const quote = (await this.#control.get(`/feed/quotes/${SYMBOL}`)) as { price: string };
    const state = (await this.#control.get("/state")) as { chains: { chainId: number; mode: string }[] };
    this.#modeBefore = state.chains.find(({ chainId }) => chainId === this.#chainId)?.mode ?? "auto";
    // Far below the quote, an order rests; whole dollars are exact.
    this.#price = String(Math.max(1, Math.floor(Number(quote.price) / 2)));
    await this.#setMode("manual");
  }

  close(): Promise<unknown> {
    return this.#setMode(this.#modeBefore);
  }

  #setMode(mode: string): Promise<unknown> {
    return this.#control.post("/mode", { chainId: this.#chainId, mode });
  }

  /** Returns the fields of a limit order that rests. */
  restingOrder(quantity: string): OrdersSendInput {
    const deadline = Math.floor(Date.now() / 1000) + DEADLINE_S;
    const terms = { symbol: SYMBOL, side: "Buy", type: "Limit", timeInForce: "DAY" } as const;
    return { ...terms, quantity, price: this.#price, deadline };
  }

  /** Returns the fields of an order that no balance suffices for. */
  unaffordableOrder(): OrdersSendInput {
    return this.restingOrder("100000000");
  }

  /** Places an order that rests. */
  async place(quantity: string): Promise<Order & { orderId: string }> {
    const sent = await this.#trading.orders.send({
      ...this.restingOrder(quantity),
      clientOrderId: `certify-${randomUUID()}`,
    });
    return this.orderOfSend(sent.requestId);
  }

  /** Waits until the order of a request rests. */
  async orderOfSend(requestId: string): Promise<Order & { orderId: string }> {
    const orderId = await this.until("the order of a send", async () => {
      const { mapping } = await this.#trading.sends.get(requestId);
      return mapping?.orderId ?? null;
    });
    const order = await this.waitFor(orderId, "New");
    return { ...order, orderId };
  }

  /** Waits until an order has a status, and the log says so. */
  async waitFor(orderId: string, status: string): Promise<Order> {
    return this.until(`the order to be ${status}`, async () => {
      const order = await this.#trading.orders.get(orderId);
      return order.status === status || order.onChainStatus === status ? order : null;
    });
  }

  fill(orderId: string, quantity?: string): Promise<unknown> {
    return this.#control.post(`/orders/${orderId}/fill`, quantity === undefined ? {} : { quantity });
  }

  reject(orderId: string): Promise<unknown> {
    return this.#control.post(`/orders/${orderId}/reject`, {});
  }

  /** Requests the cancel of an order; the broker grants none by itself. */
  cancel(orderId: string): Promise<unknown> {
    return this.#trading.orders.cancelSend(orderId);
  }

  /** Mines blocks, so that a reorg of later ones keeps what is below them. */
  mineApart(): Promise<unknown> {
    return this.#control.post("/mine", { chainId: this.#chainId, blocks: BLOCKS_APART });
  }

  /** Replaces the blocks of the chain from one on, and at most BLOCKS_APART below it; their transactions are dropped. */
  async takeBack(fromBlock: number): Promise<void> {
    const state = (await this.#control.get("/state")) as {
      chains: { chainId: number; blockNumber: number }[];
    };
    const head = state.chains.find(({ chainId }) => chainId === this.#chainId)?.blockNumber ?? fromBlock;
    // The chain mines meanwhile: a block each second.
    const depth = head - fromBlock + BLOCKS_APART;
    await this.#control.post("/reorg", { chainId: this.#chainId, depth, transactions: "drop" });
  }

  /** Returns the position at the end of the log. */
  async cursor(): Promise<string> {
    const { eventCursor } = await this.#trading.orders.list({ limit: 1 }).withMeta();
    if (eventCursor === null) throw new CommandError("The list of orders has no X-Event-Cursor.");
    return eventCursor;
  }

  /** Returns the events after a position, up to the first one of an order that has this type. */
  async eventsUntil(after: string, orderId: string, type: string): Promise<TradingEvent[]> {
    return this.until(`${type} in the log`, async () => {
      const events: TradingEvent[] = [];
      for await (const event of this.#trading.events.list({ after, limit: 100 })) {
        events.push(event);
        if (event.type === type && "orderId" in event.data && event.data.orderId === orderId) return events;
      }
      return null;
    });
  }

  /** Waits until a read returns something. @throws CommandError after half a minute */
  async until<T>(what: string, read: () => Promise<T | null> | T | null): Promise<T> {
    for (const endMs = Date.now() + WAIT_MS_MAX; Date.now() < endMs; ) {
      const found = await read();
      if (found !== null) return found;
      await delay(POLL_MS, null, { signal: this.#signal });
    }
    throw new CommandError(`Waited ${WAIT_MS_MAX / 1000} s in vain for ${what}.`);
  }
}
