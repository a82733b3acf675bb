import type { Hex } from "viem";
import { z } from "zod";
import { type CashToken, cashTokensOf, type StockToken, stockTokensOf } from "../chain/product/tokens.ts";
import { createBatcher, padded } from "../db/batch.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import type { PrismaClient } from "../db/generated/client.ts";
import { decimalAmount, readAtIndexedBlock, type Snapshot, selectOf } from "../db/index-snapshot.ts";
import { type ProductId, storedHex } from "../protocol/shapes.ts";

const cashSchema = z.object({ userAddress: storedHex, available: decimalAmount, locked: decimalAmount });
type Cash = Omit<z.output<typeof cashSchema>, "userAddress">;
const NO_CASH: Cash = { available: 0n, locked: 0n };

const holdingSchema = z.object({
  userAddress: storedHex,
  stockAddress: storedHex,
  available: decimalAmount,
  locked: decimalAmount,
  tradedQuantity: decimalAmount,
  costBasis: decimalAmount,
  realizedPnl: decimalAmount,
});
export type Holding = Omit<z.output<typeof holdingSchema>, "userAddress">;

/** A user's ledger, and the tokens that it may hold. */
export interface Holdings {
  cash: Cash;
  holdings: Holding[];
  stockTokens: StockToken[];
  cashTokens: CashToken[];
}

type ReadUser = (user: Hex) => Promise<AtBlock<Holdings>>;
const readersOf = new WeakMap<PrismaClient, Map<string, ReadUser>>();
/** The largest is a power of two: see padded. */
const BATCH = { maxItems: 64, maxRunning: 2, timeoutMs: 10_000 };

/** Returns a user's ledger and the tokens that it may hold. Users who are asked for together are read in one transaction. */
export function readHoldings(prisma: PrismaClient, scope: ProductId, user: Hex): Promise<AtBlock<Holdings>> {
  const readers = readersOf.get(prisma) ?? new Map<string, ReadUser>();
  readersOf.set(prisma, readers);
  const name = `${scope.chainId} ${scope.productType}`;
  const read =
    readers.get(name) ?? createBatcher((users: Hex[]) => readHoldingsOf(prisma, scope, users), BATCH);
  readers.set(name, read);
  return read(user);
}

async function readHoldingsOf(
  prisma: PrismaClient,
  { chainId, productType }: ProductId,
  users: Hex[],
): Promise<AtBlock<Holdings>[]> {
  const scope = { chainId, productType };
  const { data, ...read } = await readAtIndexedBlock(prisma, chainId, async (index) => {
    const ledgers = await readLedgers(index, scope, users);
    const stockTokens = await stockTokensOf(index, scope);
    return { ledgers, stockTokens, cashTokens: await cashTokensOf(index, scope) };
  });
  const { ledgers, ...tokens } = data;
  return users.map((user) => ({
    ...read,
    data: {
      cash: ledgers.cash.find(({ userAddress }) => userAddress === user) ?? NO_CASH,
      holdings: ledgers.stock.filter(({ userAddress }) => userAddress === user),
      ...tokens,
    },
  }));
}

async function readLedgers(index: Snapshot, scope: ProductId, users: readonly Hex[]) {
  const where = { ...scope, userAddress: { in: padded(users) } };
  const cash = await index.cashBalance.findMany({ where, select: selectOf(cashSchema) });
  const stock = await index.stockBalance.findMany({ where, select: selectOf(holdingSchema) });
  return {
    cash: cash.map((row) => cashSchema.parse(row)),
    stock: stock.map((row) => holdingSchema.parse(row)),
  };
}
