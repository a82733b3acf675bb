import type { Hex } from "viem";
import { z } from "zod";
import { type AtBlock, readAtBlock } from "../db/checkpoint.ts";
import { Prisma, type PrismaClient } from "../db/generated/client.ts";
import {
  type CashToken,
  cashTokenSchema,
  cashTokensJson,
  creditBufferJson,
  creditBufferSchema,
} from "../product/tokens.ts";
import type { ProductId } from "../protocol/shapes.ts";

const schema = z.object({ tokens: z.array(cashTokenSchema), buffer: creditBufferSchema });

export interface CashDesk {
  /** Null where the Cashier does not support the token. */
  token: CashToken | null;
  buffer: z.output<typeof creditBufferSchema>;
}

/** Returns a cash token with its live buffers, in one statement. */
export async function readCashDesk(
  prisma: PrismaClient,
  scope: ProductId,
  tokenAddress: Hex,
): Promise<AtBlock<CashDesk>> {
  const { block, data } = await readAtBlock(
    prisma,
    scope.chainId,
    Prisma.sql`SELECT ${cashTokensJson(scope)} AS tokens, ${creditBufferJson(scope)} AS buffer`,
  );
  const { tokens, buffer } = schema.parse(data[0]);
  return { block, data: { token: tokens.find(({ address }) => address === tokenAddress) ?? null, buffer } };
}
