import { Freshness, type Reading, ReadingState } from "../frame/reading.tsx";
import { DataTable } from "./data-table.tsx";
import type { CardOf, Column } from "./list-spec.ts";

interface PanelProps<Row> {
  title: string;
  empty: string;
  /** Answer that the rows are of; left out where the page shows its state. */
  answer?: Reading;
  /** Null before they are read. */
  rows: readonly Row[] | null;
  columns: readonly Column<Row>[];
  cardOf: CardOf<Row>;
  idOf: (row: Row) => string;
}

/** Shows a short table that is read whole, or what shows in its place. */
export function Panel<Row extends object>({
  title,
  empty,
  answer,
  rows,
  columns,
  cardOf,
  idOf,
}: PanelProps<Row>) {
  return (
    <section class="panel">
      <h2>
        {title} {answer && <Freshness answer={answer} />}
      </h2>
      {answer && <ReadingState answer={answer} />}
      {rows?.length === 0 && <p class="empty">{empty}</p>}
      {rows && rows.length > 0 && (
        <DataTable
          caption={title}
          columns={columns}
          rows={rows}
          flashKey={null}
          idOf={idOf}
          cardOf={cardOf}
          visibility={Object.fromEntries(columns.map(({ id }) => [id, true]))}
          sort={null}
        />
      )}
    </section>
  );
}
