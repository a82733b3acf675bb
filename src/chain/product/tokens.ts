import { z } from "zod";
import { decimalAmount, type Snapshot, selectOf } from "../../db/index-snapshot.ts";
import { raw, type Sql, sql } from "../../db/sql.ts";
import { ADDRESS, type ProductId, storedHex } from "../../protocol/shapes.ts";
import type { CreditBuffer } from "./cashier.ts";

// The tokens and terms of a product. Features read them in their own snapshot, so that all that an answer shows is of one block.

const stockTokenSchema = z.object({
  tokenAddress: storedHex,
  symbol: z.string(),
  tradable: z.boolean(),
  /** Wad. */
  multiplier: decimalAmount,
});
export type StockToken = Addressed<z.output<typeof stockTokenSchema>>;

/** Satisfies CashTerms of src/chain/product/cashier.ts. */
const cashTokenSchema = z.object({
  tokenAddress: storedHex,
  decimals: z.number(),
  minAmount: decimalAmount,
  usdRate: decimalAmount,
  depositPaused: z.boolean(),
  withdrawPaused: z.boolean(),
  withdrawBuffer: decimalAmount,
  withdrawBufferCapacity: decimalAmount,
  depositFeeBps: z.number(),
  withdrawFeeBps: z.number(),
});
export type CashToken = Addressed<z.output<typeof cashTokenSchema>>;

const creditBufferSchema = z.object({ creditBuffer: decimalAmount, creditBufferCapacity: decimalAmount });

const feeConfigSchema = z.object({ buyFeeBps: z.number(), sellFeeBps: z.number(), minFeeWad: decimalAmount });

/** The fee terms of new orders. */
export interface FeeConfig {
  buyFeeBps: number;
  sellFeeBps: number;
  /** Wad. */
  minFee: bigint;
}

type Addressed<T extends { tokenAddress: string }> = Omit<T, "tokenAddress"> & { address: T["tokenAddress"] };

const withAddress = <T extends { tokenAddress: string }>({ tokenAddress, ...token }: T): Addressed<T> => ({
  ...token,
  address: tokenAddress,
});

const inScope = ({ chainId, productType }: ProductId): ProductId => ({ chainId, productType });

/** Returns every listed stock token, oldest listing first. */
export async function stockTokensOf(index: Snapshot, scope: ProductId): Promise<StockToken[]> {
  const rows = await index.stockToken.findMany({
    where: inScope(scope),
    orderBy: [{ listedAt: "asc" }, { symbol: "asc" }],
    select: selectOf(stockTokenSchema),
  });
  return rows.map((row) => withAddress(stockTokenSchema.parse(row)));
}

/** Returns true where a name is the address of a stock token, or its stock's symbol, in any case. */
export const isNamed = ({ address, symbol }: StockToken, name: string): boolean =>
  ADDRESS.test(name) ? address === name.toLowerCase() : symbol.toUpperCase() === name.toUpperCase();

/** Returns the condition of isNamed for the statement of a list. */
export const namedSql = (alias: "t" | "k", name: string): Sql => {
  const token = raw(alias);
  return ADDRESS.test(name)
    ? sql`${token}.token_address = ${name.toLowerCase()}`
    : sql`upper(${token}.symbol) = ${name.toUpperCase()}`;
};

/** Returns every supported cash token, oldest listing first. */
export async function cashTokensOf(index: Snapshot, scope: ProductId): Promise<CashToken[]> {
  const rows = await index.cashToken.findMany({
    where: { ...inScope(scope), supported: true },
    orderBy: [{ listedAt: "asc" }, { tokenAddress: "asc" }],
    select: selectOf(cashTokenSchema),
  });
  return rows.map((row) => withAddress(cashTokenSchema.parse(row)));
}

/** Returns the Cashier's credit buffer; without one, nothing is credited at once. */
export async function creditBufferOf(index: Snapshot, scope: ProductId): Promise<CreditBuffer> {
  const row = await index.cashierState.findFirst({
    where: inScope(scope),
    select: selectOf(creditBufferSchema),
  });
  return row ? creditBufferSchema.parse(row) : { creditBuffer: 0n, creditBufferCapacity: 0n };
}

/** Returns the fee terms of new orders; without any, orders are free. */
export async function feeConfigOf(index: Snapshot, scope: ProductId): Promise<FeeConfig> {
  const row = await index.feeConfig.findFirst({ where: inScope(scope), select: selectOf(feeConfigSchema) });
  if (!row) return { buyFeeBps: 0, sellFeeBps: 0, minFee: 0n };
  const { minFeeWad: minFee, ...fees } = feeConfigSchema.parse(row);
  return { ...fees, minFee };
}
