import {
  columnVisibilityFeature,
  createColumnHelper,
  metaHelper,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from "@tanstack/preact-table";
import { useMemo } from "preact/hooks";
import { Cards } from "./cards.tsx";
import type { Visibility } from "./columns.ts";
import type { Sort } from "./list-query.ts";
import type { CardOf, Column } from "./list-spec.ts";
import { useFlashes } from "./use-flashes.ts";
import { useNarrow } from "./use-narrow.ts";

const features = tableFeatures({
  columnVisibilityFeature,
  rowSortingFeature,
  columnMeta: metaHelper<{ align: "right" | undefined; orderBy: string | undefined }>(),
});

interface Props<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Changes where other rows are requested: only rows that change while it stays flash. Null: none does. */
  flashKey: string | null;
  idOf: (row: Row) => string;
  cardOf: CardOf<Row>;
  visibility: Visibility;
  sort: Sort | null;
  onSort?: ((orderBy: string) => void) | undefined;
}

/** Rows that the service has filtered, sorted and paged: a table, and on a phone cards. */
export function DataTable<Row extends object>(props: Props<Row>) {
  const { caption, rows, idOf, cardOf } = props;
  const flashes = useFlashes(rows, idOf, props.flashKey);
  const isNarrow = useNarrow();
  if (isNarrow) return <Cards caption={caption} rows={rows} flashes={flashes} idOf={idOf} cardOf={cardOf} />;
  return <Table {...props} flashes={flashes} />;
}

type TableProps<Row> = Omit<Props<Row>, "cardOf" | "flashKey"> & { flashes: ReadonlySet<string> };

function Table<Row extends object>(props: TableProps<Row>) {
  const { caption, columns, rows, flashes, visibility, sort } = props;
  const table = useTable({
    features,
    columns: useColumns(columns),
    data: rows,
    getRowId: props.idOf,
    manualSorting: true,
    enableSortingRemoval: true,
    state: { columnVisibility: visibility, sorting: sortingOf(columns, sort) },
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a frame that scrolls must be reachable by the keyboard
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table>
        <caption>{caption}</caption>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map(({ id, column }) => (
                <th
                  key={id}
                  scope="col"
                  data-align={column.columnDef.meta?.align}
                  aria-sort={ariaSort(column.getIsSorted())}
                >
                  <Heading
                    title={String(column.columnDef.header)}
                    orderBy={props.onSort ? column.columnDef.meta?.orderBy : undefined}
                    sorted={column.getIsSorted()}
                    onSort={props.onSort}
                  />
                </th>
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr
              key={row.id}
              tabIndex={-1}
              data-row={row.id}
              class={flashes.has(row.id) ? "flash" : undefined}
            >
              {row.getVisibleCells().map((cell) => (
                <td
                  key={cell.id}
                  data-title={String(cell.column.columnDef.header)}
                  data-align={cell.column.columnDef.meta?.align}
                >
                  <div class="cell">
                    <table.FlexRender cell={cell} />
                  </div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function useColumns<Row extends object>(columns: readonly Column<Row>[]) {
  return useMemo(() => {
    const helper = createColumnHelper<typeof features, Row>();
    return columns.map(({ id, title, cell, align, orderBy }) =>
      helper.display({
        id,
        header: title,
        enableSorting: orderBy !== undefined,
        meta: { align, orderBy },
        cell: ({ row }) => <>{cell(row.original)}</>,
      }),
    );
  }, [columns]);
}

function sortingOf<Row>(columns: readonly Column<Row>[], sort: Sort | null): SortingState {
  const column = sort && columns.find(({ orderBy }) => orderBy === sort.orderBy);
  return column ? [{ id: column.id, desc: sort.direction === "desc" }] : [];
}

const ariaSort = (sorted: false | "asc" | "desc") =>
  sorted ? ({ asc: "ascending", desc: "descending" } as const)[sorted] : undefined;

interface HeadingProps {
  title: string;
  orderBy: string | undefined;
  sorted: false | "asc" | "desc";
  onSort: ((orderBy: string) => void) | undefined;
}

function Heading({ title, orderBy, sorted, onSort }: HeadingProps) {
  if (!orderBy || !onSort) return <>{title}</>;
  return (
    <button type="button" class="sort" onClick={() => onSort(orderBy)}>
      {title}
      <svg viewBox="0 0 8 12" width="8" height="12" aria-hidden="true" fill="currentColor">
        {sorted !== "desc" && <path d="M4 0 8 5H0z" />}
        {sorted !== "asc" && <path d="M4 12 0 7h8z" />}
      </svg>
    </button>
  );
}
