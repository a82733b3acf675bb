import { z } from "zod";
import { type AtBlock, readAtBlock } from "../db/checkpoint.ts";
import { Prisma, type PrismaClient } from "../db/generated/client.ts";
import { type Scope, type StockToken, stockTokenSchema, stockTokensJson } from "../db/tokens.ts";

const schema = z.object({ tokens: z.array(stockTokenSchema) });

/** The stock tokens of a chain and product, oldest listing first. */
export async function readStockTokens(prisma: PrismaClient, scope: Scope): Promise<AtBlock<StockToken[]>> {
  const { block, data } = await readAtBlock(
    prisma,
    scope.chainId,
    Prisma.sql`SELECT ${stockTokensJson(scope)} AS tokens`,
  );
  return { block, data: schema.parse(data[0]).tokens };
}
