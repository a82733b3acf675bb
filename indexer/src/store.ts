// Shared by handlers: the product of an event, and the columns that rows copy from it.
import type { Context } from "ponder:registry";
import { attributionSuffix, stockOrder } from "ponder:schema";
import type { Hex } from "viem";
import { splitSuffix } from "../../src/contracts/attribution-suffix.ts";
import type { ProductId } from "../../src/protocol/shapes.ts";
import { products } from "../deployed.ts";
import type { ContractName } from "../products.ts";

export type Db = Context["db"];

/** Part of Ponder's events that every handler may use. */
export interface ChainEvent {
  log: { address: Hex; logIndex: number };
  block: { number: bigint; timestamp: bigint };
  transaction: { hash: Hex; from: Hex; to: Hex | null; input: Hex; transactionIndex: number };
}

/**
 * Returns the product whose contract emitted the event.
 * @throws Error where the deployments file knows none, which Ponder's own filter excludes.
 */
export const productOf = (contract: ContractName, event: ChainEvent): ProductId =>
  products.of(contract, event.log.address);

/** Returns the columns that a new row takes from its event. */
export const createdFields = ({ transaction, log, block }: ChainEvent) => ({
  txHash: transaction.hash,
  logIndex: log.logIndex,
  blockNumber: block.number,
  createdAt: block.timestamp,
  updatedAt: block.timestamp,
  updatedBlock: block.number,
});

/** Returns the columns that every later event changes. */
export const updatedFields = ({ block }: ChainEvent) => ({
  updatedAt: block.timestamp,
  updatedBlock: block.number,
});

/** Returns the columns that the event that ends an order or operation sets. */
export const endedFields = (event: ChainEvent) => ({
  settleTxHash: event.transaction.hash,
  settledAt: event.block.timestamp,
  ...updatedFields(event),
});

/**
 * Returns a copy of the columns that events read of an existing order: each update changes the result of `find` in place, and
 * copying all 30 columns of its proxy takes longer than finding it.
 * @throws Error that stops the indexer: its placing came before the product's start block, so no row can be right.
 */
export async function requireOrder(db: Db, product: ProductId, orderId: Hex) {
  const order = await db.find(stockOrder, { ...product, orderId });
  if (order) return stateOf(order);
  throw new Error(`order ${orderId} was never placed: the start block of ${product.productType} is too late`);
}

const stateOf = (order: typeof stockOrder.$inferSelect) => ({
  userAddress: order.userAddress,
  stockAddress: order.stockAddress,
  side: order.side,
  orderType: order.orderType,
  status: order.status,
  lockedRemaining: order.lockedRemaining,
  filledQuantity: order.filledQuantity,
  filledNotional: order.filledNotional,
  fee: order.fee,
  fillCount: order.fillCount,
});

/** Stores the ERC-8021 suffix of a transaction that went straight to the router, once per transaction. */
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
