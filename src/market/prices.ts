import { getAddress } from "viem";
import type { StockToken } from "../chain/product/tokens.ts";
import type { Deps } from "../context/deps.ts";
import { findListedStock } from "../context/listed-stock.ts";
import { readTerms } from "../context/terms.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import type { MarketData, Quote } from "../market-data/provider.ts";
import { formatWad } from "../protocol/decimal.ts";
import { ApiError } from "../protocol/errors.ts";
import type { ProductId } from "../protocol/shapes.ts";
import type { PriceListInput } from "./input.ts";
import { presentPerToken } from "./price.ts";

/**
 * GET /prices: quotes of listed stocks, and their tokens here, in the order of `symbols`, or in that of their listing.
 * @throws ApiError SYMBOL_NOT_FOUND, INDEXER_BEHIND, RPC_UNAVAILABLE, MARKET_DATA_UNAVAILABLE
 */
export async function listPrices(
  deps: Deps,
  scope: ProductId,
  { symbols }: PriceListInput,
): Promise<AtBlock<ListedPrice[]>> {
  if (symbols === undefined) {
    const { block, data: terms } = await readTerms(deps.prisma, scope);
    return { block, data: await readPrices(deps.marketData, scope, terms.stockTokens) };
  }
  const found = await findTokens(deps, scope, symbols);
  return { block: found.block, data: await readPrices(deps.marketData, scope, found.data) };
}

/**
 * Returns the tokens that are named, each once.
 * @throws ApiError SYMBOL_NOT_FOUND where nothing is listed under a name, INDEXER_BEHIND, RPC_UNAVAILABLE
 */
export async function findTokens(
  deps: Deps,
  scope: ProductId,
  symbols: readonly [string, ...string[]],
): Promise<AtBlock<StockToken[]>> {
  const find = async (name: string) => {
    const { block, data: token } = await findListedStock(deps, scope, name);
    if (token) return { block, token };
    throw new ApiError("SYMBOL_NOT_FOUND", { param: "symbols", message: `Nothing is listed as ${name}` });
  };
  const [first, ...others] = symbols;
  const [{ block, token }, ...rest] = await Promise.all([find(first), ...others.map(find)]);
  const tokens = new Map([token, ...rest.map((one) => one.token)].map((one) => [one.address, one]));
  return { block, data: [...tokens.values()] };
}

export type ListedPrice = ReturnType<typeof presentPrice>;

/** Returns the prices of tokens, in their order. @throws ApiError MARKET_DATA_UNAVAILABLE */
export async function readPrices(
  marketData: MarketData,
  scope: ProductId,
  tokens: readonly StockToken[],
): Promise<ListedPrice[]> {
  const quotes = await marketData.quotes(tokens.map(({ symbol }) => symbol.toUpperCase()));
  return tokens.map((token) => presentPrice(scope, token, quotes.get(token.symbol.toUpperCase()) ?? null));
}

const NO_PRICE = { price: null, bid: null, ask: null };

function presentPrice({ chainId, productType }: ProductId, token: StockToken, quote: Quote | null) {
  return {
    symbol: token.symbol,
    basicInfo: quote,
    onChain: {
      chainId,
      productType,
      contractAddress: getAddress(token.address),
      multiplier: formatWad(token.multiplier),
      tradable: token.tradable,
      ...(quote ? presentPerToken(quote, token.multiplier) : NO_PRICE),
    },
  };
}
