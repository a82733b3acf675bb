import { getAddress } from "viem";
import { resolveScope } from "../chain/clients.ts";
import { tokenPrice } from "../chain/product/token-price.ts";
import type { CashToken, StockToken } from "../chain/product/tokens.ts";
import { readSnapshot } from "../chain/snapshot.ts";
import type { TokenMetadata } from "../chain/token-metadata.ts";
import { readWallet, type WalletToken } from "../chain/wallet.ts";
import type { Deps } from "../context/deps.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { formatDecimal, formatWad } from "../protocol/decimal.ts";
import type { ProductId } from "../protocol/shapes.ts";
import type { BalanceInput } from "./input.ts";
import { quotesIfAny } from "./quotes.ts";
import { type Holding, readHoldings } from "./store.ts";

/**
 * GET /users/{userId}/balance: ledger and wallet as one snapshot of one block; prices are null while market data is down.
 * @throws ApiError INDEXER_BEHIND, RPC_UNAVAILABLE
 */
export async function getBalance(deps: Deps, scope: ProductId, input: BalanceInput) {
  const { userId: user, spenderAddress: spender = null } = input;
  const { chain } = resolveScope(deps, scope);
  const { block, data } = await readSnapshot(
    () => readHoldings(deps.prisma, scope, user),
    (at, { cashTokens, stockTokens }) => {
      const tokens = [...cashTokens, ...stockTokens].map(({ address }) => address);
      return readWallet(chain.reads, at, { user, spender, tokens });
    },
  );
  const { rows, chain: wallet } = data;
  const [metadata, quotes] = await Promise.all([
    chain.tokens.metadata([...wallet.tokens.keys()]),
    quotesIfAny(deps, rows.stockTokens),
  ]);
  const holdings = new Map(rows.holdings.map((holding) => [holding.stockAddress, holding]));
  const tokenBalances = [
    ...rows.cashTokens.map((token) =>
      presentCash(token, metadata.get(token.address), wallet.tokens.get(token.address)),
    ),
    ...rows.stockTokens.map((token) => {
      const { address } = token;
      const price = priceOf(token, quotes);
      return presentStock(
        token,
        price,
        metadata.get(address),
        wallet.tokens.get(address),
        holdings.get(address),
      );
    }),
  ];
  return {
    block,
    data: {
      chainId: scope.chainId,
      productType: scope.productType,
      address: getAddress(user),
      mUsdBalance: formatWad(rows.cash.available),
      mUsdLocked: formatWad(rows.cash.locked),
      tokenBalances,
      blockNumber: block.number,
      blockTimestamp: block.timestamp,
      walletBlockNumber: wallet.blockNumber === block.number ? null : wallet.blockNumber,
    },
  } satisfies AtBlock<unknown>;
}

function priceOf(
  { symbol, multiplier }: StockToken,
  quotes: Awaited<ReturnType<typeof quotesIfAny>>,
): string | null {
  const quote = quotes.get(symbol.toUpperCase());
  return quote ? formatWad(tokenPrice(quote.price, multiplier)) : null;
}

function presentWallet(decimals: number, held: WalletToken | undefined) {
  const allowance = held?.allowance ?? null;
  return {
    walletBalance: formatDecimal(held?.balance ?? 0n, decimals),
    walletAllowance: allowance === null ? null : formatDecimal(allowance, decimals),
  };
}

function presentCash(token: CashToken, metadata: TokenMetadata | undefined, held: WalletToken | undefined) {
  return {
    address: getAddress(token.address),
    name: metadata?.name ?? "",
    symbol: metadata?.symbol ?? "",
    stockSymbol: null,
    isStock: false,
    decimals: token.decimals,
    price: formatDecimal(token.usdRate, 6),
    ...presentWallet(token.decimals, held),
    exchangeBalance: null,
    exchangeLocked: null,
  };
}

function presentStock(
  token: StockToken,
  price: string | null,
  metadata: TokenMetadata | undefined,
  held: WalletToken | undefined,
  holding: Holding | undefined,
) {
  return {
    address: getAddress(token.address),
    name: metadata?.name ?? token.symbol,
    symbol: metadata?.symbol ?? token.symbol,
    stockSymbol: token.symbol,
    isStock: true,
    decimals: metadata?.decimals ?? 18,
    price,
    ...presentWallet(18, held),
    exchangeBalance: formatWad(holding?.available ?? 0n),
    exchangeLocked: formatWad(holding?.locked ?? 0n),
  };
}
