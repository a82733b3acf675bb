import { z } from "zod";
import { type AtBlock, readAtBlock } from "../db/checkpoint.ts";
import { Prisma, type PrismaClient } from "../db/generated/client.ts";
import { type ProductId, storedAmount, storedSeconds } from "../protocol/shapes.ts";

const changesSchema = z.object({
  symbols: z.array(z.string()),
  changes: z.array(
    z.object({
      symbol: z.string(),
      timestamp: storedSeconds,
      oldMultiplier: storedAmount,
      newMultiplier: storedAmount,
    }),
  ),
});

/** Returns the symbols listed on a chain and product, upper case, and every change of their tokens' multipliers, oldest first. */
export async function readMultiplierChanges(
  prisma: PrismaClient,
  { chainId, productType }: ProductId,
): Promise<AtBlock<z.output<typeof changesSchema>>> {
  const { block, data } = await readAtBlock(
    prisma,
    chainId,
    Prisma.sql`
      SELECT
        (SELECT coalesce(json_agg(DISTINCT upper(t.symbol)), '[]') FROM onchain.stock_token t
          WHERE t.chain_id = ${chainId} AND t.product_type = ${productType}) AS symbols,
        (SELECT coalesce(json_agg(json_build_object('symbol', upper(t.symbol), 'timestamp', m.timestamp::text,
            'oldMultiplier', m.old_multiplier::text, 'newMultiplier', m.new_multiplier::text)
            ORDER BY m.block_number, m.log_index), '[]')
          FROM onchain.multiplier_change m
          JOIN onchain.stock_token t USING (chain_id, product_type, token_address)
          WHERE m.chain_id = ${chainId} AND m.product_type = ${productType}) AS changes`,
  );
  return { block, data: changesSchema.parse(data[0]) };
}
