import type { Viewer } from "../auth/viewer.ts";
import type { RouterCall } from "../calldata/calldata.ts";
import { type Chain, resolveScope } from "../chain/clients.ts";
import { readValue } from "../chain/product/quoted-value.ts";
import type { StockToken } from "../chain/product/tokens.ts";
import type { ProductConfig } from "../config/deployments.ts";
import type { Deps } from "../context/deps.ts";
import { requireFuture } from "../context/input/fields.ts";
import { findByTokenSymbol } from "../context/listed-stock.ts";
import type { IndexedBlock } from "../db/checkpoint.ts";
import { multiplyWad, parseDecimal, WAD_DECIMALS } from "../protocol/decimal.ts";
import type { Side } from "../protocol/enums.ts";
import { ApiError } from "../protocol/errors.ts";
import type { ProductId } from "../protocol/shapes.ts";
import { type OrderContext, readOrderContext } from "./context-store.ts";
import { encodeOrder } from "./encode.ts";
import { checkOrder, type OrderFields, type OrderInput, type OrderTerms } from "./input.ts";

/** An order that passed every rule which needs no wallet: the same for calldata and for send. */
export interface PreparedOrder {
  block: IndexedBlock;
  input: OrderInput;
  token: StockToken;
  context: OrderContext;
  chain: Chain;
  product: ProductConfig;
  call: RouterCall;
}

/**
 * Checks of a request beside its order, each run with the order's own check of that kind
 * (docs/api.md#order-of-checks).
 */
export interface MoreChecks {
  required?: (side: Side) => void;
  /** @param context read at first need: a plain order is refused for its deadline without the index */
  range?: (input: OrderInput, context: () => Promise<OrderContext>) => void | Promise<void>;
  token?: (input: OrderInput, token: StockToken, context: OrderContext) => void;
}

async function readContext(
  deps: Deps,
  scope: ProductId,
  asked: Pick<OrderInput, "stockAddress" | "symbol">,
): ReturnType<typeof readOrderContext> {
  const read = await readOrderContext(deps.prisma, scope, asked);
  if (read.data.token || asked.symbol === undefined) return read;
  const named = (await findByTokenSymbol(deps, scope, asked.symbol))?.address;
  if (!named || (asked.stockAddress ?? named) !== named) return read;
  return readOrderContext(deps.prisma, scope, { stockAddress: named, symbol: undefined });
}

/**
 * Checks an order, holds it against the product's rules and encodes it.
 * @throws ApiError as checkOrder; DEADLINE_EXPIRED, TOKEN_NOT_SUPPORTED, TOKEN_PAUSED, BELOW_MINIMUM, INDEXER_BEHIND
 */
export async function prepareOrder(
  deps: Deps,
  viewer: Viewer,
  given: OrderFields,
  more: MoreChecks = {},
): Promise<PreparedOrder> {
  const input = checkOrder(given, more.required);
  const { chain, product } = resolveScope(deps, viewer);
  let reading: ReturnType<typeof readOrderContext> | null = null;
  const read = () => {
    reading ??= readContext(deps, viewer, { stockAddress: input.stockAddress, symbol: input.symbol });
    return reading;
  };
  await more.range?.(input, async () => (await read()).data);
  requireFuture(input.deadline, deps.now());
  const { block, data: context } = await read();
  const token = requireToken(context.token, input);
  more.token?.(input, token, context);
  requireMinimum(product, input.terms, await statedValue(deps, token, input.terms));
  const call = encodeOrder({
    router: product.contracts.stockRouter,
    stockAddress: token.address,
    deadline: input.deadline,
    terms: input.terms,
  });
  return { block, input, token, context, chain, product, call };
}

/** Returns the token if it accepts orders. Where address and symbol were given, they must mean the same token. */
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
function requireMinimum(product: ProductConfig, terms: OrderTerms, value: bigint | null): void {
  const minimum = parseDecimal(product.minNotional, WAD_DECIMALS);
  if (typeof minimum !== "bigint") throw new Error("minNotional of the deployments file is no decimal");
  if (value === null || value >= minimum) return;
  throw new ApiError("BELOW_MINIMUM", {
    param: terms.type === "Market" && terms.side === "Buy" ? "notional" : "quantity",
    message: `The smallest order is ${product.minNotional} mUSD`,
  });
}

/**
 * Returns the stated value of an order: mUSD wad at its own terms, and at the quote where those name no price; null
 * without one.
 */
async function statedValue(deps: Deps, token: StockToken, terms: OrderTerms): Promise<bigint | null> {
  if (terms.type === "Limit") return multiplyWad(terms.quantity, terms.price);
  if (terms.side === "Buy") return terms.notional;
  return (await readValue(deps, token, terms.quantity)).value;
}
