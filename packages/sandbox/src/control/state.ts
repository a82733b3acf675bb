import { cashierAbi } from "../../../../src/contracts/abi/index.ts";
import { formatDecimal, formatWad } from "../../../../src/protocol/decimal.ts";
import type { OpenOrder, QueuedOperation } from "../settler/book.ts";
import type { Desk } from "../settler/desk.ts";
import { withdrawBufferOf } from "../settler/treasury.ts";

/** Returns one chain as GET /state shows it; amounts are decimal strings. */
export async function stateOf(desk: Desk) {
  const { client, deployment, policy, scripted } = desk;
  const cashier = { address: deployment.cashier, abi: cashierAbi } as const;
  const { orders, operations } = await desk.exclusive(async (book) => ({
    orders: [...book.orders.values()],
    operations: [...book.operations.values()],
  }));
  return {
    chainId: deployment.chainId,
    blockNumber: Number(await client.getBlockNumber({ cacheTime: 0 })),
    mining: desk.mining.isOn,
    mode: policy.mode,
    orderDelayMs: policy.orderDelayMs,
    operationDelayMs: policy.operationDelayMs,
    creditBuffer: formatWad(await client.readContract({ ...cashier, functionName: "creditBufferWad" })),
    creditBufferCapacity: formatWad(
      await client.readContract({ ...cashier, functionName: "creditBufferWadCapacity" }),
    ),
    cashTokens: await Promise.all(
      deployment.cashTokens.map(async ({ address, symbol, decimals }) => {
        const { buffer, capacity } = await withdrawBufferOf(desk, address);
        return {
          address,
          symbol,
          withdrawBuffer: formatDecimal(buffer, decimals),
          withdrawBufferCapacity: formatDecimal(capacity, decimals),
        };
      }),
    ),
    scriptedBuffers: [...scripted],
    orders: orders.map(presentOrder),
    operations: operations.map((operation) => presentOperation(desk, operation)),
  };
}

function presentOrder({ orderId, stockToken, isLimit, isBuy, size, price, filled, canceling }: OpenOrder) {
  const notional = !isLimit && isBuy;
  return {
    orderId,
    stockToken,
    side: isBuy ? "Buy" : "Sell",
    type: isLimit ? "Limit" : "Market",
    notional: notional ? formatWad(size) : null,
    quantity: notional ? null : formatWad(size),
    price: isLimit ? formatWad(price) : null,
    filled: formatWad(filled),
    canceling,
  };
}

function presentOperation({ deployment }: Desk, { operationId, kind, token, amount }: QueuedOperation) {
  const decimals =
    deployment.cashTokens.find(({ address }) => address === token.toLowerCase())?.decimals ?? 0;
  return {
    operationId,
    kind,
    token,
    /** Tokens of a deposit, mUSD of a withdrawal. */
    amount: kind === "deposit" ? formatDecimal(amount, decimals) : formatWad(amount),
  };
}
