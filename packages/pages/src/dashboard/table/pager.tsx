import { PAGE_SIZES, pageSizeOf, rangeText, withChange } from "./list-query.ts";
import type { ListPageInfo } from "./list-spec.ts";

interface Props {
  query: Readonly<Record<string, string>>;
  unit: string;
  shown: number;
  connection: ListPageInfo | null;
  /** Cursors by page. */
  trail: ReadonlyMap<number, string>;
  onQuery: (query: Record<string, unknown>) => void;
}

/** Shows the range of rows, and leads to the others. */
export function Pager({ query, unit, shown, connection, trail, onQuery }: Props) {
  const page = Math.max(1, Number(query.page) || 1);
  const size = pageSizeOf(query);
  const endCursor = connection?.pageInfo.hasNextPage ? connection.pageInfo.endCursor : null;
  const before = page > 2 ? trail.get(page - 1) : undefined;
  const back = before ? { after: before, page: String(page - 1) } : {};
  return (
    <div class="pager">
      <span class="range" role="status">
        {connection ? rangeText(shown, page, size, connection.totalCount, unit) : ""}
      </span>
      <button type="button" disabled={page === 1} onClick={() => onQuery(withChange(query, back))}>
        {page === 1 || page === 2 || before ? "Previous" : "First page"}
      </button>
      <button
        type="button"
        disabled={!endCursor}
        onClick={() => endCursor && onQuery(withChange(query, { after: endCursor, page: String(page + 1) }))}
      >
        Next
      </button>
      <label class="size">
        <span>Rows</span>
        <select
          value={String(size)}
          onChange={({ currentTarget }) =>
            onQuery(
              withChange(query, {
                rows: currentTarget.value === String(PAGE_SIZES[0]) ? undefined : currentTarget.value,
              }),
            )
          }
        >
          {PAGE_SIZES.map((choice) => (
            <option key={choice} value={String(choice)}>
              {choice}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
