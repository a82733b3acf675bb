import type { Hex } from "viem";
import { z } from "zod";
import { type AtBlock, readAtBlock } from "../db/checkpoint.ts";
import { Prisma, type PrismaClient } from "../db/generated/client.ts";
import type { ProductId } from "../protocol/shapes.ts";

const schema = z.object({ symbol: z.string() });

/** Returns the symbol of a listed stock token, or null. @throws ApiError INDEXER_BEHIND */
export async function readSymbol(
  prisma: PrismaClient,
  { chainId, productType }: ProductId,
  token: Hex,
): Promise<AtBlock<string | null>> {
  const { block, data } = await readAtBlock(
    prisma,
    chainId,
    Prisma.sql`SELECT symbol FROM onchain.stock_token
      WHERE chain_id = ${chainId} AND product_type = ${productType} AND token_address = ${token}`,
  );
  return { block, data: data[0] ? schema.parse(data[0]).symbol : null };
}
