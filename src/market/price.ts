import { erc20Abi, getAddress } from "viem";
import { type Chain, resolveScope } from "../chain/clients.ts";
import { tokenPrice } from "../chain/product/token-price.ts";
import type { StockToken } from "../chain/product/tokens.ts";
import { parseAmount } from "../chain/wallet.ts";
import type { Deps } from "../context/deps.ts";
import { findListedStock } from "../context/listed-stock.ts";
import type { AtBlock, IndexedBlock } from "../db/checkpoint.ts";
import type { Quote } from "../market-data/provider.ts";
import { formatDecimal, formatWad } from "../protocol/decimal.ts";
import { ApiError } from "../protocol/errors.ts";
import type { ProductId } from "../protocol/shapes.ts";
import type { SymbolInput } from "./input.ts";

/**
 * GET /prices/{symbol}: the quote of a stock, and its token here. The name may be the stock's symbol, the token's symbol
 * or the token's address, in any case.
 * @throws ApiError SYMBOL_NOT_FOUND, INDEXER_BEHIND, RPC_UNAVAILABLE, MARKET_DATA_UNAVAILABLE
 */
export async function getPrice(deps: Deps, scope: ProductId, { symbol }: SymbolInput) {
  const name = symbol.toUpperCase();
  const { chain } = resolveScope(deps, scope);
  const { block, data: token } = await findListedStock(deps, scope, name);
  const quote = await deps.marketData.quote(token?.symbol.toUpperCase() ?? name, token !== null);
  if (!quote) throw new ApiError(token ? "MARKET_DATA_UNAVAILABLE" : "SYMBOL_NOT_FOUND", { param: "symbol" });
  const onChain = token && {
    ...(await presentToken({ chain, scope, block }, token)),
    ...presentPerToken(quote, token.multiplier),
  };
  return { block, data: { basicInfo: quote, onChain } } satisfies AtBlock<unknown>;
}

/** Returns the quote per token, the unit of limit prices: neither bid nor ask promises more than the underlying's. */
export function presentPerToken({ price, bid, ask }: Quote, multiplier: bigint) {
  return {
    price: formatWad(tokenPrice(price, multiplier)),
    bid: bid === null ? null : formatWad(tokenPrice(bid, multiplier, "down")),
    ask: ask === null ? null : formatWad(tokenPrice(ask, multiplier, "up")),
  };
}

async function presentToken(
  { chain, scope, block }: { chain: Chain; scope: ProductId; block: IndexedBlock },
  token: StockToken,
) {
  const metadata = (await chain.tokens.metadata([token.address])).get(token.address);
  const calls = [{ address: token.address, abi: erc20Abi, functionName: "totalSupply" }];
  const { results } = (await chain.reads.at(block, calls)) ?? (await chain.reads.latest(calls));
  const decimals = metadata?.decimals ?? 18;
  return {
    chainId: scope.chainId,
    productType: scope.productType,
    contractAddress: getAddress(token.address),
    contractSymbol: metadata?.symbol ?? token.symbol,
    contractName: metadata?.name ?? token.symbol,
    decimals,
    totalSupply: formatDecimal(parseAmount(results[0]), decimals),
    multiplier: formatWad(token.multiplier),
    tradable: token.tradable,
  };
}
