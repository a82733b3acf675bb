import type { ComponentChildren } from "preact";
import type { PageDocument } from "../service/ask.ts";
import type { LiveEvent } from "../service/live.ts";

export interface Column<Row> {
  id: string;
  title: string;
  cell: (row: Row) => ComponentChildren;
  align?: "right";
  /** The service's name of the order by this column; without it the column is not sortable. */
  orderBy?: string;
  /** True where it shows only once the reader chooses it. */
  isHidden?: boolean;
}

/** Line of a card: what stands at its left, and at its right. */
export type Line = readonly [left: ComponentChildren, right: ComponentChildren];

/** Most lines of a card: 25 of them are on a phone's page of 3,000 px. */
type Lines =
  | readonly [Line]
  | readonly [Line, Line]
  | readonly [Line, Line, Line]
  | readonly [Line, Line, Line, Line];

export type CardOf<Row> = (row: Row) => Lines;

export interface Filter {
  name: string;
  title: string;
  /** Choices; `chains` and `products` are those of the installation. */
  words?: readonly string[] | "chains" | "products" | "keys";
  /** number: sent as one; time: typed as local time, sent as Unix seconds. */
  type?: "number" | "time";
  width?: number;
  placeholder?: string;
}

export interface ListPageInfo {
  totalCount: number;
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

export interface ListSpec<Result, Row extends object> {
  name: string;
  title: string;
  /** Noun of the total, such as "orders". */
  unit: string;
  document: PageDocument<Result, Record<string, unknown>>;
  filters: readonly Filter[];
  columns: readonly Column<Row>[];
  connection: (result: Result) => ListPageInfo;
  rows: (result: Result) => Row[];
  idOf: (row: Row) => string;
  /** Returns the row's card, for a phone. */
  cardOf: CardOf<Row>;
  /** Returns what an export has of a row; the row as it was answered by default. */
  recordOf?: (row: Row) => object;
  concerns: (event: LiveEvent) => boolean;
  /** Returns the number of counted objects among the rows; each row is one by default. */
  countOf?: (rows: readonly Row[]) => number;
  /** Text of an empty list. */
  empty: string;
  /** Filter that the service requires, and what shows without it. */
  required?: { filter: string; hint: ComponentChildren };
}

/** Infers the types of a list from its document. */
export const defineList = <Result, Row extends object>(
  spec: Omit<ListSpec<Result, Row>, "document"> & { document: PageDocument<Result, never> },
): ListSpec<Result, Row> => spec as unknown as ListSpec<Result, Row>;
