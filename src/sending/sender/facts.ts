import { setTimeout as sleep } from "node:timers/promises";
import type { Hex } from "viem";
import { z } from "zod";
import { readSaleValue, type SaleValue } from "../../chain/product/quoted-value.ts";
import { type CashToken, cashTokensOf, type StockToken, stockTokensOf } from "../../chain/product/tokens.ts";
import type { Deps } from "../../context/deps.ts";
import { queryRows } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import type { Quote } from "../../market-data/provider.ts";
import { type ProductId, storedHex } from "../../protocol/shapes.ts";

/** Tokens of a product, by address. */
export interface ProductTokens {
  stock: ReadonlyMap<Hex, StockToken>;
  cash: ReadonlyMap<Hex, CashToken>;
}

/** Index and quotes, by which a worker values calls. */
export interface Facts {
  readTokens(scope: ProductId): Promise<ProductTokens>;
  /** Returns the stock symbols of indexed orders, by order id. */
  readOrderSymbols(scope: ProductId, orderIds: readonly Hex[]): Promise<ReadonlyMap<Hex, string>>;
  /** Values a sale by its quote, if that arrives soon: a slow provider must not delay the wallet's other requests. */
  valueSale(token: StockToken, sale: { quantity: bigint; limit: bigint | null }): Promise<SaleValue>;
}

/** Time for which a group of requests waits for a quote. A later quote is used when its request is tried again. */
const QUOTE_WAIT_MS = 250;

const symbolShape = z.object({ orderId: storedHex, symbol: z.string() });

export function createFacts({
  prisma,
  pool,
  marketData,
}: Pick<Deps, "prisma" | "pool" | "marketData">): Facts {
  const quotes = createQuotes(marketData);
  return {
    readTokens: async (scope) => {
      const [stock, cash] = await Promise.all([stockTokensOf(prisma, scope), cashTokensOf(prisma, scope)]);
      return { stock: byAddress(stock), cash: byAddress(cash) };
    },
    readOrderSymbols: async ({ chainId, productType }, orderIds) => {
      const statement = sql`
        SELECT o.order_id, t.symbol FROM onchain.stock_order o
        JOIN onchain.stock_token t ON t.chain_id = o.chain_id AND t.product_type = o.product_type
          AND t.token_address = o.stock_address
        WHERE o.chain_id = ${chainId} AND o.product_type = ${productType} AND o.order_id = ANY(${orderIds}::text[])`;
      const orders = await queryRows(pool, statement, symbolShape);
      return new Map(orders.map(({ orderId, symbol }) => [orderId, symbol]));
    },
    valueSale: (token, sale) => readSaleValue({ marketData: quotes }, token, sale),
  };
}

const byAddress = <T extends { address: Hex }>(tokens: readonly T[]): Map<Hex, T> =>
  new Map(tokens.map((token) => [token.address, token]));

type Quotes = Pick<Deps["marketData"], "quote">;

/** Requests each quote once at a time. The first caller waits for it, and so does every caller meanwhile. */
function createQuotes(marketData: Quotes): Quotes {
  const asked = new Map<string, Promise<Quote | null>>();
  return {
    quote: (symbol) => {
      const known = asked.get(symbol);
      if (known) return known;
      const answer = marketData.quote(symbol).finally(() => asked.delete(symbol));
      const inTime = Promise.race([answer, sleep(QUOTE_WAIT_MS, null, { ref: false })]);
      asked.set(symbol, inTime);
      return inTime;
    },
  };
}
