import { useEffect, useMemo, useRef } from "preact/hooks";
import { Freshness, ReadingState } from "../frame/reading.tsx";
import { hrefOf } from "../frame/route.ts";
import { navigate } from "../frame/use-route.ts";
import { useAsk } from "../service/use-ask.ts";
import { ColumnMenu } from "./column-menu.tsx";
import { useVisibility } from "./columns.ts";
import { DataTable } from "./data-table.tsx";
import { ExportButton } from "./export-button.tsx";
import { Filters } from "./filters.tsx";
import { nextSort, sortOf, variablesOf, withChange } from "./list-query.ts";
import type { Column, ListSpec } from "./list-spec.ts";
import { Pager } from "./pager.tsx";

interface Props<Result, Row extends object> {
  spec: ListSpec<Result, Row>;
  query: Readonly<Record<string, string>>;
}

/** A list with its filters, columns and pages. Everything but the columns is in the URL. */
export function ListPage<Result, Row extends object>({ spec, query }: Props<Result, Row>) {
  const go = (next: Record<string, unknown>) => navigate(hrefOf([spec.name], next));
  return (
    <>
      <div class="title">
        <h1>{spec.title}</h1>
      </div>
      <Filters
        title={spec.title}
        filters={spec.filters}
        query={query}
        onChange={(name, value) => go(withChange(query, { [name]: value }))}
        onClear={() => go(query.rows ? { rows: query.rows } : {})}
      />
      {spec.required && !query[spec.required.filter] ? (
        <p class="empty">{spec.required.hint}</p>
      ) : (
        <List spec={spec} query={query} onQuery={go} />
      )}
    </>
  );
}

interface ListProps<Result, Row extends object> extends Props<Result, Row> {
  onQuery: (query: Record<string, unknown>) => void;
  /** Filters that the view sets, such as the user of a user's page. */
  fixed?: Readonly<Record<string, unknown>>;
}

/** A list without its filters, also for the pages of one user or key. */
export function List<Result, Row extends object>({
  spec,
  query,
  onQuery,
  fixed = {},
}: ListProps<Result, Row>) {
  const columns = useColumns(spec.columns, fixed);
  const { first, after, ...chosen } = { ...variablesOf(spec.filters, query), ...fixed };
  const variables = { ...chosen, first, ...(after === undefined ? {} : { after }) };
  const answer = useAsk(spec.document, variables, spec.concerns);
  const { data, key } = answer;
  const [visibility, setVisibility] = useVisibility(spec.name, columns);
  const trail = useTrail(spec.name, query);
  const sort = sortOf(query);
  const rows = useRows(spec, data);
  const connection = data && spec.connection(data);
  // A list whose document takes no order has only its own.
  const canSort = spec.document.text.includes("$orderBy");
  return (
    <section aria-busy={answer.isLoading} class="list">
      <div class="bar">
        <Pager
          query={query}
          unit={spec.unit}
          shown={spec.countOf?.(rows) ?? rows.length}
          connection={connection}
          trail={trail}
          onQuery={onQuery}
        />
        <Freshness answer={answer} />
        <span class="tools">
          <ExportButton spec={spec} variables={chosen} />
          <ColumnMenu columns={columns} visibility={visibility} onChange={setVisibility} />
        </span>
      </div>
      <ReadingState answer={answer} />
      {data && rows.length === 0 && <p class="empty">{spec.empty}</p>}
      {data && rows.length > 0 && (
        <DataTable
          caption={spec.title}
          columns={columns}
          rows={rows}
          flashKey={key}
          idOf={spec.idOf}
          cardOf={spec.cardOf}
          visibility={visibility}
          sort={sort}
          onSort={
            canSort ? (orderBy) => onQuery(withChange(query, { sort: nextSort(sort, orderBy) })) : undefined
          }
        />
      )}
    </section>
  );
}

/** Columns in which every row has what such a filter is set to. */
const COLUMNS_OF: Readonly<Record<string, string>> = { keyId: "key", userAddress: "user", wallet: "wallet" };

/** Returns the columns of a list without those that the view has set; the same array for the same view. */
function useColumns<Row>(
  all: readonly Column<Row>[],
  fixed: Readonly<Record<string, unknown>>,
): readonly Column<Row>[] {
  const names = Object.keys(fixed).join();
  return useMemo(() => {
    const known = new Set(names.split(",").map((name) => COLUMNS_OF[name]));
    return all.filter(({ id }) => !known.has(id));
  }, [all, names]);
}

/** Returns the rows of an answer, the same array for the same answer. */
function useRows<Result, Row extends object>(
  spec: ListSpec<Result, Row>,
  data: Result | null,
): readonly Row[] {
  const last = useRef<{ spec: unknown; data: Result | null; rows: readonly Row[] }>(null);
  if (last.current?.data !== data || last.current?.spec !== spec) {
    last.current = { spec, data, rows: data ? spec.rows(data) : [] };
  }
  return last.current?.rows ?? [];
}

/** Returns the cursors of the pages before this one, since lists are paged forwards only. */
function useTrail(name: string, query: Readonly<Record<string, string>>): Map<number, string> {
  const { after, page, ...filters } = query;
  const key = `${name} ${JSON.stringify(filters)}`;
  const trail = useRef({ key, cursors: new Map<number, string>() });
  if (trail.current.key !== key) trail.current = { key, cursors: new Map() };
  const { cursors } = trail.current;
  useEffect(() => {
    if (after) cursors.set(Number(page), after);
  }, [after, page, cursors]);
  return cursors;
}
