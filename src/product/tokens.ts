import { z } from "zod";
import { Prisma } from "../db/generated/client.ts";
import { ADDRESS, type ProductId, storedAmount, storedHex } from "../protocol/shapes.ts";

// The tokens and terms of a product, as JSON subqueries that features put into their own statements, so that one
// statement reads all that an answer shows. Amounts are text in JSON: no digit is lost.

export const stockTokenSchema = z.object({
  address: storedHex,
  symbol: z.string(),
  tradable: z.boolean(),
  /** Wad. */
  multiplier: storedAmount,
});
export type StockToken = z.output<typeof stockTokenSchema>;

/** Satisfies CashTerms of src/product/cashier.ts. */
export const cashTokenSchema = z.object({
  address: storedHex,
  decimals: z.number(),
  minAmount: storedAmount,
  usdRate: storedAmount,
  depositPaused: z.boolean(),
  withdrawPaused: z.boolean(),
  withdrawBuffer: storedAmount,
  withdrawBufferCapacity: storedAmount,
  depositFeeBps: z.number(),
  withdrawFeeBps: z.number(),
});
export type CashToken = z.output<typeof cashTokenSchema>;

export const creditBufferSchema = z
  .object({ creditBuffer: storedAmount, creditBufferCapacity: storedAmount })
  .nullable()
  .transform((buffer) => buffer ?? { creditBuffer: 0n, creditBufferCapacity: 0n });

export const feeConfigSchema = z
  .object({ buyFeeBps: z.number(), sellFeeBps: z.number(), minFee: storedAmount })
  .nullable()
  .transform((fees) => fees ?? { buyFeeBps: 0, sellFeeBps: 0, minFee: 0n });
export type FeeConfig = z.output<typeof feeConfigSchema>;

const inScope = ({ chainId, productType }: ProductId): Prisma.Sql =>
  Prisma.sql`t.chain_id = ${chainId} AND t.product_type = ${productType}`;

/** Returns every listed stock token, oldest listing first. */
export const stockTokensJson = (scope: ProductId): Prisma.Sql => Prisma.sql`
  (SELECT coalesce(json_agg(json_build_object('address', t.token_address, 'symbol', t.symbol, 'tradable', t.tradable,
      'multiplier', t.multiplier::text) ORDER BY t.listed_at, t.symbol), '[]')
    FROM onchain.stock_token t WHERE ${inScope(scope)})`;

/** Returns the condition that a stock token is the one of an address, or of a stock's symbol, in any case. */
export const namedSql = (alias: "t" | "k", name: string): Prisma.Sql => {
  const token = Prisma.raw(alias);
  return ADDRESS.test(name)
    ? Prisma.sql`${token}.token_address = ${name.toLowerCase()}`
    : Prisma.sql`upper(${token}.symbol) = ${name.toUpperCase()}`;
};

/** Returns every supported cash token, oldest listing first. */
export const cashTokensJson = (scope: ProductId): Prisma.Sql => Prisma.sql`
  (SELECT coalesce(json_agg(json_build_object('address', t.token_address, 'decimals', t.decimals,
      'minAmount', t.min_amount::text, 'usdRate', t.usd_rate::text, 'depositPaused', t.deposit_paused,
      'withdrawPaused', t.withdraw_paused, 'withdrawBuffer', t.withdraw_buffer::text,
      'withdrawBufferCapacity', t.withdraw_buffer_capacity::text, 'depositFeeBps', t.deposit_fee_bps,
      'withdrawFeeBps', t.withdraw_fee_bps) ORDER BY t.listed_at, t.token_address), '[]')
    FROM onchain.cash_token t WHERE ${inScope(scope)} AND t.supported)`;

/** Returns the Cashier's credit buffer, or NULL. */
export const creditBufferJson = (scope: ProductId): Prisma.Sql => Prisma.sql`
  (SELECT json_build_object('creditBuffer', t.credit_buffer::text,
      'creditBufferCapacity', t.credit_buffer_capacity::text)
    FROM onchain.cashier_state t WHERE ${inScope(scope)})`;

/** Returns the fee terms of new orders, or NULL. */
export const feeConfigJson = (scope: ProductId): Prisma.Sql => Prisma.sql`
  (SELECT json_build_object('buyFeeBps', t.buy_fee_bps, 'sellFeeBps', t.sell_fee_bps, 'minFee', t.min_fee_wad::text)
    FROM onchain.fee_config t WHERE ${inScope(scope)})`;
