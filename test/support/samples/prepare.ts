import { randomUUID } from "node:crypto";
import { present, until } from "../assert/until.ts";
import type { Send } from "../http/answers.ts";
import type { Partner } from "../http/partner.ts";
import { ensureDelegation, signDelegation } from "../sandbox/delegation.ts";
import type { SandboxState } from "../sandbox/sandbox-state.ts";
import type { Real } from "./realistic.ts";

/** A key that sends, on its chain. */
export interface Stage {
  state: SandboxState;
  partner: Partner;
  key: SandboxState["keys"][number];
  /** Takes deliveries of webhooks. */
  hookUrl: string;
}

/** Places orders, moves cash and stock, and registers a webhook: what samples in a language look up, cancel and delete. */
export async function prepareSamples({ state, partner, key, hookUrl }: Stage): Promise<Real> {
  await ensureDelegation(partner, state);
  const chain = present(
    state.chains.find(({ chainId }) => chainId === key.chainId),
    "the key's chain",
  );
  const [cashToken, stockToken] = [chain.cashTokens[0]?.address ?? "", chain.stockTokens[0]?.address ?? ""];
  const userAddress = present(key.userAddress, "the key's user");
  const { webhook } = await partner.must(
    partner.post<{ webhook: { webhookId: string } }>("/webhooks", { url: hookUrl, types: "order.*" }),
  );
  const clientOrderId = `sample-${randomUUID()}`;
  const deadline = Math.floor(Date.now() / 1000) + 3_600;
  const limit = {
    symbol: "AAPL",
    side: "Buy",
    type: "Limit",
    timeInForce: "DAY",
    quantity: "1",
    price: "1.5",
  };
  const move = (token: string, tokenAmount: string) => ({ tokenAddress: token, tokenAmount });
  const [order, canceled, deposit, withdrawal, stockDeposit, stockWithdrawal] = await Promise.all([
    sendMapped(partner, "/orders/send", { ...limit, deadline, clientOrderId }),
    sendMapped(partner, "/orders/send", { ...limit, deadline }),
    sendMapped(partner, "/cash/deposits/send", move(cashToken, "2")),
    sendMapped(partner, "/cash/withdrawals/send", move(cashToken, "1")),
    sendMapped(partner, "/stock/deposits/send", move(stockToken, "4")),
    sendMapped(partner, "/stock/withdrawals/send", move(stockToken, "1")),
  ]);
  return {
    userAddress,
    cashToken,
    stockToken,
    clientOrderId,
    hookUrl,
    ids: {
      "orders.get": order.id,
      "orders.getByTxHash": order.txHash,
      "orders.record": order.txHash,
      "orders.cancelCalldata": order.id,
      "orders.cancelSend": canceled.id,
      "cash.deposits.get": deposit.id,
      "cash.deposits.record": deposit.txHash,
      "cash.withdrawals.get": withdrawal.id,
      "cash.withdrawals.record": withdrawal.txHash,
      "stock.deposits.get": stockDeposit.id,
      "stock.deposits.record": stockDeposit.txHash,
      "stock.withdrawals.get": stockWithdrawal.id,
      "stock.withdrawals.record": stockWithdrawal.txHash,
    },
    requestId: order.requestId,
    webhookId: webhook.webhookId,
    deliveryId: await firstDelivery(partner, webhook.webhookId),
    eventCursor: await earlyCursor(partner),
    delegation: await signDelegation(partner, state, userAddress),
  };
}

interface Sent {
  requestId: string;
  txHash: string;
  /** The id of the order or operation. */
  id: string;
}

/** Sends, and waits until the index shows what came of it. */
async function sendMapped(partner: Partner, path: string, body: Record<string, unknown>): Promise<Sent> {
  const { requestId } = await partner.must(partner.post<Send>(path, body));
  return until(`${path} is indexed`, async () => {
    const { txHash, mapping } = await partner.must(partner.get<Send>(`/sends/${requestId}`));
    const id = mapping?.orderId ?? mapping?.operationId;
    return txHash && id ? { requestId, txHash, id } : undefined;
  });
}

function firstDelivery(partner: Partner, webhookId: string): Promise<string> {
  return until("a delivery", async () => {
    const { rows } = await partner.must(
      partner.get<{ rows: { deliveryId: string }[] }>(`/webhooks/${webhookId}/deliveries`),
    );
    return rows[0]?.deliveryId;
  });
}

/** Returns a place in the log of events with an order's event behind it. */
async function earlyCursor(partner: Partner): Promise<string> {
  const query = { types: "operation.*", limit: 1 };
  return (await partner.must(partner.get<{ nextCursor: string }>("/events", query))).nextCursor;
}
