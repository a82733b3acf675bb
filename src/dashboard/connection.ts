import type { Slice } from "../claims/list-read.ts";
import type { AtBlocks } from "../db/checkpoint.ts";

/** A connection in the form of the Relay specification. Nothing pages backwards: `last` and `before` are not taken. */
export interface Connection<T> {
  edges: { cursor: string; node: T }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
  /** Counts only where a query selects it. */
  totalCount: () => Promise<number>;
}

interface Asked {
  after?: string | undefined;
}

/** Returns a part of a list as a connection. What lies behind a cursor has at least that cursor's row before it. */
export function toConnection<T>(
  { rows, hasNext }: Slice<T>,
  { after }: Asked,
  totalCount: () => Promise<number>,
): Connection<T> {
  return {
    edges: rows.map(({ cursor, row }) => ({ cursor, node: row })),
    pageInfo: {
      hasNextPage: hasNext,
      hasPreviousPage: after !== undefined,
      startCursor: rows[0]?.cursor ?? null,
      endCursor: rows.at(-1)?.cursor ?? null,
    },
    totalCount,
  };
}

type Direction = "asc" | "desc";

/** Returns what cursors of a list name: also its direction, where it is not the usual one. */
export const nameByCreation = (list: string, direction: Direction) => ({
  list: direction === "desc" ? list : `${list} by createdAt ${direction}`,
  chainId: null,
  productType: null,
});

/** Returns the condition that a column is behind a value, in the direction of a list. */
export const beyond = <T>(direction: Direction, value: T): { lt: T } | { gt: T } =>
  direction === "desc" ? { lt: value } : { gt: value };

/** Presents the indexed blocks that rows were read at, by chain. */
export function presentBlocks(blocks: AtBlocks<unknown>["blocks"], chainIds: readonly number[]) {
  return chainIds.flatMap((chainId) => {
    const block = blocks.get(chainId);
    return block ? [{ chainId, number: block.number, timestamp: block.timestamp }] : [];
  });
}

/** Returns the first `first` of rows that were read one too many. */
export function sliceOf<Row, T>(
  rows: readonly Row[],
  first: number,
  cursorOf: (row: Row) => string,
  present: (row: Row) => T,
): Slice<T> {
  return {
    rows: rows.slice(0, first).map((row) => ({ cursor: cursorOf(row), row: present(row) })),
    hasNext: rows.length > first,
  };
}
