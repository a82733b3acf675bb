import { servedBy } from "../chain/clients.ts";
import { tokenPrice } from "../chain/token-price.ts";
import type { ProductConfig } from "../config/deployments.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import type { StockToken } from "../db/tokens.ts";
import type { Deps } from "../deps.ts";
import { multiplyWad, parseDecimal, WAD, WAD_DECIMALS } from "../protocol/decimal.ts";
import { ApiError } from "../protocol/errors.ts";
import { type CalldataReply, presentCalldata } from "../transactions/calldata.ts";
import { type Preflight, preflight } from "../transactions/preflight.ts";
import type { Viewer } from "../transactions/viewer.ts";
import { readOrderContext } from "./context.ts";
import { encodeOrder } from "./encode.ts";
import { type OrderInput, type OrderTerms, parseOrder } from "./input.ts";
import { needsOf } from "./needs.ts";

/**
 * POST /orders/calldata: encodes an order for the caller's own wallet. Where the wallet is named, the call is tried from
 * it; the calldata is returned whatever comes out.
 * @throws ApiError as parseOrder; TOKEN_NOT_SUPPORTED, TOKEN_PAUSED, BELOW_MINIMUM, INDEXER_BEHIND; with a wallet also
 * RPC_UNAVAILABLE
 */
export async function orderCalldata(
  deps: Deps,
  viewer: Viewer,
  args: Record<string, unknown>,
): Promise<AtBlock<CalldataReply & { preflight: Preflight | null }>> {
  const input = parseOrder(args, deps.now());
  const { chain, product } = servedBy(deps, viewer);
  const { block, data: context } = await readOrderContext(deps.prisma, viewer, input);
  const token = requireToken(context.token, input);
  await requireMinimum(deps, product, token, input.terms);
  const call = encodeOrder({
    router: product.contracts.stockRouter,
    stockAddress: token.address,
    deadline: input.deadline,
    terms: input.terms,
  });
  const reply = { ...presentCalldata(call, viewer), preflight: null };
  if (!input.userAddress) return { block, data: reply };
  const needs = await needsOf(input.terms, {
    chain,
    product,
    context,
    stockAddress: token.address,
    user: input.userAddress,
  });
  return { block, data: { ...reply, preflight: await preflight(chain, input.userAddress, call, needs) } };
}

/** The token as one that takes orders. Where address and symbol were given, they must mean the same token. */
function requireToken(token: StockToken | null, { stockAddress }: OrderInput): StockToken {
  const param = stockAddress ? "stockAddress" : "symbol";
  if (!token) throw new ApiError("TOKEN_NOT_SUPPORTED", { param });
  if (!token.tradable)
    throw new ApiError("TOKEN_PAUSED", { param, message: "The token takes no orders now" });
  return token;
}

/**
 * Holds an order against the product's smallest notional. A market sell has no price of its own: it is valued at the
 * quote, and passes where there is none, since the chain knows no such minimum and nobody should be kept in a position
 * because market data is down.
 */
async function requireMinimum(
  deps: Deps,
  product: ProductConfig,
  token: StockToken,
  terms: OrderTerms,
): Promise<void> {
  const minimum = parseDecimal(product.minNotional, WAD_DECIMALS);
  if (typeof minimum !== "bigint") throw new Error("minNotional of the deployments file is no decimal");
  const isMarketBuy = terms.type === "Market" && terms.side === "Buy";
  const value = isMarketBuy ? terms.notional : await valueOf(deps, token, terms);
  if (value === null || value >= minimum) return;
  throw new ApiError("BELOW_MINIMUM", {
    param: isMarketBuy ? "notional" : "quantity",
    message: `The smallest order is ${product.minNotional} mUSD`,
  });
}

type SizedTerms = Extract<OrderTerms, { quantity: bigint }>;

async function valueOf(deps: Deps, token: StockToken, terms: SizedTerms): Promise<bigint | null> {
  if (terms.type === "Limit") return (terms.quantity * terms.price) / WAD;
  try {
    const quote = await deps.marketData.quote(token.symbol.toUpperCase());
    return quote && multiplyWad(terms.quantity, tokenPrice(quote.price, token.multiplier));
  } catch (error) {
    if (error instanceof ApiError && error.errCode === "MARKET_DATA_UNAVAILABLE") return null;
    throw error;
  }
}
