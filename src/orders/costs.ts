import { getAddress } from "viem";
import type { OrderCosts } from "../calldata/preflight.ts";
import { quoteIfAny } from "../chain/product/quoted-value.ts";
import { tokenPrice } from "../chain/product/token-price.ts";
import type { FeeConfig, StockToken } from "../chain/product/tokens.ts";
import type { Deps } from "../context/deps.ts";
import type { AssetAmount, OrderFee, OrderMinimum } from "../context/schema-types.ts";
import {
  divideUp,
  formatDecimal,
  formatWad,
  multiplyWad,
  multiplyWadUp,
  parseDecimal,
  WAD,
  WAD_DECIMALS,
} from "../protocol/decimal.ts";
import type { PaidIn } from "./encode-with-deposit.ts";
import type { OrderTerms } from "./input.ts";
import type { PreparedOrder } from "./prepare.ts";

/** Computes what orders lock and cost, by the rules of Stock (docs/contracts.md#stock). mUSD and stock are wad. */

/** A deposit in the same call as an order. */
export interface Deposit extends PaidIn {
  decimals: number;
  /** Smallest deposit, base units; null of stock. */
  minimum: bigint | null;
  /** Credit to the ledger that the order locks: mUSD wad of a cash deposit, stock wad of a stock deposit. */
  credit: bigint;
  /** mUSD wad; a deposit of stock has none. */
  fee: bigint;
}

const BPS = 10_000n;

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);

const bpsOf = ({ side }: OrderTerms, { buyFeeBps, sellFeeBps }: FeeConfig): number =>
  side === "Buy" ? buyFeeBps : sellFeeBps;

/** Returns the fee of an order's fills up to a notional. */
const feeOf = (terms: OrderTerms, fees: FeeConfig, notional: bigint): bigint =>
  larger(fees.minFee, divideUp(notional * BigInt(bpsOf(terms, fees)), BPS));

/**
 * Returns what placing an order locks: of a market buy its notional, of a limit buy the notional rounded up and the highest fee
 * (mUSD wad), of a sell its quantity (stock wad).
 */
export function lockedBy(terms: OrderTerms, fees: FeeConfig): bigint {
  if (terms.type === "Market") return terms.side === "Buy" ? terms.notional : terms.quantity;
  if (terms.side === "Sell") return terms.quantity;
  const notional = multiplyWadUp(terms.quantity, terms.price);
  return notional + feeOf(terms, fees, notional);
}

/** Result of an order that fills whole at one price. */
interface Outcome {
  fee: bigint;
  /** Stock of a buy, mUSD less the fee of a sell. */
  receives: bigint;
}

/** @param price mUSD wad per token, above 0 */
function outcomeOf(terms: OrderTerms, fees: FeeConfig, price: bigint): Outcome {
  if (terms.type === "Market" && terms.side === "Buy") {
    const fee = feeOf(terms, fees, terms.notional);
    const spent = larger(terms.notional - fee, 0n);
    return { fee, receives: (spent * WAD) / price };
  }
  if (terms.side === "Buy") {
    return { fee: feeOf(terms, fees, multiplyWadUp(terms.quantity, price)), receives: terms.quantity };
  }
  const proceeds = multiplyWad(terms.quantity, price);
  const due = feeOf(terms, fees, proceeds);
  const fee = due < proceeds ? due : proceeds;
  return { fee, receives: proceeds - fee };
}

/** A price that an order may fill at. */
interface Price {
  /** mUSD wad per token, above 0. */
  price: bigint;
  stale: boolean;
  /** mUSD per token with 36 decimals, which minimums are valued at before anything is rounded. */
  exact: bigint;
}

/** An order, with what its costs follow from. */
interface Priced {
  terms: OrderTerms;
  token: Pick<StockToken, "address" | "symbol">;
  fees: FeeConfig;
  /** mUSD, as the deployments file has it. */
  minNotional: string;
  /** Null of a plain order. */
  deposit: Deposit | null;
  /** Null without a quote. */
  price: Price | null;
}

/**
 * Returns what an order locks and costs at the present quote, with its deposit where it has one.
 * @param deposit null of a plain order
 */
export async function readCosts(
  deps: Pick<Deps, "marketData">,
  { input: { terms }, token, context: { fees }, product: { minNotional } }: PreparedOrder,
  deposit: Deposit | null,
): Promise<OrderCosts> {
  return costsOf({ terms, token, fees, minNotional, deposit, price: await readPrice(deps, token, terms) });
}

/** Returns what an order locks and costs. */
export function costsOf(order: Priced): OrderCosts {
  const { terms, token, fees, deposit, price } = order;
  const isBuy = terms.side === "Buy";
  const outcome = price && outcomeOf(terms, fees, price.price);
  // The fee of a market buy comes out of its notional, whatever the price.
  const spent = terms.type === "Market" && isBuy ? terms.notional : null;
  const fee = spent === null ? (outcome?.fee ?? null) : feeOf(terms, fees, spent);
  return {
    locked: amountOf(isBuy ? null : token, lockedBy(terms, fees)),
    fee: presentFee(terms, fees, fee),
    minimum: minimumOf(order),
    estimate:
      price && outcome
        ? {
            price: formatWad(price.price),
            stale: price.stale,
            receives: amountOf(isBuy ? token : null, outcome.receives),
          }
        : null,
    forecast: isBuy && deposit ? presentCredit(deposit) : null,
    refusal: spent !== null && fee !== null && spent <= fee ? "BELOW_MINIMUM" : null,
  };
}

/** Returns the limit, or the quote times the token's multiplier; null without a quote. */
async function readPrice(
  deps: Pick<Deps, "marketData">,
  { symbol, multiplier }: StockToken,
  terms: OrderTerms,
): Promise<Price | null> {
  if (terms.type === "Limit") return { price: terms.price, stale: false, exact: terms.price * WAD };
  const quote = await quoteIfAny(deps, symbol);
  if (!quote) return null;
  const price = tokenPrice(quote.price, multiplier);
  return price === 0n
    ? null
    : { price, stale: quote.stale, exact: tokenPrice(quote.price, WAD) * multiplier };
}

/** @param token null: mUSD */
const amountOf = (token: Priced["token"] | null, amount: bigint): AssetAmount => ({
  asset: token?.symbol ?? "mUSD",
  assetAddress: token && getAddress(token.address),
  amount: formatWad(amount),
});

const presentFee = (terms: OrderTerms, fees: FeeConfig, amount: bigint | null): OrderFee => ({
  amount: amount === null ? null : formatWad(amount),
  bps: bpsOf(terms, fees),
  minimum: formatWad(fees.minFee),
});

/** Returns the smallest order that is neither below the product's minimum nor eaten up by its fee. */
function minimumOf({ terms, fees, minNotional, deposit, price }: Priced): OrderMinimum {
  const smallest = parseDecimal(minNotional, WAD_DECIMALS);
  if (typeof smallest !== "bigint") throw new Error("minNotional of the deployments file is no decimal");
  const isMarketBuy = terms.type === "Market" && terms.side === "Buy";
  return {
    notional: formatWad(isMarketBuy ? larger(smallest, fees.minFee + 1n) : smallest),
    quantity: isMarketBuy || !price ? null : formatWad(smallestQuantity(terms, smallest, price)),
    tokenAmount:
      deposit && deposit.minimum !== null ? formatDecimal(deposit.minimum, deposit.decimals) : null,
  };
}

/** Returns the smallest quantity that is worth a notional: a limit order is valued rounded down, a market sell rounded up. */
const smallestQuantity = ({ type }: OrderTerms, notional: bigint, { exact }: Price): bigint =>
  larger(
    type === "Limit" ? divideUp(notional * WAD * WAD, exact) : ((notional - 1n) * WAD * WAD) / exact + 1n,
    1n,
  );

const presentCredit = ({ credit, fee }: Deposit) => ({
  isInstant: true,
  creditAmount: formatWad(credit),
  feeAmount: formatWad(fee),
});
