/** Cost of a request against its key's rate limit, in units: looking one thing up costs one. */
export type Cost = number | SizedCost;

/** Cost that grows with the query parameter `limit`: one unit, and one for each `rowsPerUnit` rows begun. */
export interface SizedCost {
  rowsPerUnit: number;
  /** Rows where `limit` is left out or below 1. */
  defaultRows: number;
  /** Rows at most, whatever `limit` says. */
  maxRows: number;
}

/** A list of orders or operations. */
export const LIST_COST: SizedCost = { rowsPerUnit: 10, defaultRows: 10, maxRows: 100 };

/** A statement. */
export const STATEMENT_COST: SizedCost = { rowsPerUnit: 10, defaultRows: 100, maxRows: 1_000 };

/** A stream takes more than a look-up: the first page of what it has missed, or all prices. */
export const STREAM_COST = 5;

/** Price bars. */
export const HISTORY_COST: SizedCost = { rowsPerUnit: 50, defaultRows: 100, maxRows: 5_000 };

/** Returns the largest cost that one request may have. */
export const costMax = (cost: Cost): number =>
  typeof cost === "number" ? cost : 1 + Math.ceil(cost.maxRows / cost.rowsPerUnit);

/**
 * Returns the cost of a request from its declared size, before anything of it is checked. A request that declares no plain size
 * costs the maximum, whatever the handler makes of it later.
 * @param query the part behind the `?`, as sent; null where there is none
 */
export function costOf(cost: Cost, query: string | null): number {
  if (typeof cost === "number") return cost;
  const declared = query === null ? null : /(?:^|&)limit=([^&]*)/.exec(query)?.[1];
  const rows =
    declared == null ? cost.defaultRows : /^\d{1,9}$/.test(declared) ? Number(declared) : cost.maxRows;
  const bounded = Math.min(rows < 1 ? cost.defaultRows : rows, cost.maxRows);
  return 1 + Math.ceil(bounded / cost.rowsPerUnit);
}
