import type { CardOf } from "./list-spec.ts";

interface Props<Row> {
  caption: string;
  rows: readonly Row[];
  flashes: ReadonlySet<string>;
  idOf: (row: Row) => string;
  cardOf: CardOf<Row>;
}

/** The rows of a table on a phone: a card each, with what matters most of its columns. */
export function Cards<Row>({ caption, rows, flashes, idOf, cardOf }: Props<Row>) {
  return (
    <ul class="cards" aria-label={caption}>
      {rows.map((row) => {
        const id = idOf(row);
        return (
          <li key={id} tabIndex={-1} data-row={id} class={flashes.has(id) ? "flash" : undefined}>
            {cardOf(row).map(([left, right], line) => (
              <div key={line} class="line">
                <div class="left">{left}</div>
                <div class="right">{right}</div>
              </div>
            ))}
          </li>
        );
      })}
    </ul>
  );
}
