import uPlot from "uplot";
import { compact, type PlotData, stacked, tick } from "./series.ts";

/** Style of one plot. */
export interface PlotStyle {
  kind: "lines" | "bars";
  unit: string;
}

export const PLOT_HEIGHT = 180;

const COUNTED: ReadonlySet<string> = new Set(["orders", "requests"]);
/** Steps of an axis of counts: there is no half of an order. */
const WHOLE_STEPS = Array.from({ length: 10 }, (_, digits) =>
  [1, 2, 5].map((step) => step * 10 ** digits),
).flat();

/** Creates a uPlot in an element. It draws on canvas and sets style properties: nothing that the page's policy blocks. */
export function draw(
  root: HTMLElement,
  data: PlotData,
  { kind, unit }: PlotStyle,
  onCursor: (index: number | null) => void,
): uPlot {
  const colours = coloursOf(root);
  const axis = { stroke: colours("--quiet"), font: "12px system-ui, sans-serif", ticks: { show: false } };
  const grid = { stroke: colours("--line"), width: 1 };
  const drawn = order(data, kind);
  const options: uPlot.Options = {
    width: Math.max(root.clientWidth, 120),
    height: PLOT_HEIGHT,
    legend: { show: false },
    padding: [8, 20, 0, 0],
    cursor: { drag: { x: false, y: false }, y: false, points: { show: kind === "lines" } },
    scales: {
      x: { time: true, range: spanOf(data, kind) },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        size: 30,
        gap: 8,
        grid: { show: false },
        values: (_plot, splits, _axis, _space, step) => splits.map((at) => tick(at, step)),
      },
      {
        ...axis,
        grid,
        size: 48,
        values: (_plot, splits) => splits.map(compact),
        ...(COUNTED.has(unit) && { incrs: WHOLE_STEPS }),
      },
    ],
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), "Etc/UTC"),
    series: [{}, ...drawn.map(({ colour }) => seriesOf(colours(`--series-${colour}`), kind))],
    hooks: { setCursor: [({ cursor }) => onCursor(cursor.idx ?? null)] },
  };
  return new uPlot(options, toAlignedData(data, kind), root);
}

/** Returns uPlot's data. Stacked bars are whole columns: the highest first, so that lower ones cover its foot. */
export function toAlignedData(data: PlotData, kind: PlotStyle["kind"]): uPlot.AlignedData {
  const at = [...data.at];
  if (kind === "lines") return [at, ...data.series.map(({ values }) => [...values])];
  return [at, ...stacked(data.series).reverse()];
}

const order = ({ series }: PlotData, kind: PlotStyle["kind"]) =>
  kind === "lines" ? series : [...series].reverse();

/** Returns the time span of a plot. A bar stands on its whole step, including the last one. */
function spanOf({ at }: PlotData, kind: PlotStyle["kind"]): [number, number] {
  const [first = 0, second = first + 60] = at;
  const last = at.at(-1) ?? first;
  return kind === "bars" ? [first, last + (second - first)] : [first, Math.max(last, first + 1)];
}

function seriesOf(colour: string, kind: PlotStyle["kind"]): uPlot.Series {
  if (kind === "lines") {
    const points = { show: true, size: 5, fill: colour, filter: lonePoints };
    return { stroke: colour, width: 1.75, spanGaps: false, points };
  }
  const paths = uPlot.paths.bars?.({ size: [0.8, 40], align: 1 });
  return { fill: colour, stroke: colour, width: 0, points: { show: false }, ...(paths ? { paths } : {}) };
}

/** Returns the points that no line leads to. */
function lonePoints(plot: uPlot, series: number): number[] {
  const values = plot.data[series] ?? [];
  const isThere = (index: number) => (values[index] ?? null) !== null;
  return [...values.keys()].filter((index) => isThere(index) && !isThere(index - 1) && !isThere(index + 1));
}

/** Returns the colours of the shown theme: a canvas knows no custom properties. */
function coloursOf(root: HTMLElement): (name: string) => string {
  const probe = document.createElement("span");
  root.append(probe);
  const resolve = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const names = ["--quiet", "--line", ...Array.from({ length: 9 }, (_, index) => `--series-${index + 1}`)];
  const colours = new Map(names.map((name) => [name, resolve(name)]));
  probe.remove();
  return (name) => colours.get(name) ?? "gray";
}
