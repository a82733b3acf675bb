import type { CreditBuffer } from "../chain/product/cashier.ts";
import {
  type CashToken,
  cashTokensOf,
  creditBufferOf,
  type FeeConfig,
  feeConfigOf,
  type StockToken,
  stockTokensOf,
} from "../chain/product/tokens.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import type { PrismaClient } from "../db/generated/client.ts";
import { readAtIndexedBlock } from "../db/index-snapshot.ts";
import { joined } from "./joined.ts";

/** The tokens of a product, and what orders and movements are checked against. */
export interface Terms {
  /** Oldest listing first, as cash tokens. */
  stockTokens: StockToken[];
  /** Those that the Cashier supports. */
  cashTokens: CashToken[];
  buffer: CreditBuffer;
  fees: FeeConfig;
}

/** Returns the terms of a product, all of one block. Requests that arrive together read them once. @throws ApiError INDEXER_BEHIND */
export const readTerms = joined<PrismaClient, void, AtBlock<Terms>>((prisma, scope) =>
  readAtIndexedBlock(prisma, scope.chainId, async (index) => {
    const stockTokens = await stockTokensOf(index, scope);
    const cashTokens = await cashTokensOf(index, scope);
    const buffer = await creditBufferOf(index, scope);
    return { stockTokens, cashTokens, buffer, fees: await feeConfigOf(index, scope) };
  }),
);
