import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { Freshness, type Reading, ReadingState } from "../frame/reading.tsx";
import { useTheme } from "../frame/theme.ts";
import { amount, exactTime, NOTHING, sumOf } from "../values/format.ts";
import { useNow } from "../values/use-now.ts";
import { Time } from "../values/values.tsx";
import { draw, type PlotStyle } from "./draw.ts";
import { isEmpty, type PlotData, type PlotSeries } from "./series.ts";

interface Props extends PlotStyle {
  title: string;
  /** Null before it is read. */
  data: PlotData | null;
  answer: Reading;
  /** True where the values of steps add up: the legend then has their sum, and not the last step, which has only begun. */
  addsUp?: boolean;
  /** Time of the newest sample, Unix seconds; undefined where the values are no samples. */
  lastAt?: number | null;
  /** Text of an empty plot. */
  empty: string;
  /** True where a plot with only zero counts is empty. */
  zeroIsNothing?: boolean;
}

/** Shows a plot with its unit and legend, and the same as a table. Arrow keys move along it like the pointer. */
export function Plot({
  title,
  unit,
  data,
  answer,
  lastAt,
  addsUp = false,
  empty,
  kind,
  zeroIsNothing = false,
}: Props) {
  const isOld = useIsOld(lastAt ?? null);
  const [index, setIndex] = useState<number | null>(null);
  const isNothing = data !== null && isEmpty(data, zeroIsNothing);
  const shown = data && !isNothing ? data : null;
  return (
    <figure class="plot">
      <figcaption>
        <h2>{title}</h2> <span class="unit">{unit}</span>
        <span class="at">
          {shown && index !== null ? (
            exactTime(shown.at[index] ?? 0).slice(5, 16)
          ) : (
            <Freshness answer={answer} />
          )}
        </span>
      </figcaption>
      {isOld && shown && lastAt && (
        <p class="old">
          Last sample <Time at={lastAt} />
        </p>
      )}
      <ReadingState answer={answer} />
      {isNothing && <p class="blank">{empty}</p>}
      {shown && (
        <Canvas title={title} kind={kind} unit={unit} data={shown} index={index} onIndex={setIndex} />
      )}
      {shown && <Legend data={shown} index={index} isOld={isOld} addsUp={addsUp} lastAt={lastAt ?? null} />}
      {shown && <Values title={title} unit={unit} data={shown} />}
    </figure>
  );
}

interface CanvasProps extends PlotStyle {
  title: string;
  data: PlotData;
  index: number | null;
  onIndex: (index: number | null) => void;
}

function Canvas({ title, kind, unit, data, index, onIndex }: CanvasProps) {
  const root = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const theme = useTheme();
  useEffect(() => {
    const { current } = root;
    if (!current) return;
    const made = draw(current, data, { kind, unit }, onIndex);
    plot.current = made;
    const observer = new ResizeObserver(() => {
      if (current.clientWidth > 0 && current.clientWidth !== made.width) {
        made.setSize({ width: current.clientWidth, height: made.height });
      }
    });
    observer.observe(current);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [data, theme, kind]);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || !plot.current) return;
    event.preventDefault();
    const last = data.at.length - 1;
    const next = Math.min(Math.max((index ?? last + 1) + step, 0), last);
    plot.current.setCursor({ left: plot.current.valToPos(data.at[next] ?? 0, "x"), top: 10 });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: no element stands for a drawing that the keyboard moves along
    <div
      class="canvas"
      ref={root}
      role="group"
      aria-label={`${title}, ${unit}. The table below has the values.`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move along the plot
      tabIndex={0}
      onKeyDown={move}
    />
  );
}

/** Workers take one each minute, and the page reads them every half. */
const SAMPLE_SECONDS_MAX = 150;

function useIsOld(lastAt: number | null): boolean {
  const now = useNow();
  return lastAt !== null && now / 1_000 - lastAt > SAMPLE_SECONDS_MAX;
}

interface LegendProps {
  data: PlotData;
  index: number | null;
  isOld: boolean;
  addsUp: boolean;
  lastAt: number | null;
}

/** Shows the names of the lines, with their value under the cursor, or else their sum, or the last one with its age, unless that is of another time. */
function Legend({ data, index, isOld, addsUp, lastAt }: LegendProps) {
  const atRest = (series: PlotSeries) => {
    if (addsUp) return amount(sumOf(series.texts ?? series.values.map((value) => String(value ?? 0))));
    return isOld ? NOTHING : valueAt(series, lastKnown(series));
  };
  return (
    <ul class="legend">
      {data.series.map((series) => (
        <li key={series.label}>
          <span class={`swatch series-${series.colour}`} aria-hidden="true" />
          {series.label} <b>{index === null ? atRest(series) : valueAt(series, index)}</b>
        </li>
      ))}
      {index === null && !addsUp && !isOld && (
        <li>
          <Time at={lastAt ?? data.at[Math.max(...data.series.map(lastKnown))]} />
        </li>
      )}
    </ul>
  );
}

const lastKnown = ({ values }: PlotSeries) => values.findLastIndex((value) => value !== null);

function valueAt({ values, texts }: PlotSeries, index: number): string {
  const value = values[index];
  if (value === null || value === undefined) return NOTHING;
  return texts?.[index] ?? value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 3 : 1 });
}

/** Shows the values as a table, newest first, for readers who cannot see the plot. Rendered only once opened. */
function Values({ title, unit, data }: { title: string; unit: string; data: PlotData }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="values" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Table</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a frame that scrolls must be reachable by the keyboard
        <section class="scroll" aria-label={`Values of ${title}`} tabIndex={0}>
          <table>
            <caption>
              {title}, {unit}
            </caption>
            <thead>
              <tr>
                <th scope="col">Time (UTC)</th>
                {data.series.map(({ label }) => (
                  <th key={label} scope="col" data-align="right">
                    {label}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.at
                .map((at, index) => (
                  <tr key={at}>
                    <td data-title="Time">{exactTime(at).slice(0, 16)}</td>
                    {data.series.map((series) => (
                      <td key={series.label} data-title={series.label} data-align="right">
                        {valueAt(series, index)}
                      </td>
                    ))}
                  </tr>
                ))
                .reverse()}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
