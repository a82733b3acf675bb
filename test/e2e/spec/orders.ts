import type { Calldata, CashCalldata, OrderList } from "../../support/http/answers.ts";
import { allOf, type Case, type Cases, HASH, LIST, listOf, ok, refused, SENT_STATUS, told } from "./case.ts";
import * as g from "./context.ts";
import { sellShortfalls } from "./shortfalls.ts";

const CALLDATA = { toAddress: g.chain.contracts.stockRouter, value: "0" };
const SENT = { status: SENT_STATUS, txHash: HASH };

const without = (order: Record<string, unknown>, field: string) => {
  const { [field]: _left, ...rest } = order;
  return rest;
};
const limitSell = () => ({ ...g.limitBuy(), side: "Sell", quantity: "0.1", price: "99999" });
const withCash = (order: Record<string, unknown>) => ({
  ...order,
  tokenAddress: g.cash.address,
  tokenAmount: "30",
});

/** Returns a case of an invalid order, which calldata and send refuse alike. */
function refusedInput(
  condition: string,
  order: () => Record<string, unknown>,
  errCode: string,
  more: object,
): Case {
  return {
    condition,
    request: async () => ({
      calldata: await told(g.trader.post("/orders/calldata", order())),
      send: await told(g.send("/orders/send", order())),
    }),
    outcome: { calldata: refused(10000, errCode, more), send: refused(10000, errCode, more) },
  };
}

const calldataOf = (
  condition: string,
  path: string,
  order: () => Record<string, unknown>,
  method: string,
): Case => ({
  condition,
  request: () => told(g.trader.post(path, order())),
  outcome: ok({ ...CALLDATA, method }),
});

/** Requests the calldata of an order for a user without assets. */
const pauperTries = (path: string, order: Record<string, unknown>) =>
  told(g.trader.post(path, { ...order, userAddress: g.pauper }));
const lacking = (...checks: string[]): object =>
  ok({ preflight: { ok: false, checks: allOf(checks.map((check) => ({ check, ok: false }))) } });

/** test/vectors/spec.md, 4.2: the endpoints of orders. */
export const orders: Cases = {
  "4.2 POST /orders/calldata": [
    calldataOf("a market buy", "/orders/calldata", g.marketBuy, "placeMarketOrder"),
    calldataOf("a market sell", "/orders/calldata", g.marketSell, "placeMarketOrder"),
    calldataOf("a limit buy", "/orders/calldata", g.limitBuy, "placeLimitOrder"),
    calldataOf("a limit sell", "/orders/calldata", limitSell, "placeLimitOrder"),
    {
      condition: "calldata that nobody submits changes nothing",
      request: async () => {
        const orders = async () =>
          g.present((await g.data(g.trader.get<OrderList>("/orders"))).total, "a total");
        const before = await orders();
        await g.data(g.trader.post("/orders/calldata", g.marketBuy()));
        return { added: (await orders()) - before };
      },
      outcome: { added: 0 },
    },
  ],
  "4.2 POST /orders/send": [
    {
      condition: "an order of the bound user, recorded by itself",
      request: async () => {
        const { body } = await g.send("/orders/send", g.marketBuy());
        return { body, order: await told(g.trader.get(`/orders/tx/${body.data.txHash}`)) };
      },
      outcome: { body: { code: 200, data: SENT }, order: ok({ mapping: { source: "send" } }) },
    },
  ],
  "4.2 POST /orders/with-deposit/calldata": (
    [
      ["a market buy", () => withCash(g.marketBuy()), "depositAndMarketBuy"],
      ["a limit buy", () => withCash(g.limitBuy()), "depositAndLimitBuy"],
      ["a market sell", g.marketSell, "depositStockAndMarketSell"],
      ["a limit sell", limitSell, "depositStockAndLimitSell"],
    ] as const
  ).map(([condition, order, method]) =>
    calldataOf(condition, "/orders/with-deposit/calldata", order, method),
  ),
  "4.2 POST /orders/with-deposit/send": [
    {
      condition: "a deposit and an order of the bound user, recorded by itself",
      request: async () => {
        const { body } = await g.send("/orders/with-deposit/send", withCash(g.marketBuy()));
        return { body, order: await told(g.trader.get(`/orders/tx/${body.data.txHash}`)) };
      },
      outcome: { body: { code: 200, data: SENT }, order: ok({ mapping: { source: "send" } }) },
    },
  ],
  "4.2 POST /orders/tx": [
    {
      condition: "a self-submitted order transaction",
      request: async () => {
        const txHash = await g.submit(
          await g.data(g.trader.post<Calldata>("/orders/calldata", g.marketBuy())),
        );
        const first = await told(g.trader.post("/orders/tx", { txHash }));
        await g.orderWhen(txHash, "indexed", ({ orderId }) => orderId !== null);
        return { first, again: await told(g.trader.post("/orders/tx", { txHash })) };
      },
      outcome: {
        first: ok({ operationType: "trade", txHash: HASH, orderId: HASH }),
        again: ok({ mappingStatus: "indexed", orderId: HASH }),
      },
    },
  ],
  "4.2 GET /orders": [
    {
      condition: "after an order of this key; another key lists none of them",
      request: async () => {
        const { txHash } = await g.place(g.marketBuy());
        const mine = await told(g.trader.get("/orders", { txHash }));
        await g.orderWhen(txHash, "history", ({ onChainStatus }) => onChainStatus === "history");
        const standing = (onChainStatus: string) =>
          told(g.trader.get("/orders", { txHash: txHash.toUpperCase(), onChainStatus }));
        return {
          mine,
          others: await told((await g.stranger()).get("/orders", { txHash })),
          history: await standing("history"),
          open: await standing("open"),
          unknown: await standing("New"),
        };
      },
      outcome: {
        mine: ok({ total: 1, rows: listOf({ orderId: HASH }) }),
        others: ok({ total: 0, rows: [] }),
        history: ok({ total: 1, rows: listOf({ orderId: HASH }) }),
        open: ok({ total: 0, rows: [] }),
        unknown: refused(10000, "VALIDATION_FAILED", { param: "onChainStatus" }),
      },
    },
  ],
  "4.2 GET /orders/tx/{txHash}": [
    {
      condition: "a recorded transaction",
      request: async () => told(g.trader.get(`/orders/tx/${(await g.place(g.marketBuy())).txHash}`)),
      outcome: ok({ orderId: HASH, orderIds: LIST }),
    },
  ],
  "4.2 GET /orders/{orderId}": [
    {
      condition: "an open order",
      request: async () => told(g.trader.get(`/orders/${(await g.place(g.limitBuy())).orderId}`)),
      outcome: ok({ openOrder: { status: "open", quantity: "3", price: "2" }, historyOrder: null }),
    },
  ],
  "4.2 DELETE /orders/{orderId}/calldata": [
    {
      condition: "an open limit order",
      request: async () => told(g.trader.delete(`/orders/${(await g.place(g.limitBuy())).orderId}/calldata`)),
      outcome: ok({ ...CALLDATA, method: "cancelLimitOrder" }),
    },
  ],
  "4.2 DELETE /orders/{orderId}/send": [
    {
      condition: "an open limit order",
      request: async () => {
        const { orderId, txHash } = await g.place(g.limitBuy());
        await g.send("/orders/send", g.marketBuy());
        const answer = await told(
          g.untilSent((options) => g.trader.delete(`/orders/${orderId}/send`, options)),
        );
        const { status } = await g.orderWhen(txHash, "canceled", (order) => order.status === "Canceled");
        return { answer, status };
      },
      outcome: { answer: ok(SENT), status: "Canceled" },
    },
  ],
  "4.2 rule 1": [
    refusedInput("no notional", () => without(g.marketBuy(), "notional"), "NOTIONAL_REQUIRED", {
      param: "notional",
    }),
  ],
  "4.2 rule 2": [
    refusedInput("no quantity", () => without(g.marketSell(), "quantity"), "QUANTITY_REQUIRED", {
      param: "quantity",
    }),
  ],
  "4.2 rule 3": [
    refusedInput("no quantity", () => without(g.limitBuy(), "quantity"), "QUANTITY_REQUIRED", {
      param: "quantity",
    }),
    refusedInput("no price", () => without(limitSell(), "price"), "PRICE_REQUIRED", { param: "price" }),
    refusedInput("no timeInForce", () => without(g.limitBuy(), "timeInForce"), "TIME_IN_FORCE_REQUIRED", {
      param: "timeInForce",
    }),
    refusedInput("GTC", () => ({ ...g.limitBuy(), timeInForce: "GTC" }), "TIME_IN_FORCE_NOT_SUPPORTED", {
      param: "timeInForce",
    }),
  ],
  "4.2 rule 4": [
    refusedInput("a past deadline", () => ({ ...g.marketBuy(), deadline: g.past() }), "DEADLINE_EXPIRED", {
      param: "deadline",
      errMsg: "deadline expired",
    }),
  ],
  "4.2 rule 5": [
    {
      condition: "a buyer without mUSD, a seller without exchange stock",
      request: async () => ({
        buy: await pauperTries("/orders/calldata", g.marketBuy()),
        sell: await pauperTries("/orders/calldata", g.marketSell()),
      }),
      outcome: {
        buy: ok({ preflight: { ok: false, revert: "InsufficientBalanceWad" } }),
        sell: ok({ preflight: { ok: false } }),
      },
    },
    {
      condition: "stock moved from the wallet to the exchange can be sold",
      request: async () => {
        await g.move("/stock/deposits", g.movement("0.1", g.stock.address));
        return told(g.trader.post("/orders/calldata", { ...g.marketSell(), userAddress: g.user.address }));
      },
      outcome: ok({ preflight: { ok: true } }),
    },
  ],
  "4.2 rule 6": [
    {
      condition: "no cash token allowance",
      request: () => pauperTries("/orders/with-deposit/calldata", withCash(g.marketBuy())),
      outcome: lacking("walletAllowance", "walletBalance"),
    },
    {
      condition: "a deposit that would not be instant",
      request: () =>
        g.manually(async () => {
          await g.creditBuffer("0");
          const isQueued = async () => {
            const { body } = await g.trader.post<CashCalldata>("/cash/deposits/calldata", g.movement("30"));
            return body.data.forecast.isInstant === false ? true : undefined;
          };
          await g.until("the empty buffer is indexed", isQueued);
          const answer = await told(g.trader.post("/orders/with-deposit/calldata", withCash(g.marketBuy())));
          await g.releaseBuffers();
          return answer;
        }),
      outcome: refused(10002, "DEPOSIT_NOT_INSTANT"),
    },
  ],
  "4.2 rule 7": [
    {
      condition: "no stock token allowance, no stock in the wallet",
      request: () => pauperTries("/orders/with-deposit/calldata", g.marketSell()),
      outcome: lacking("walletAllowance", "walletBalance"),
    },
    ...sellShortfalls,
  ],
  "4.2 rule 8": [
    {
      condition: "a market order; an order of another key; an order that has ended",
      request: () =>
        g.manually(async () => {
          const [market, resting] = [await g.place(g.marketBuy()), await g.place(g.limitBuy())];
          const stranger = await g.stranger();
          const foreign = await told(stranger.delete(`/orders/${resting.orderId}/calldata`));
          await g.control(`/orders/${resting.orderId}/cancel`);
          await g.orderWhen(resting.txHash, "canceled", ({ status }) => status === "Canceled");
          return {
            market: await told(g.trader.delete(`/orders/${market.orderId}/calldata`)),
            foreign,
            ended: await told(g.trader.delete(`/orders/${resting.orderId}/calldata`)),
          };
        }),
      outcome: {
        market: refused(10002, "MARKET_ORDER_NOT_CANCELABLE"),
        foreign: refused(10001, "ORDER_NOT_FOUND"),
        ended: refused(10002, "ORDER_NOT_CANCELABLE"),
      },
    },
  ],
  "4.2 rule 9": [
    {
      condition: "another key records the transaction of an order that this key owns",
      request: async () => {
        const { txHash } = await g.place(g.marketBuy());
        return told((await g.stranger()).post("/orders/tx", { txHash }));
      },
      outcome: refused(10002, "TX_OWNED_BY_ANOTHER_KEY"),
    },
  ],
};
