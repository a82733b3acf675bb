import type { OrderSeriesQuery, RequestSeriesQuery, SendSeriesQuery } from "../service/documents.ts";
import type { Answer } from "../service/use-ask.ts";
import { changeOf, orderTotals, requestTotals, sendTotals, type Total } from "./totals.ts";

/** Answers of one range, and of the range before it. */
interface Pair<Query> {
  now: Answer<Query>;
  before: Answer<Query>;
}

interface Props {
  orders: Pair<OrderSeriesQuery>;
  sends: Pair<SendSeriesQuery>;
  requests: Pair<RequestSeriesQuery>;
  /** Of the range, such as `24 h`. */
  title: string;
}

/** Shows the figures of the whole range, each with its course and its change against the range before. */
export function Tiles({ orders, sends, requests, title }: Props) {
  const tiles = [
    ...paired(orders, ({ dashboard }) => orderTotals(dashboard.orderSeries)),
    ...paired(sends, ({ dashboard }) => sendTotals(dashboard.sendSeries)),
    ...paired(requests, ({ dashboard }) => requestTotals(dashboard.requestSeries)),
  ];
  return (
    <dl class="tiles" aria-label={`Totals of ${title}`}>
      {tiles.map(([now, before]) => (
        <Tile key={now.title} now={now} before={before} title={title} />
      ))}
    </dl>
  );
}

function paired<Query>(
  { now, before }: Pair<Query>,
  totals: (query: Query) => Total[],
): [Total, Total | null][] {
  const past = before.data === null ? [] : totals(before.data);
  return (now.data === null ? [] : totals(now.data)).map((total, index) => [total, past[index] ?? null]);
}

function Tile({ now, before, title }: { now: Total; before: Total | null; title: string }) {
  const change = before && changeOf(now, before);
  return (
    <div class="tile">
      <dt>{now.title}</dt>
      <dd>
        <b title={now.value ?? undefined}>{now.shown}</b>{" "}
        <span class="unit">{now.value === null ? "" : now.unit}</span>
        <Course values={now.values} />
        {before && (
          <span class="before" title={`In the ${title} before: ${before.value ?? before.shown}`}>
            {change === null ? "" : `${change}, `}before: {before.shown}
          </span>
        )}
      </dd>
    </div>
  );
}

const HEIGHT = 24;

/** Draws the values of steps, with a gap at each step without one. */
function Course({ values }: { values: readonly (number | null)[] }) {
  const most = Math.max(...values.map((value) => value ?? 0));
  if (!(most > 0) || values.length < 2) return <svg class="course" aria-hidden="true" />;
  // A line of no length shows a value between two gaps.
  const parts = values.map((value, index) => {
    if (value === null) return "";
    const isFirst = (values[index - 1] ?? null) === null;
    return `${isFirst ? "M" : "L"}${index},${HEIGHT - 1 - ((HEIGHT - 2) * value) / most}h0`;
  });
  return (
    <svg
      class="course"
      aria-hidden="true"
      viewBox={`0 0 ${values.length - 1} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      <path d={parts.join("")} />
    </svg>
  );
}
