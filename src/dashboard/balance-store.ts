import { getAddress } from "viem";
import { z } from "zod";
import { type AtBlocks, readAtBlocks } from "../db/checkpoint.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import { Prisma, type PrismaClient } from "../db/generated/client.ts";
import { formatWad } from "../protocol/decimal.ts";
import { storedAmount, storedHex } from "../protocol/shapes.ts";
import { groupBy } from "./group.ts";
import type { BalanceListInput } from "./input.ts";

const wad = storedAmount.transform(formatWad);

const holderSchema = z.object({
  chain_id: z.number(),
  product_type: z.string(),
  user_address: storedHex,
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
export const holdersOf = (input: BalanceListInput, chainIds: number[]): Prisma.Sql =>
  Prisma.join(filters(input, chainIds), " AND ");

/** Ledgers by chain, product and user, with the indexed blocks of their chains. @throws ApiError as readAtBlocks */
export async function readHolders(
  prisma: PrismaClient,
  where: Prisma.Sql,
  after: LedgerName | null,
  limit: number,
): Promise<AtBlocks<Holder[]>> {
  const page = Prisma.sql`
    SELECT u.chain_id, u.product_type, u.user_address, coalesce(b.available, 0)::text AS available,
      coalesce(b.locked, 0)::text AS locked
    FROM (${holders(Prisma.sql`${where} AND ${behind(after)}`, limit)}) u
    LEFT JOIN onchain.cash_balance b
      ON b.chain_id = u.chain_id AND b.product_type = u.product_type AND b.user_address = u.user_address
    ORDER BY u.chain_id, u.product_type, u.user_address`;
  const { blocks, data } = await readAtBlocks(prisma, page);
  return { blocks, data: data.map((row) => holderSchema.parse(row)) };
}

/** Users with a ledger of cash or of stock. Each side is cut to the limit first, along its primary key. */
function holders(where: Prisma.Sql, limit: number): Prisma.Sql {
  const side = (table: Prisma.Sql) => Prisma.sql`
    (SELECT DISTINCT u.chain_id, u.product_type, u.user_address FROM ${table} u WHERE ${where}
      ORDER BY u.chain_id, u.product_type, u.user_address LIMIT ${limit})`;
  return Prisma.sql`
    ${side(Prisma.sql`onchain.cash_balance`)} UNION ${side(Prisma.sql`onchain.stock_balance`)}
    ORDER BY chain_id, product_type, user_address LIMIT ${limit}`;
}

function filters(input: BalanceListInput, chainIds: number[]): Prisma.Sql[] {
  const { productType, userAddress, keyId, symbol, stockAddress } = input;
  return [
    Prisma.sql`u.chain_id = ANY(${chainIds})`,
    ...(productType === undefined ? [] : [Prisma.sql`u.product_type = ${productType}`]),
    ...(userAddress === undefined ? [] : [Prisma.sql`u.user_address = ${userAddress}`]),
    ...(keyId === undefined
      ? []
      : [
          Prisma.sql`EXISTS (SELECT 1 FROM app.api_key k JOIN app.api_key_scope s ON s.key_id = k.key_id
            WHERE k.key_id = ${keyId}::uuid AND k.user_address = u.user_address
              AND s.chain_id = u.chain_id AND s.product_type = u.product_type)`,
        ]),
    ...(symbol === undefined && stockAddress === undefined ? [] : [holds(symbol, stockAddress)]),
  ];
}

const holds = (symbol: string | undefined, stockAddress: string | undefined): Prisma.Sql => Prisma.sql`
  EXISTS (SELECT 1 FROM onchain.stock_balance h JOIN onchain.stock_token t
      ON t.chain_id = h.chain_id AND t.product_type = h.product_type AND t.token_address = h.stock_address
    WHERE h.chain_id = u.chain_id AND h.product_type = u.product_type AND h.user_address = u.user_address
      AND h.available + h.locked > 0
      ${symbol === undefined ? Prisma.empty : Prisma.sql`AND upper(t.symbol) = ${symbol.toUpperCase()}`}
      ${stockAddress === undefined ? Prisma.empty : Prisma.sql`AND h.stock_address = ${stockAddress}`})`;

function behind(after: LedgerName | null): Prisma.Sql {
  if (after === null) return Prisma.sql`true`;
  const { chainId, productType, user } = after;
  return Prisma.sql`(u.chain_id, u.product_type, u.user_address) > (${chainId}::int, ${productType}, ${user})`;
}

/** Counting stops where the lists of orders stop too. */
const COUNTED_MAX = 10_000;

/** Returns how many ledgers there are, at most COUNTED_MAX. */
export async function countHolders(prisma: PrismaClient, where: Prisma.Sql): Promise<number> {
  const [row] = await withDatabaseErrors(() =>
    prisma.$queryRaw<unknown[]>(
      Prisma.sql`SELECT count(*)::int AS total FROM (${holders(where, COUNTED_MAX)}) counted`,
    ),
  );
  return z.object({ total: z.number() }).parse(row).total;
}

const stockSchema = z
  .object({
    chain_id: z.number(),
    product_type: z.string(),
    user_address: z.string(),
    stock_address: storedHex,
    symbol: z.string().nullable(),
    available: wad,
    locked: wad,
    cost_basis: wad,
    realized_pnl: wad,
  })
  .transform((row) => ({
    ledger: ledgerKey({ chainId: row.chain_id, productType: row.product_type, user: row.user_address }),
    stockAddress: getAddress(row.stock_address),
    symbol: row.symbol,
    exchangeBalance: row.available,
    exchangeLocked: row.locked,
    costBasis: row.cost_basis,
    realizedPnl: row.realized_pnl,
  }));

export const ledgerKey = (ledger: LedgerName): string =>
  JSON.stringify([ledger.chainId, ledger.productType, ledger.user]);

/** Returns the stock in ledgers, by ledgerKey. */
export async function readStocks(prisma: PrismaClient, ledgers: readonly LedgerName[]) {
  const rows = await withDatabaseErrors(() =>
    prisma.$queryRaw<unknown[]>(Prisma.sql`
      SELECT h.chain_id, h.product_type, h.user_address, h.stock_address, t.symbol, h.available::text AS available,
        h.locked::text AS locked, h.cost_basis::text AS cost_basis, h.realized_pnl::text AS realized_pnl
      FROM unnest(${ledgers.map(({ chainId }) => chainId)}::int[],
        ${ledgers.map(({ productType }) => productType)}::text[], ${ledgers.map(({ user }) => user)}::text[])
        AS u (chain_id, product_type, user_address)
      JOIN onchain.stock_balance h
        ON h.chain_id = u.chain_id AND h.product_type = u.product_type AND h.user_address = u.user_address
      LEFT JOIN onchain.stock_token t
        ON t.chain_id = h.chain_id AND t.product_type = h.product_type AND t.token_address = h.stock_address
      ORDER BY t.symbol, h.stock_address`),
  );
  return groupBy(
    rows.map((row) => stockSchema.parse(row)),
    ({ ledger }) => ledger,
  );
}
