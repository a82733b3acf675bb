import { resolveScope } from "../chain/clients.ts";
import type { TokenMetadata } from "../chain/token-metadata.ts";
import type { Deps } from "../context/deps.ts";
import type { AtBlock, IndexedBlock } from "../db/checkpoint.ts";
import type { StockToken } from "../product/tokens.ts";
import { ApiError } from "../protocol/errors.ts";
import type { ProductId } from "../protocol/shapes.ts";
import { readStockTokens } from "./store.ts";

/** The token that a name means, with its metadata; null where none is listed under that name. */
export interface ListedStock {
  block: IndexedBlock;
  token: StockToken | null;
  metadata: TokenMetadata | undefined;
}

/**
 * Finds the token of a stock symbol, token symbol or token address, upper case.
 * @throws ApiError INDEXER_BEHIND, RPC_UNAVAILABLE
 */
export async function findListedStock(deps: Deps, scope: ProductId, name: string): Promise<ListedStock> {
  const { chain } = resolveScope(deps, scope);
  const { block, data: tokens } = await readStockTokens(deps.prisma, scope);
  const metadata = await chain.tokens.metadata(tokens.map(({ address }) => address));
  // By stock symbol first: a token may call itself what another stock is called.
  const token =
    tokens.find(({ symbol }) => symbol.toUpperCase() === name) ??
    tokens.find(({ address }) => address.toUpperCase() === name) ??
    tokens.find(({ address }) => metadata.get(address)?.symbol.toUpperCase() === name) ??
    null;
  return { block, token, metadata: token ? metadata.get(token.address) : undefined };
}

/**
 * Returns the symbol of a stock in market data, upper case.
 * @throws ApiError SYMBOL_NOT_FOUND where neither this scope nor the market data knows the name
 */
export async function resolveStock(
  deps: Deps,
  scope: ProductId,
  name: string,
): Promise<{ block: AtBlock<unknown>["block"]; symbol: string }> {
  const { block, token } = await findListedStock(deps, scope, name);
  if (token) return { block, symbol: token.symbol.toUpperCase() };
  if (!(await deps.marketData.quote(name, false)))
    throw new ApiError("SYMBOL_NOT_FOUND", { param: "symbol" });
  return { block, symbol: name };
}
