/** The cost of a request against its key's rate limit, in units: one is a look-up of one thing. */
export type Cost = number | SizedCost;

/** A cost that grows with the query parameter `limit`: one unit, and one for each `rowsPerUnit` rows that were begun. */
export interface SizedCost {
  rowsPerUnit: number;
  /** Rows where `limit` is left out or below 1. */
  defaultRows: number;
  /** Rows at most, whatever `limit` says. */
  maxRows: number;
}

/** A list of orders or operations. */
export const LIST_COST: SizedCost = { rowsPerUnit: 10, defaultRows: 10, maxRows: 100 };

/** Price bars. */
export const HISTORY_COST: SizedCost = { rowsPerUnit: 50, defaultRows: 100, maxRows: 5_000 };

/** Returns the largest cost that one request may have. */
export const costMax = (cost: Cost): number =>
  typeof cost === "number" ? cost : 1 + Math.ceil(cost.maxRows / cost.rowsPerUnit);

/**
 * Returns the cost of a request, by what it declares before anything of it is checked. What does not plainly declare a
 * size costs the most: whatever the handler makes of it later, it is paid for.
 * @param query what follows the `?`, as sent; null where there is none
 */
export function costOf(cost: Cost, query: string | null): number {
  if (typeof cost === "number") return cost;
  const declared = query === null ? null : /(?:^|&)limit=([^&]*)/.exec(query)?.[1];
  const rows =
    declared == null ? cost.defaultRows : /^\d{1,9}$/.test(declared) ? Number(declared) : cost.maxRows;
  const bounded = Math.min(rows < 1 ? cost.defaultRows : rows, cost.maxRows);
  return 1 + Math.ceil(bounded / cost.rowsPerUnit);
}
