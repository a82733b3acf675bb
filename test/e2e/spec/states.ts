import type { Calldata, Order } from "../../support/http/answers.ts";
import { AMOUNT, type Cases, HASH, ok, refused, told } from "./case.ts";
import * as g from "./context.ts";

const detail = (orderId: string) => told(g.trader.get(`/orders/${orderId}`));
const limit = () => g.place(g.limitBuy());

async function cancel(orderId: string): Promise<void> {
  await g.submit(await g.data(g.trader.delete<Calldata>(`/orders/${orderId}/calldata`)));
}

const canceling = async () => {
  const order = await limit();
  await cancel(order.orderId);
  await g.orderWhen(order.txHash, "canceling", ({ onChainStatus }) => onChainStatus === "canceling");
  return order;
};

async function filled() {
  const { txHash } = await g.place(g.marketBuy());
  return g.orderWhen(txHash, "history", ({ onChainStatus }) => onChainStatus === "history");
}

const ended = (status: string) =>
  ok({ status, onChainStatus: "history", openOrder: null, historyOrder: { status } });

/** test/vectors/spec.md, section 3: states and transitions. */
export const states: Cases = {
  "3.1 text 1": [
    {
      condition: "a resting limit order, one whose cancel was asked for, and a filled market order",
      request: async () => {
        const [open, stopped] = await g.manually(async () => {
          const [one, two] = [await limit(), await canceling()];
          return Promise.all([detail(one.orderId), detail(two.orderId)]);
        });
        const end = await filled();
        return [open, stopped, end];
      },
      outcome: [
        ok({ onChainStatus: "open" }),
        ok({ onChainStatus: "canceling" }),
        { onChainStatus: "history" },
      ],
    },
  ],
  "3.1 open, settlement": [
    {
      condition: "an open market order that the broker settles",
      request: async () => {
        const order = await filled();
        const settled = g.present(order.historyOrder?.settleTxHash, "its settlement");
        return { order, mUsd: await g.mUsdBy(order.txHash), exchange: await g.exchangeBy(settled) };
      },
      outcome: {
        order: {
          status: "Filled",
          onChainStatus: "history",
          historyOrder: {
            fee: AMOUNT,
            fills: [{ quantity: AMOUNT, price: AMOUNT, fee: AMOUNT, txHash: HASH }],
          },
        },
        mUsd: "down",
        exchange: "up",
      },
    },
    {
      condition: "an open limit order that is filled in parts",
      request: () =>
        g.manually(async () => {
          const { orderId, txHash } = await limit();
          await g.control(`/orders/${orderId}/fill`, { quantity: "1", price: "2" });
          const partial = await g.orderWhen(
            txHash,
            "partly filled",
            ({ status }) => status === "Partial filled",
          );
          await g.control(`/orders/${orderId}/fill`, { price: "2" });
          const whole = await g.orderWhen(txHash, "filled", ({ status }) => status === "Filled");
          return { partial, whole };
        }),
      outcome: {
        partial: {
          onChainStatus: "open",
          openOrder: {
            filledQuantity: "1",
            fee: AMOUNT,
            fills: [{ quantity: "1", price: "2", fee: AMOUNT, txHash: HASH }],
          },
        },
        whole: { historyOrder: { filledQuantity: "3", fills: [{ quantity: "1" }, { quantity: "2" }] } },
      },
    },
  ],
  "3.1 open, cancel transaction": [
    {
      condition: "a cancel transaction for an open limit order",
      request: () => g.manually(async () => detail((await canceling()).orderId)),
      outcome: ok({ onChainStatus: "canceling", openOrder: { status: "canceling", cancelTxHash: HASH } }),
    },
    {
      condition: "a market order",
      request: () =>
        g.manually(async () =>
          told(g.trader.delete(`/orders/${(await g.place(g.marketBuy())).orderId}/calldata`)),
        ),
      outcome: refused(10002, "MARKET_ORDER_NOT_CANCELABLE"),
    },
    {
      condition: "an order that is canceling already: the API refuses, and the same transaction reverts",
      request: () =>
        g.manually(async () => {
          const { orderId } = await limit();
          const call = await g.data(g.trader.delete<Calldata>(`/orders/${orderId}/calldata`));
          const { txHash } = await g.data(g.trader.get<Order>(`/orders/${orderId}`));
          await g.submit(call);
          await g.orderWhen(
            g.present(txHash, "its transaction"),
            "canceling",
            ({ onChainStatus }) => onChainStatus === "canceling",
          );
          return {
            chain: await g.tried(call, g.user.address),
            answer: await told(g.trader.delete(`/orders/${orderId}/calldata`)),
          };
        }),
      outcome: { chain: "reverted", answer: refused(10002, "ORDER_NOT_CANCELABLE") },
    },
  ],
  "3.1 note 1": [
    {
      condition: "a limit order away from the market",
      request: async () => {
        const { orderId } = await limit();
        await g.control("/mine", { chainId: g.chain.chainId, blocks: 20 });
        return detail(orderId);
      },
      outcome: ok({ status: "New", onChainStatus: "open" }),
    },
  ],
  "3.1 note 2": [
    {
      condition: "a market order whose execution result was not received",
      request: () => g.manually(async () => detail((await g.place(g.marketBuy())).orderId)),
      outcome: ok({ status: "Pending", onChainStatus: "open", openOrder: { status: "open" } }),
    },
  ],
  "3.1 note 3": [
    {
      condition: "an open order, and the same one settled",
      request: () =>
        g.manually(async () => {
          const { orderId, txHash } = await g.place(g.marketBuy());
          const open = await detail(orderId);
          await g.control(`/orders/${orderId}/fill`);
          await g.orderWhen(txHash, "settled", ({ onChainStatus }) => onChainStatus === "history");
          return { open, settled: await detail(orderId) };
        }),
      outcome: { open: ok({ openOrder: { status: "open" }, historyOrder: null }), settled: ended("Filled") },
    },
  ],
  "3.1 note 4": [
    {
      condition: "a cancel that is granted, and a fill that wins the race",
      request: () =>
        g.manually(async () => {
          const [granted, beaten] = [await canceling(), await canceling()];
          await g.control(`/orders/${granted.orderId}/cancel`);
          await g.control(`/orders/${beaten.orderId}/fill`, { price: "2" });
          const isEnded = ({ onChainStatus }: Order) => onChainStatus === "history";
          await g.orderWhen(granted.txHash, "ended", isEnded);
          await g.orderWhen(beaten.txHash, "ended", isEnded);
          return [await detail(granted.orderId), await detail(beaten.orderId)];
        }),
      outcome: [ended("Canceled"), ended("Filled")],
    },
    {
      condition: "orders that the broker rejects and that expire",
      request: () =>
        g.manually(async () => {
          const [bad, late] = [await limit(), await limit()];
          await g.control(`/orders/${bad.orderId}/reject`);
          await g.control(`/orders/${late.orderId}/expire`);
          await g.orderWhen(bad.txHash, "rejected", ({ status }) => status === "Rejected");
          await g.orderWhen(late.txHash, "expired", ({ status }) => status === "Expired");
          return [await detail(bad.orderId), await detail(late.orderId)];
        }),
      outcome: [ended("Rejected"), ended("Expired")],
    },
  ],
  "3.2 note 1": [
    {
      condition: "an empty credit buffer: the deposit waits, and credits mUSD once it is settled",
      request: () =>
        g.manually(async () => {
          await g.creditBuffer("0");
          const { operationId, txHash } = await g.move("/cash/deposits", g.movement("7"));
          const queued = await g.operationWhen("/cash/deposits", operationId, "processing");
          await g.control(`/operations/${operationId}/settle`);
          const settled = await g.operationWhen("/cash/deposits", operationId, "completed");
          await g.releaseBuffers();
          const settlement = g.present(settled.depositOperation?.settleTxHash, "its settlement");
          return { queued, settled, atOnce: await g.mUsdBy(txHash), later: await g.mUsdBy(settlement) };
        }),
      outcome: {
        queued: { depositOperation: { isInstant: false, settledAt: null } },
        settled: { depositOperation: { settleTxHash: HASH } },
        atOnce: "same",
        later: "up",
      },
    },
  ],
  "3.2 note 2": [
    {
      condition: "an empty withdraw buffer: mUSD goes at once, the tokens come when it is settled",
      request: () =>
        g.manually(async () => {
          await g.emptyWithdrawBuffer();
          const { operationId, txHash } = await g.move("/cash/withdrawals", g.movement("6"));
          await g.operationWhen("/cash/withdrawals", operationId, "processing");
          await g.control(`/operations/${operationId}/settle`);
          const paid = await g.operationWhen("/cash/withdrawals", operationId, "completed");
          await g.releaseBuffers();
          const settlement = g.present(paid.withdrawalOperation?.settleTxHash, "its settlement");
          return {
            atOnce: { mUsd: await g.mUsdBy(txHash), wallet: await g.walletBy(txHash) },
            later: { mUsd: await g.mUsdBy(settlement), wallet: await g.walletBy(settlement) },
          };
        }),
      outcome: { atOnce: { mUsd: "down", wallet: "same" }, later: { mUsd: "same", wallet: "up" } },
    },
  ],
  "3.2 note 3": [
    {
      condition: "a queued deposit is no failure; one that failed says so",
      request: () =>
        g.manually(async () => {
          await g.creditBuffer("0");
          const { operationId } = await g.move("/cash/deposits", g.movement("8"));
          const queued = await g.operationWhen("/cash/deposits", operationId, "processing");
          await g.control(`/operations/${operationId}/fail`);
          const failed = await g.operationWhen("/cash/deposits", operationId, "failed");
          await g.releaseBuffers();
          return { queued, failed };
        }),
      outcome: {
        queued: { depositOperation: { failReason: null } },
        failed: { depositOperation: { status: "failed" } },
      },
    },
  ],
  "3.2 note 4": [
    {
      condition: "a transaction that is recorded before anybody has mined it",
      request: async () => {
        const txHash = `0x${"5e".repeat(31)}${Math.floor(Math.random() * 256)
          .toString(16)
          .padStart(2, "0")}`;
        await g.data(g.trader.post("/cash/deposits/tx", { txHash }));
        return told(g.trader.get("/cash/deposits", { txHash }));
      },
      outcome: ok({ rows: [{ operationId: null, operationStatus: "pending" }] }),
    },
  ],
  "3.3 note 1": [
    {
      condition: "delegation enabled, then disabled",
      request: async () => {
        const sent = await g.send("/orders/send", g.marketBuy());
        const on = await told(g.trader.get("/1ct/status"));
        await g.data(g.trader.post("/1ct/disable"));
        return { sent: sent.body, on, blocked: await told(g.trader.post("/orders/send", g.marketBuy())) };
      },
      outcome: {
        sent: { code: 200 },
        on: ok({ status: "enable" }),
        blocked: refused(10002, "DELEGATION_NOT_ENABLED"),
      },
    },
  ],
  "3.3 note 2": [
    {
      condition: "delegation disabled, and enabled again",
      request: async () => {
        await g.data(g.trader.post("/1ct/disable"));
        const off = await told(g.trader.get("/1ct/status"));
        const again = await told(g.enable());
        return { off, again, on: await told(g.trader.get("/1ct/status")) };
      },
      outcome: {
        off: ok({ status: "disabled" }),
        again: ok({ status: "enable" }),
        on: ok({ status: "enable" }),
      },
    },
  ],
};
