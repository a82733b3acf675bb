import type pg from "pg";
import { getAddress } from "viem";
import { z } from "zod";
import { padded } from "../db/batch.ts";
import { type AtBlocks, readAtBlocks } from "../db/checkpoint.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import type { PrismaClient } from "../db/generated/client.ts";
import { decimalAmount, selectOf } from "../db/index-snapshot.ts";
import { queryOne } from "../db/query.ts";
import { empty, join, type Sql, sql } from "../db/sql.ts";
import { formatWad } from "../protocol/decimal.ts";
import { storedAmount, storedHex } from "../protocol/shapes.ts";
import { groupBy } from "./group.ts";
import type { BalanceListInput } from "./input.ts";

const wad = storedAmount.transform(formatWad);

const holderSchema = z.object({
  chainId: z.number(),
  productType: z.string(),
  user: storedHex,
  available: wad,
  locked: wad,
});
export type Holder = z.output<typeof holderSchema>;

/** The name of a ledger. */
export interface LedgerName {
  chainId: number;
  productType: string;
  user: string;
}

/** Returns the ledgers that a dashboard asks for, as a condition on them. */
export const holdersOf = (input: BalanceListInput, chainIds: number[]): Sql =>
  join(filters(input, chainIds), " AND ");

/** Of a chain that is not ready, ledgers are of no block. */
const IS_READY = sql`u.chain_id IN (SELECT p.chain_id FROM onchain._ponder_checkpoint p)`;

/** Ledgers by chain, product and user, with the indexed blocks of their chains. @throws ApiError as readAtBlocks */
export function readHolders(
  pool: pg.Pool,
  where: Sql,
  after: LedgerName | null,
  limit: number,
): Promise<AtBlocks<Holder[]>> {
  const page = sql`
    SELECT u.chain_id, u.product_type, u.user_address AS user,
      coalesce(b.available, 0)::text AS available, coalesce(b.locked, 0)::text AS locked
    FROM (${holders(sql`${where} AND ${behind(after)} AND ${IS_READY}`, limit)}) u
    LEFT JOIN onchain.cash_balance b
      ON b.chain_id = u.chain_id AND b.product_type = u.product_type AND b.user_address = u.user_address
    ORDER BY u.chain_id, u.product_type, u.user_address`;
  return readAtBlocks(pool, page, holderSchema);
}

/** Users with a ledger of cash or of stock. Each side is cut to the limit first, along its primary key. */
function holders(where: Sql, limit: number): Sql {
  const side = (table: Sql) => sql`
    (SELECT DISTINCT u.chain_id, u.product_type, u.user_address FROM ${table} u WHERE ${where}
      ORDER BY u.chain_id, u.product_type, u.user_address LIMIT ${limit})`;
  return sql`
    ${side(sql`onchain.cash_balance`)} UNION ${side(sql`onchain.stock_balance`)}
    ORDER BY chain_id, product_type, user_address LIMIT ${limit}`;
}

function filters(input: BalanceListInput, chainIds: number[]): Sql[] {
  const { productType, userAddress, keyId, symbol, stockAddress } = input;
  return [
    sql`u.chain_id = ANY(${chainIds})`,
    ...(productType === undefined ? [] : [sql`u.product_type = ${productType}`]),
    ...(userAddress === undefined ? [] : [sql`u.user_address = ${userAddress}`]),
    ...(keyId === undefined
      ? []
      : [
          sql`EXISTS (SELECT 1 FROM app.api_key k JOIN app.api_key_scope s ON s.key_id = k.key_id
            WHERE k.key_id = ${keyId}::uuid AND k.user_address = u.user_address
              AND s.chain_id = u.chain_id AND s.product_type = u.product_type)`,
        ]),
    ...(symbol === undefined && stockAddress === undefined ? [] : [holds(symbol, stockAddress)]),
  ];
}

const holds = (symbol: string | undefined, stockAddress: string | undefined): Sql => sql`
  EXISTS (SELECT 1 FROM onchain.stock_balance h JOIN onchain.stock_token t
      ON t.chain_id = h.chain_id AND t.product_type = h.product_type AND t.token_address = h.stock_address
    WHERE h.chain_id = u.chain_id AND h.product_type = u.product_type AND h.user_address = u.user_address
      AND h.available + h.locked > 0
      ${symbol === undefined ? empty : sql`AND upper(t.symbol) = ${symbol.toUpperCase()}`}
      ${stockAddress === undefined ? empty : sql`AND h.stock_address = ${stockAddress}`})`;

function behind(after: LedgerName | null): Sql {
  if (after === null) return sql`true`;
  const { chainId, productType, user } = after;
  return sql`(u.chain_id, u.product_type, u.user_address) > (${chainId}::int, ${productType}, ${user})`;
}

/** Counting stops where the lists of orders stop too. */
const COUNTED_MAX = 10_000;

const countSchema = z.object({ total: z.number() });

/** Returns how many ledgers there are, at most COUNTED_MAX. */
export async function countHolders(pool: pg.Pool, where: Sql): Promise<number> {
  const statement = sql`SELECT count(*)::int AS total FROM (${holders(sql`${where} AND ${IS_READY}`, COUNTED_MAX)}) counted`;
  return (await queryOne(pool, statement, countSchema)).total;
}

const stockSchema = z.object({
  chainId: z.number(),
  productType: z.string(),
  userAddress: storedHex,
  stockAddress: storedHex,
  available: decimalAmount,
  locked: decimalAmount,
  costBasis: decimalAmount,
  realizedPnl: decimalAmount,
});

export const ledgerKey = ({ chainId, productType, user }: LedgerName): string =>
  JSON.stringify([chainId, productType, user]);

/** Returns the stock in ledgers, by ledgerKey, in the order of symbols and addresses. Other ledgers of these users may be among them. */
export async function readStocks(prisma: PrismaClient, ledgers: readonly LedgerName[]) {
  const chainId = { in: padded([...new Set(ledgers.map((ledger) => ledger.chainId))]) };
  const userAddress = { in: padded([...new Set(ledgers.map(({ user }) => user))]) };
  const [balances, tokens] = await withDatabaseErrors(() =>
    Promise.all([
      prisma.stockBalance.findMany({
        where: { chainId, userAddress },
        orderBy: { stockAddress: "asc" },
        select: selectOf(stockSchema),
      }),
      prisma.stockToken.findMany({
        where: { chainId },
        orderBy: [{ symbol: "asc" }, { tokenAddress: "asc" }],
        select: { chainId: true, productType: true, tokenAddress: true, symbol: true },
      }),
    ]),
  );
  const rows = groupBy(balances, (row) => tokenKey(row.chainId, row.productType, row.stockAddress));
  const ofTokens = tokens.flatMap(({ symbol, ...token }) => {
    const key = tokenKey(token.chainId, token.productType, token.tokenAddress);
    const held = rows.get(key) ?? [];
    rows.delete(key);
    return held.map((row) => presentStock(row, symbol));
  });
  // The rest has no token.
  const others = [...rows.values()].flat().map((row) => presentStock(row, null));
  return groupBy([...ofTokens, ...others], ({ ledger }) => ledger);
}

const tokenKey = (...key: [chainId: number, productType: string, token: string]) => JSON.stringify(key);

function presentStock(row: unknown, symbol: string | null) {
  const { chainId, productType, userAddress: user, stockAddress, ...amounts } = stockSchema.parse(row);
  return {
    ledger: ledgerKey({ chainId, productType, user }),
    stockAddress: getAddress(stockAddress),
    symbol,
    exchangeBalance: formatWad(amounts.available),
    exchangeLocked: formatWad(amounts.locked),
    costBasis: formatWad(amounts.costBasis),
    realizedPnl: formatWad(amounts.realizedPnl),
  };
}
