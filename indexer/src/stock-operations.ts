// Stock deposits and withdrawals have no id on the chain: they are told apart by their place within the transaction.
import type { Context } from "ponder:registry";
import { stockOperation } from "ponder:schema";
import type { Hex } from "viem";
import {
  type CombinedSell,
  findCombinedDeposit,
  type StockMovement,
} from "../../src/contracts/combined-deposit.ts";
import { stockOperationId } from "../../src/contracts/stock-operation-id.ts";
import type { Scope } from "../scopes.ts";
import { bornIn, type ChainEvent, type Db, keepAttribution, scopeOf } from "./store.ts";

interface Movement {
  kind: StockMovement["kind"];
  stockToken: Hex;
  user: Hex;
  amount: bigint;
}

/** Records a deposit into the exchange ledger or a withdrawal from it. */
export async function recordMovement(event: ChainEvent, context: Context, movement: Movement) {
  const scope = scopeOf("stock", event, context);
  const { txHash, logIndex, blockNumber, createdAt } = bornIn(event);
  const ordinal = (await movementsIn(context.db, scope, txHash)).length;
  await context.db.insert(stockOperation).values({
    ...scope,
    opId: stockOperationId(scope.chainId, txHash, ordinal),
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
  await keepAttribution(context.db, scope, event);
}

/** Ties the deposit of a combined sell to its order. */
export async function linkStockDeposit(
  db: Db,
  scope: Scope,
  txHash: Hex,
  sell: CombinedSell & { orderId: Hex },
) {
  const deposit = findCombinedDeposit(await movementsIn(db, scope, txHash), sell);
  if (!deposit) throw new Error(`no stock deposit in ${txHash} belongs to order ${sell.orderId}`);
  await db.update(stockOperation, { ...scope, opId: deposit.opId }).set({ orderId: sell.orderId });
}

async function movementsIn(db: Db, scope: Scope, txHash: Hex) {
  const rows: (typeof stockOperation.$inferSelect)[] = [];
  for (;;) {
    const opId = stockOperationId(scope.chainId, txHash, rows.length);
    const row = await db.find(stockOperation, { ...scope, opId });
    if (!row) return rows;
    rows.push(row);
  }
}
