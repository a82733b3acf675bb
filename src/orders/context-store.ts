import type { Hex } from "viem";
import { isNamed, type StockToken } from "../chain/product/tokens.ts";
import { readTerms, type Terms } from "../context/terms.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import type { PrismaClient } from "../db/generated/client.ts";
import type { ProductId } from "../protocol/shapes.ts";

/** Values that an order is checked against. */
export interface OrderContext extends Pick<Terms, "fees" | "cashTokens" | "buffer"> {
  /** Token that was asked for, or null where none is listed. */
  token: StockToken | null;
}

/** Returns the token of an order (by address, and by its stock's symbol where that was given too) and the terms of trading. */
export async function readOrderContext(
  prisma: PrismaClient,
  scope: ProductId,
  { stockAddress, symbol }: { stockAddress: Hex | undefined; symbol: string | undefined },
): Promise<AtBlock<OrderContext>> {
  const { data, ...read } = await readTerms(prisma, scope);
  const { stockTokens, ...terms } = data;
  const isWanted = (token: StockToken) =>
    (stockAddress === undefined || token.address === stockAddress) &&
    (symbol === undefined || isNamed(token, symbol));
  return { ...read, data: { ...terms, token: stockTokens.find(isWanted) ?? null } };
}
