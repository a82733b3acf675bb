import type { Hex } from "viem";
import type { Viewer } from "../auth/viewer.ts";
import { LISTED_COLUMNS } from "../claims/list-row.ts";
import { requireShown, type Shown, STATE_COLUMNS, shownTo } from "../claims/shown.ts";
import type { Deps } from "../context/deps.ts";
import type { Order } from "../context/schema-types.ts";
import { createBatcher, padded } from "../db/batch.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import type { PrismaClient, ShownOrder } from "../db/generated/client.ts";
import { orderOfRow } from "./shown.ts";

/** Finds single orders among what keys see (docs/projection.md#reads). */

interface Lookup {
  viewer: Viewer;
  value: string;
}

/** Partners poll orders one by one: those of a chain that are asked for in one tick are read by one statement. */
const BATCH = { maxItems: 64, maxRunning: 1, timeoutMs: 10_000 };

const COLUMNS = {
  ...LISTED_COLUMNS,
  ...STATE_COLUMNS,
  orderId: true,
  clientOrderId: true,
  orderType: true,
  onChainStatus: true,
} as const;
type Row = Pick<ShownOrder, keyof typeof COLUMNS>;

/** A column that orders are found by, and which of a key's rows with its value is the one: the first in this order. */
interface Finder {
  column: "orderId" | "txHash" | "clientOrderId";
  /** True where rows of any number of keys may have the same value: only those of the viewers are read. */
  isShared: boolean;
  compare: (a: Row, b: Row) => number;
}

const oldestFirst = (a: Row, b: Row): number =>
  a.createdAt.getTime() - b.createdAt.getTime() || compareTexts(a.claimId, b.claimId);
const inLogOrder = (a: Row, b: Row): number => a.logIndex - b.logIndex;
const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const BY_ID: Finder = { column: "orderId", isShared: false, compare: inLogOrder };
const BY_TRANSACTION: Finder = {
  column: "txHash",
  isShared: true,
  compare: (a, b) => oldestFirst(a, b) || inLogOrder(a, b),
};
const BY_CLIENT_ID: Finder = {
  column: "clientOrderId",
  isShared: true,
  compare: (a, b) => oldestFirst(b, a) || inLogOrder(a, b),
};

type ReadRow = (lookup: Lookup) => Promise<Row | null>;

const batchers = new WeakMap<PrismaClient, Map<string, ReadRow>>();

function batcherOf(deps: FindDeps, chainId: number, finder: Finder): ReadRow {
  const ofClient = batchers.get(deps.prisma) ?? new Map<string, ReadRow>();
  batchers.set(deps.prisma, ofClient);
  const name = `${chainId} ${finder.column}`;
  const known = ofClient.get(name);
  if (known) return known;
  const batcher = createBatcher((lookups: Lookup[]) => readRows(deps, chainId, finder, lookups), BATCH);
  ofClient.set(name, batcher);
  return batcher;
}

async function readRows(
  { prisma, pool }: FindDeps,
  chainId: number,
  { column, isShared, compare }: Finder,
  lookups: readonly Lookup[],
): Promise<(Row | null)[]> {
  const values = padded(lookups.map(({ value }) => value));
  const keyIds = lookups.flatMap(({ viewer }) => viewer.keyId ?? []);
  // A dashboard sees those of all keys.
  const ofKeys = isShared && keyIds.length === lookups.length ? { keyId: { in: padded(keyIds) } } : {};
  const where = { chainId, [column]: { in: values }, ...ofKeys };
  const found = await withDatabaseErrors(() => prisma.shownOrder.findMany({ where, select: COLUMNS }));
  const sorted = found.sort(compare);
  const rows = lookups.map(
    ({ viewer, value }) => sorted.find((row) => row[column] === value && isOf(row, viewer)) ?? null,
  );
  // Before the rows of the chain are complete, there are none of any key.
  if (rows.includes(null)) await requireShown(pool, chainId);
  return rows;
}

const isOf = (row: Row, { productType, keyId }: Viewer): boolean =>
  row.productType === productType && (keyId === null || row.keyId === keyId);

type FindDeps = Pick<Deps, "prisma" | "pool">;

/** An order that a viewer sees; null where there is none. @throws ApiError INDEXER_BEHIND, DATABASE_UNAVAILABLE */
type Find = (deps: FindDeps, viewer: Viewer, value: string) => Promise<Shown<FoundOrder> | null>;

/** An order as the API answers it, and what else its row has. */
export interface FoundOrder {
  order: Order;
  userAddress: Hex | null;
  orderType: string;
  onChainStatus: string;
}

const finderOf =
  (finder: Finder): Find =>
  async (deps, viewer, value) => {
    const row = await batcherOf(deps, viewer.chainId, finder)({ viewer, value });
    return row && shownTo(viewer, row, foundOrder(row));
  };

const foundOrder = (row: Row): FoundOrder => ({
  order: orderOfRow(row),
  userAddress: row.userAddress as Hex | null,
  orderType: row.orderType,
  onChainStatus: row.onChainStatus,
});

/** Finds an order by its id. */
export const findOrder: Find = finderOf(BY_ID);

/** Finds the order, or what stands for it while it is not indexed, that a key sent under its own identifier. */
export const findOrderByClientId: Find = finderOf(BY_CLIENT_ID);

const findByHash = finderOf(BY_TRANSACTION);

/** Finds the first order, by log order, of a transaction, which a sent one has by the hash of any attempt. */
export const findOrderByTransaction: Find = async (deps, viewer, txHash) => {
  const found = await findByHash(deps, viewer, txHash);
  return found ?? findByAttempt(deps, viewer, txHash);
};

async function findByAttempt(
  { prisma }: FindDeps,
  viewer: Viewer,
  txHash: string,
): Promise<Shown<FoundOrder> | null> {
  const [attempt] = await withDatabaseErrors(() =>
    prisma.sendAttempt.findMany({
      where: { txHash },
      select: { request: { select: { claimId: true } } },
      take: 1,
    }),
  );
  const claimId = attempt?.request.claimId;
  if (!claimId) return null;
  const { keyId, chainId, productType } = viewer;
  const of = { claimId, chainId, productType, ...(keyId === null ? {} : { keyId }) };
  const [row] = await withDatabaseErrors(() =>
    prisma.shownOrder.findMany({ where: of, select: COLUMNS, orderBy: { logIndex: "asc" }, take: 1 }),
  );
  return row ? shownTo(viewer, row, foundOrder(row)) : null;
}
