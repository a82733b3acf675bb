import { z } from "zod";
import { stockTokensOf } from "../chain/product/tokens.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import type { PrismaClient } from "../db/generated/client.ts";
import { decimalAmount, readAtIndexedBlock, selectOf } from "../db/index-snapshot.ts";
import { type ProductId, storedHex } from "../protocol/shapes.ts";
import type { MultiplierChange } from "./multipliers.ts";

const changeSchema = z.object({
  tokenAddress: storedHex,
  timestamp: decimalAmount,
  oldMultiplier: decimalAmount,
  newMultiplier: decimalAmount,
});

/** Returns the symbols listed on a chain and product, upper case, and every change of their tokens' multipliers, oldest first. */
export function readMultiplierChanges(
  prisma: PrismaClient,
  scope: ProductId,
): Promise<AtBlock<{ symbols: string[]; changes: MultiplierChange[] }>> {
  const { chainId, productType } = scope;
  return readAtIndexedBlock(prisma, chainId, async (index) => {
    const tokens = await stockTokensOf(index, scope);
    const symbols = new Map(tokens.map(({ address, symbol }) => [address, symbol.toUpperCase()]));
    const rows = await index.multiplierChange.findMany({
      where: { chainId, productType },
      orderBy: [{ blockNumber: "asc" }, { logIndex: "asc" }],
      select: selectOf(changeSchema),
    });
    const changes = rows.flatMap((row) => {
      const { tokenAddress, timestamp, ...change } = changeSchema.parse(row);
      const symbol = symbols.get(tokenAddress);
      return symbol === undefined ? [] : [{ ...change, symbol, timestamp: Number(timestamp) }];
    });
    return { symbols: [...new Set(symbols.values())].sort(), changes };
  });
}
