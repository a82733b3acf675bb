import { getAddress } from "viem";
import { resolveScope } from "../chain/clients.ts";
import { PRICE_STEP, tokenPrice } from "../chain/product/token-price.ts";
import type { StockToken } from "../chain/product/tokens.ts";
import type { TokenMetadata } from "../chain/token-metadata.ts";
import type { Deps } from "../context/deps.ts";
import { readTerms } from "../context/terms.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import type { Quote } from "../market-data/provider.ts";
import { formatWad, WAD } from "../protocol/decimal.ts";
import type { ProductId } from "../protocol/shapes.ts";
import type { SymbolListInput } from "./input.ts";

/** The smallest step of a token with 18 decimals: the chain knows no coarser one. */
const QUANTITY_STEP = formatWad(1n);

/**
 * GET /symbols: the tokens that take orders, also while they have no quote; with `tradable=all` every listed one.
 * @throws ApiError INDEXER_BEHIND, RPC_UNAVAILABLE, MARKET_DATA_UNAVAILABLE
 */
export async function listSymbols(
  deps: Deps,
  scope: ProductId,
  { tradable }: SymbolListInput,
): Promise<AtBlock<ReturnType<typeof presentSymbol>[]>> {
  const { chain, product } = resolveScope(deps, scope);
  const { block, data: terms } = await readTerms(deps.prisma, scope);
  const tokens = terms.stockTokens.filter((token) => tradable === "all" || token.tradable);
  const [metadata, quotes] = await Promise.all([
    chain.tokens.metadata(tokens.map(({ address }) => address)),
    deps.marketData.quotes(tokens.map(({ symbol }) => symbol.toUpperCase())),
  ]);
  const data = tokens.map((token) => {
    const quote = quotes.get(token.symbol.toUpperCase()) ?? null;
    return presentSymbol(token, metadata.get(token.address), quote, product.minNotional);
  });
  return { block, data };
}

function presentSymbol(
  token: StockToken,
  metadata: TokenMetadata | undefined,
  quote: Quote | null,
  minNotional: string,
) {
  return {
    symbol: token.symbol,
    name: quote?.name ?? metadata?.name ?? token.symbol,
    contractAddress: getAddress(token.address),
    contractSymbol: metadata?.symbol ?? token.symbol,
    contractName: metadata?.name ?? token.symbol,
    decimals: metadata?.decimals ?? 18,
    tradable: token.tradable,
    fractionable: true,
    overnightTradable: false,
    ...presentMarket(token, quote),
    logoUrl: null,
    pdfUrl: null,
    minNotional,
    quantityStep: QUANTITY_STEP,
    priceStep: formatWad(PRICE_STEP),
  };
}

/** Returns the quote per token. A change may be negative, and the multiplier's own part in it is shown by corporate actions. */
function presentMarket({ multiplier }: StockToken, quote: Quote | null) {
  return {
    price: quote && formatWad(tokenPrice(quote.price, multiplier)),
    change24H: quote?.change24H == null ? null : changePerToken(quote.change24H, multiplier),
    change24HPercent: quote?.change24HPercent ?? null,
    volume24H: quote?.volume ?? null,
    lastUpdateTimestamp: quote?.timestamp ?? null,
  };
}

function changePerToken(change: string, multiplier: bigint): string {
  if (multiplier === WAD) return change;
  const falls = change.startsWith("-");
  const size = tokenPrice(falls ? change.slice(1) : change, multiplier);
  return formatWad(falls ? -size : size);
}
