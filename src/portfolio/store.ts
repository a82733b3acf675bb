import type { Hex } from "viem";
import { z } from "zod";
import { type AtBlock, readSetAtBlock } from "../db/checkpoint.ts";
import { Prisma, type PrismaClient } from "../db/generated/client.ts";
import type { Select } from "../db/select.ts";
import {
  cashTokenSchema,
  cashTokensJson,
  creditBufferJson,
  creditBufferSchema,
  feeConfigJson,
  feeConfigSchema,
  stockTokenSchema,
  stockTokensJson,
} from "../product/tokens.ts";
import { type ProductId, storedAmount, storedHex } from "../protocol/shapes.ts";

const configSchema = z.object({
  cashTokens: z.array(cashTokenSchema),
  buffer: creditBufferSchema,
  fees: feeConfigSchema,
});
export type ConfigRows = z.output<typeof configSchema>;

/** Reads buffers, fees and cash tokens of a chain and product. */
export async function readConfig(prisma: PrismaClient, scope: ProductId): Promise<AtBlock<ConfigRows>> {
  const { block, data } = await readSetAtBlock(
    prisma,
    scope.chainId,
    Prisma.sql`
      SELECT ${cashTokensJson(scope)} AS "cashTokens", ${creditBufferJson(scope)} AS buffer,
        ${feeConfigJson(scope)} AS fees`,
  );
  return { block, data: configSchema.parse(data[0]) };
}

const holdingSchema = z.object({
  stockAddress: storedHex,
  available: storedAmount,
  locked: storedAmount,
  tradedQuantity: storedAmount,
  costBasis: storedAmount,
  realizedPnl: storedAmount,
});
export type Holding = z.output<typeof holdingSchema>;

const holdingsSchema = z.object({
  cash: z
    .object({ available: storedAmount, locked: storedAmount })
    .nullable()
    .transform((cash) => cash ?? { available: 0n, locked: 0n }),
  holdings: z.array(holdingSchema),
  stockTokens: z.array(stockTokenSchema),
  cashTokens: z.array(cashTokenSchema),
});
export type Holdings = z.output<typeof holdingsSchema>;

/** Returns a user's ledger and the tokens that it may hold, in one statement. */
export async function readHoldings(select: Select, scope: ProductId, user: Hex): Promise<AtBlock<Holdings>> {
  const ofUser = Prisma.sql`b.chain_id = ${scope.chainId} AND b.product_type = ${scope.productType}
    AND b.user_address = ${user}`;
  const { block, data } = await readSetAtBlock(
    select,
    scope.chainId,
    Prisma.sql`
      SELECT
        (SELECT json_build_object('available', b.available::text, 'locked', b.locked::text)
          FROM onchain.cash_balance b WHERE ${ofUser}) AS cash,
        (SELECT coalesce(json_agg(json_build_object('stockAddress', b.stock_address, 'available', b.available::text,
            'locked', b.locked::text, 'tradedQuantity', b.traded_quantity::text, 'costBasis', b.cost_basis::text,
            'realizedPnl', b.realized_pnl::text)), '[]')
          FROM onchain.stock_balance b WHERE ${ofUser}) AS holdings,
        ${stockTokensJson(scope)} AS "stockTokens",
        ${cashTokensJson(scope)} AS "cashTokens"`,
  );
  return { block, data: holdingsSchema.parse(data[0]) };
}
