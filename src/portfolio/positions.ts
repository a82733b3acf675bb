import { getAddress } from "viem";
import { resolveScope } from "../chain/clients.ts";
import { tokenPrice } from "../chain/product/token-price.ts";
import type { StockToken } from "../chain/product/tokens.ts";
import { readSnapshot } from "../chain/snapshot.ts";
import { readWallet } from "../chain/wallet.ts";
import type { Deps } from "../context/deps.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import { formatDecimal, formatWad, multiplyWad, WAD } from "../protocol/decimal.ts";
import type { ProductId } from "../protocol/shapes.ts";
import type { PositionsInput } from "./input.ts";
import { quotesIfAny } from "./quotes.ts";
import { type Holding, readHoldings } from "./store.ts";

/**
 * GET /users/{userId}/positions: every stock of which the user holds any, in the wallet or on the exchange. Prices
 * and what follows from them are null while market data is down.
 * @throws ApiError INDEXER_BEHIND, RPC_UNAVAILABLE
 */
export async function listPositions(deps: Deps, scope: ProductId, { userId: user }: PositionsInput) {
  const { chain } = resolveScope(deps, scope);
  const { block, data } = await readSnapshot(
    () => readHoldings(deps.prisma, scope, user),
    (at, { stockTokens }) => {
      const tokens = stockTokens.map(({ address }) => address);
      return readWallet(chain.reads, at, { user, spender: null, tokens });
    },
  );
  const { rows, chain: wallet } = data;
  const holdings = new Map(rows.holdings.map((holding) => [holding.stockAddress, holding]));
  const held = rows.stockTokens
    .map((token) => ({
      token,
      wallet: wallet.tokens.get(token.address)?.balance ?? 0n,
      holding: holdings.get(token.address) ?? NOTHING,
    }))
    .filter(({ wallet, holding }) => wallet + holding.available + holding.locked > 0n);
  const quotes = await quotesIfAny(
    deps,
    held.map(({ token }) => token),
  );
  const positions = held.map((position) => {
    const quote = quotes.get(position.token.symbol.toUpperCase());
    const price = quote ? tokenPrice(quote.price, position.token.multiplier) : null;
    return { ...presentPosition(position, price), stale: quote?.stale ?? true };
  });
  return { block, data: positions } satisfies AtBlock<unknown>;
}

const NOTHING: Omit<Holding, "stockAddress"> = {
  available: 0n,
  locked: 0n,
  tradedQuantity: 0n,
  costBasis: 0n,
  realizedPnl: 0n,
};

export interface HeldStock {
  token: Pick<StockToken, "address" | "symbol">;
  /** Stock wad in the wallet. */
  wallet: bigint;
  holding: Omit<Holding, "stockAddress">;
}

/**
 * Returns a position in the API's shape. What was bought here has a known cost, average method; where some of it has left
 * (withdrawn and sent away), the cost of the rest stays in proportion. Tokens of other origin have no cost and no gain.
 * @param price mUSD wad per token, null where there is no quote
 */
export function presentPosition({ token, wallet, holding }: HeldStock, price: bigint | null) {
  const quantity = wallet + holding.available + holding.locked;
  const { tradedQuantity, realizedPnl } = holding;
  let known = tradedQuantity;
  if (known > quantity) known = quantity;
  const cost = tradedQuantity > 0n ? (holding.costBasis * known) / tradedQuantity : null;
  const gain = cost === null || price === null ? null : multiplyWad(known, price) - cost;
  return {
    symbol: token.symbol,
    stockAddress: getAddress(token.address),
    walletBalance: formatWad(wallet),
    exchangeBalance: formatWad(holding.available),
    lockedBalance: formatWad(holding.locked),
    quantity: formatWad(quantity),
    averageEntryPrice: cost === null ? null : formatWad((holding.costBasis * WAD) / tradedQuantity),
    costBasis: cost === null ? null : formatWad(cost),
    costBasisQuantity: formatWad(known),
    marketPrice: price === null ? null : formatWad(price),
    marketValue: price === null ? null : formatWad(multiplyWad(quantity, price)),
    unrealizedPnl: gain === null ? null : formatWad(gain),
    unrealizedPnlPercent: gain === null || !cost ? null : formatPercent(gain, cost),
    realizedPnl: formatWad(realizedPnl),
  };
}

const PERCENT_DECIMALS = 4;

/** Returns a part of a whole in percent, four fraction digits, rounded towards zero. */
function formatPercent(part: bigint, whole: bigint): string {
  return formatDecimal((part * 100n * 10n ** BigInt(PERCENT_DECIMALS)) / whole, PERCENT_DECIMALS);
}
