import { resolveScope } from "../chain/clients.ts";
import type { StockToken } from "../chain/product/tokens.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { ADDRESS, type ProductId } from "../protocol/shapes.ts";
import type { Deps } from "./deps.ts";
import { readTerms } from "./terms.ts";

type ListingDeps = Pick<Deps, "prisma" | "chains" | "deployments">;

/**
 * Finds the token of a stock symbol, token address or token symbol, in any case and in this order: a token may call itself what
 * another stock is called. Null where none is listed under that name. A token symbol is on the chain alone, so the node is asked
 * where no other name fits.
 * @throws ApiError INDEXER_BEHIND, RPC_UNAVAILABLE
 */
export async function findListedStock(
  deps: ListingDeps,
  scope: ProductId,
  name: string,
): Promise<AtBlock<StockToken | null>> {
  const { block, data } = await readTerms(deps.prisma, scope);
  const { stockTokens: tokens } = data;
  const token = findIndexed(tokens, name) ?? (await findByOwnSymbol(deps, scope, tokens, name));
  return { block, data: token };
}

/**
 * Finds the token that calls itself so, in any case; null where none does, or where the index has the name as a stock's symbol or
 * a token's address.
 * @throws ApiError INDEXER_BEHIND, RPC_UNAVAILABLE
 */
export async function findByTokenSymbol(
  deps: ListingDeps,
  scope: ProductId,
  name: string,
): Promise<StockToken | null> {
  if (ADDRESS.test(name)) return null;
  const { stockTokens: tokens } = (await readTerms(deps.prisma, scope)).data;
  return findIndexed(tokens, name) ? null : findByOwnSymbol(deps, scope, tokens, name);
}

const isSame = (a: string | undefined, b: string): boolean => a?.toUpperCase() === b.toUpperCase();

const findIndexed = (tokens: readonly StockToken[], name: string): StockToken | undefined =>
  tokens.find(({ symbol }) => isSame(symbol, name)) ?? tokens.find(({ address }) => isSame(address, name));

async function findByOwnSymbol(
  deps: ListingDeps,
  scope: ProductId,
  tokens: readonly StockToken[],
  name: string,
): Promise<StockToken | null> {
  const { chain } = resolveScope(deps, scope);
  const metadata = await chain.tokens.metadata(tokens.map(({ address }) => address));
  return tokens.find(({ address }) => isSame(metadata.get(address)?.symbol, name)) ?? null;
}
