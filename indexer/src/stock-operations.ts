// Stock deposits and withdrawals have no id on the chain: they are distinguished by their position within the transaction.
import type { Context } from "ponder:registry";
import { stockOperation } from "ponder:schema";
import type { Hex } from "viem";
import {
  type CombinedSell,
  findCombinedDeposit,
  type StockMovement,
} from "../../src/contracts/combined-deposit.ts";
import { stockOperationId } from "../../src/contracts/stock-operation-id.ts";
import type { ProductId } from "../../src/protocol/shapes.ts";
import { moveByCause } from "./activity.ts";
import { type ChainEvent, createdFields, type Db, productOf, recordAttribution } from "./store.ts";

interface Movement {
  kind: StockMovement["kind"];
  stockToken: Hex;
  user: Hex;
  amount: bigint;
}

/** Records a deposit into the exchange ledger or a withdrawal from it. */
export async function recordMovement(event: ChainEvent, context: Context, movement: Movement) {
  const product = productOf("stock", event);
  const { txHash, logIndex, blockNumber, createdAt } = createdFields(event);
  const ordinal = (await movementsIn(context.db, product, txHash)).length;
  const opId = stockOperationId(product.chainId, txHash, ordinal);
  await context.db.insert(stockOperation).values({
    ...product,
    opId,
    kind: movement.kind,
    userAddress: movement.user,
    tokenAddress: movement.stockToken,
    amount: movement.amount,
    txHash,
    ordinal,
    logIndex,
    blockNumber,
    createdAt,
  });
  const { kind, user, amount } = movement;
  const delta = kind === "stock-deposit" ? amount : -amount;
  const account = { product, user, stock: movement.stockToken };
  await moveByCause(event, context, account, { kind, causeId: opId, delta });
  await recordAttribution(context.db, product, event);
}

/** Links the deposit of a combined sell to its order. */
export async function linkStockDeposit(
  db: Db,
  product: ProductId,
  txHash: Hex,
  sell: CombinedSell & { orderId: Hex },
) {
  const deposit = findCombinedDeposit(await movementsIn(db, product, txHash), sell);
  if (!deposit) throw new Error(`no stock deposit in ${txHash} belongs to order ${sell.orderId}`);
  await db.update(stockOperation, { ...product, opId: deposit.opId }).set({ orderId: sell.orderId });
}

async function movementsIn(db: Db, product: ProductId, txHash: Hex) {
  const rows: (typeof stockOperation.$inferSelect)[] = [];
  for (;;) {
    const opId = stockOperationId(product.chainId, txHash, rows.length);
    const row = await db.find(stockOperation, { ...product, opId });
    if (!row) return rows;
    rows.push(row);
  }
}
