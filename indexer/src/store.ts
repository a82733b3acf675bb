// What handlers share: which product an event belongs to, what rows take over from it, and the balances it moves.
import type { Context } from "ponder:registry";
import { attributionSuffix, cashBalance, stockBalance, stockOrder } from "ponder:schema";
import type { Hex } from "viem";
import { splitSuffix } from "../../src/contracts/attribution-suffix.ts";
import type { Side } from "../../src/protocol/enums.ts";
import type { ProductId } from "../../src/protocol/shapes.ts";
import { products } from "../deployed.ts";
import type { ContractName } from "../products.ts";
import type { Position } from "./ledger.ts";

export type Db = Context["db"];

/** The part of Ponder's events that every handler may use. */
export interface ChainEvent {
  log: { address: Hex; logIndex: number };
  block: { number: bigint; timestamp: bigint };
  transaction: { hash: Hex; from: Hex; to: Hex | null; input: Hex; transactionIndex: number };
}

/**
 * Returns the product whose contract emitted the event.
 * @throws Error where the deployments file knows none, which Ponder's own filter excludes.
 */
export function productOf(
  contract: ContractName,
  event: ChainEvent,
  context: { chain: { id: number } },
): ProductId {
  return products.of(context.chain.id, contract, event.log.address);
}

/** Returns what a new row takes from its event. */
export const createdFields = ({ transaction, log, block }: ChainEvent) => ({
  txHash: transaction.hash,
  logIndex: log.logIndex,
  blockNumber: block.number,
  createdAt: block.timestamp,
  updatedAt: block.timestamp,
  updatedBlock: block.number,
});

/** Returns what every later event changes. */
export const updatedFields = ({ block }: ChainEvent) => ({
  updatedAt: block.timestamp,
  updatedBlock: block.number,
});

/** Returns what the event that ends an order or operation sets. */
export const settledFields = (event: ChainEvent) => ({
  settleTxHash: event.transaction.hash,
  settledAt: event.block.timestamp,
  ...updatedFields(event),
});

/** Adds to a user's mUSD (wad); either part may be negative. */
export async function moveCash(
  db: Db,
  product: ProductId,
  user: Hex,
  by: { available?: bigint; locked?: bigint },
) {
  const { available = 0n, locked = 0n } = by;
  await db
    .insert(cashBalance)
    .values({ ...product, userAddress: user, available, locked })
    .onConflictDoUpdate((row) => ({ available: row.available + available, locked: row.locked + locked }));
}

/** Adds to a user's exchange stock (wad); either part may be negative. `trade` is what a fill does to the position. */
export async function moveStock(
  db: Db,
  product: ProductId,
  holding: { user: Hex; stock: Hex },
  by: { available?: bigint; locked?: bigint; trade?: (position: Position) => Position },
) {
  const { available = 0n, locked = 0n, trade = (position) => position } = by;
  const empty = { tradedQuantity: 0n, costBasis: 0n, realizedPnl: 0n };
  await db
    .insert(stockBalance)
    .values({
      ...product,
      userAddress: holding.user,
      stockAddress: holding.stock,
      available,
      locked,
      ...trade(empty),
    })
    .onConflictDoUpdate((row) => ({
      available: row.available + available,
      locked: row.locked + locked,
      ...trade({
        tradedQuantity: row.tradedQuantity,
        costBasis: row.costBasis,
        realizedPnl: row.realizedPnl,
      }),
    }));
}

/** Adds to what an order locks: mUSD of a buy, stock of a sell. */
export async function moveLock(
  db: Db,
  product: ProductId,
  order: { side: Side; user: Hex; stock: Hex },
  locked: bigint,
) {
  if (order.side === "Buy") await moveCash(db, product, order.user, { locked });
  else await moveStock(db, product, order, { locked });
}

/**
 * Returns an order that must be there, as it is now: what `find` gives changes under the handler's hands with every update.
 * @throws Error that stops the indexer: its placing came before the product's start block, so no row can be right.
 */
export async function requireOrder(db: Db, product: ProductId, orderId: Hex) {
  const order = await db.find(stockOrder, { ...product, orderId });
  if (order) return { ...order };
  throw new Error(`order ${orderId} was never placed: the start block of ${product.productType} is too late`);
}

/** Stores the ERC-8021 suffix of a transaction that went straight to the router, once however much it did. */
export async function recordAttribution(db: Db, product: ProductId, { transaction, block }: ChainEvent) {
  if (!products.isRouter(product, transaction.to)) return;
  const split = splitSuffix(transaction.input);
  if (!split) return;
  await db
    .insert(attributionSuffix)
    .values({
      ...product,
      txHash: transaction.hash,
      fromAddress: transaction.from,
      ...split,
      blockNumber: block.number,
      transactionIndex: transaction.transactionIndex,
    })
    .onConflictDoNothing();
}
