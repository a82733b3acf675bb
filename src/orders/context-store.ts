import type { Hex } from "viem";
import { z } from "zod";
import { type AtBlock, readSetAtBlock } from "../db/checkpoint.ts";
import { Prisma } from "../db/generated/client.ts";
import type { Select } from "../db/select.ts";
import {
  cashTokenSchema,
  cashTokensJson,
  creditBufferJson,
  creditBufferSchema,
  feeConfigJson,
  feeConfigSchema,
  namedSql,
  stockTokenSchema,
} from "../product/tokens.ts";
import type { ProductId } from "../protocol/shapes.ts";

const contextSchema = z.object({
  /** The token that was asked for, or null where none is listed. */
  token: stockTokenSchema.nullable(),
  fees: feeConfigSchema,
  cashTokens: z.array(cashTokenSchema),
  buffer: creditBufferSchema,
});

/** The values that an order is checked against. */
export type OrderContext = z.output<typeof contextSchema>;

/**
 * Returns the token of an order (by address, and by its stock's symbol where that was given too) and the terms of trading, in
 * one statement.
 */
export async function readOrderContext(
  select: Select,
  scope: ProductId,
  { stockAddress, symbol }: { stockAddress: Hex | undefined; symbol: string | undefined },
): Promise<AtBlock<OrderContext>> {
  const wanted = [
    ...(stockAddress ? [Prisma.sql`t.token_address = ${stockAddress}`] : []),
    ...(symbol === undefined ? [] : [namedSql("t", symbol)]),
  ];
  const { block, data } = await readSetAtBlock(
    select,
    scope.chainId,
    Prisma.sql`
      SELECT
        (SELECT json_build_object('address', t.token_address, 'symbol', t.symbol, 'tradable', t.tradable,
            'multiplier', t.multiplier::text)
          FROM onchain.stock_token t
          WHERE t.chain_id = ${scope.chainId} AND t.product_type = ${scope.productType}
            AND ${Prisma.join(wanted, " AND ")}
          ORDER BY t.listed_at LIMIT 1) AS token,
        ${feeConfigJson(scope)} AS fees,
        ${cashTokensJson(scope)} AS "cashTokens",
        ${creditBufferJson(scope)} AS buffer`,
  );
  return { block, data: contextSchema.parse(data[0]) };
}
