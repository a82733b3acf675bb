import type { Hex } from "viem";
import { depositFee, withdrawalFee } from "../../chain/product/cashier.ts";
import type { StockToken } from "../../chain/product/tokens.ts";
import { OPERATIONS } from "../../protocol/operations.ts";
import type { SendRow } from "../outbox/rows.ts";
import type { Facts, ProductTokens } from "./facts.ts";
import type { SignedOperation, SignedOrder } from "./router-call.ts";
import type { SignedAction, Verified } from "./verify-call.ts";

/** Symbol and value of the signed call, which a policy of the request's key limits. */
export interface Appraisal {
  symbol: string | null;
  /** mUSD wad; null where it does not count for a daily cap. */
  notional: bigint | null;
}

/**
 * A verified request with its appraisal: null where the index or a quote lacks the data for it, or no policy of its key requires
 * it.
 */
export type Appraised<R = SendRow> = Verified<R> & { readonly appraisal: Appraisal | null };

/** A request; `isLimited` where a policy of its key limits its value or its stock. */
interface Limited {
  isLimited: boolean;
}

/**
 * Appraises the requests of limited keys, by the index and by quotes as this worker reads them. Call it outside of a transaction.
 * @throws database errors
 */
export async function appraiseAll<R extends SendRow & Limited>(
  facts: Facts,
  requests: readonly Verified<R>[],
): Promise<Appraised<R>[]> {
  const tokensOf = once((productType) => facts.readTokens({ ...scopeOf(requests), productType }));
  const symbols = await readSymbols(facts, requests);
  return Promise.all(
    requests.map(async (request) => {
      if (!request.isLimited) return { ...request, appraisal: null };
      const tokens = await tokensOf(request.productType);
      return { ...request, appraisal: await appraise(facts, tokens, symbols, request.action) };
    }),
  );
}

/** Requests of one wallet have one chain. */
const scopeOf = ([first]: readonly SendRow[]) => ({ chainId: first?.chainId ?? 0 });

function once<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (key) => {
    const value = known.get(key) ?? read(key);
    known.set(key, value);
    return value;
  };
}

/** Returns the symbols of the orders that requests of limited keys cancel. */
async function readSymbols(
  facts: Facts,
  requests: readonly (Verified<SendRow> & Limited)[],
): Promise<ReadonlyMap<Hex, string>> {
  const byProduct = new Map<string, Hex[]>();
  for (const { productType, action, isLimited } of requests) {
    if (!isLimited || action.kind !== "cancel") continue;
    byProduct.set(productType, [...(byProduct.get(productType) ?? []), action.orderId]);
  }
  const scope = scopeOf(requests);
  const read = [...byProduct].map(([productType, ids]) =>
    facts.readOrderSymbols({ ...scope, productType }, ids),
  );
  return new Map((await Promise.all(read)).flatMap((symbols) => [...symbols]));
}

async function appraise(
  facts: Facts,
  tokens: ProductTokens,
  symbols: ReadonlyMap<Hex, string>,
  action: SignedAction,
): Promise<Appraisal | null> {
  switch (action.kind) {
    case "enable":
    case "disable":
      return { symbol: null, notional: null };
    case "cancel": {
      const symbol = symbols.get(action.orderId);
      return symbol === undefined ? null : { symbol, notional: null };
    }
    case "order": {
      const token = tokens.stock.get(action.stockToken);
      return token ? appraiseOrder(facts, tokens, token, action) : null;
    }
    default:
      return appraiseOperation(tokens, action);
  }
}

function appraiseOperation(
  tokens: ProductTokens,
  { kind, token, amount }: SignedOperation,
): Appraisal | null {
  const { asset, isDeposit } = OPERATIONS[kind];
  if (asset === "stock") {
    const stock = tokens.stock.get(token);
    return stock ? { symbol: stock.symbol, notional: null } : null;
  }
  const cash = tokens.cash.get(token);
  const fee = isDeposit ? depositFee : withdrawalFee;
  return cash ? { symbol: null, notional: fee(cash, amount) } : null;
}

async function appraiseOrder(
  facts: Facts,
  { cash }: ProductTokens,
  token: StockToken,
  order: SignedOrder,
): Promise<Appraisal | null> {
  const { symbol } = token;
  if (order.side === "Sell") {
    const { notional, unquoted } = await facts.valueSale(token, {
      quantity: order.quantity,
      limit: order.price,
    });
    return unquoted ? null : { symbol, notional };
  }
  const { paidIn, notional } = order;
  if (!paidIn) return { symbol, notional };
  const paid = cash.get(paidIn.token);
  return paid ? { symbol, notional: notional + depositFee(paid, paidIn.amount) } : null;
}
