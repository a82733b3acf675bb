/** A series of a plot, derived from the service's answers. Pure: numbers are floats for drawing alone, texts are exact. */
export interface PlotSeries {
  label: string;
  /** 1 to 9, of the palette in style/base.css. */
  colour: number;
  values: readonly (number | null)[];
  /** Exact texts of the values, where a float might not be exact. */
  texts?: readonly string[];
}

export interface PlotData {
  /** Starts of the steps, Unix seconds. */
  at: readonly number[];
  series: readonly PlotSeries[];
}

export const RANGES = [
  { name: "1h", title: "1 h", seconds: 3_600 },
  { name: "24h", title: "24 h", seconds: 86_400 },
  { name: "7d", title: "7 d", seconds: 7 * 86_400 },
  { name: "31d", title: "31 d", seconds: 31 * 86_400 },
] as const;

export type Range = (typeof RANGES)[number];

export const rangeOf = (name: string | undefined): Range =>
  RANGES.find((range) => range.name === name) ?? RANGES[1];

/** Returns true where there is nothing to draw: no sample, or, if `zeroIsNothing`, no count above zero. */
export const isEmpty = ({ series }: PlotData, zeroIsNothing: boolean): boolean =>
  series.every(({ values }) => values.every((value) => value === null || (zeroIsNothing && value === 0)));

/** Returns the sums of each series and those before it, as in stacked bars. */
export function stacked(series: readonly PlotSeries[]): number[][] {
  const sums: number[][] = [];
  for (const { values } of series) {
    const below = sums.at(-1);
    sums.push(values.map((value, index) => (below?.[index] ?? 0) + (value ?? 0)));
  }
  return sums;
}

const STATUS_COLOURS: Readonly<Record<string, number>> = {
  Filled: 2,
  "Partial filled": 8,
  New: 1,
  Pending: 5,
  Init: 7,
  Canceled: 3,
  Expired: 4,
  Rejected: 9,
  Failed: 6,
};

interface OrderPoint {
  at: number;
  byStatus: readonly { status: string; count: number }[];
  volume: string;
}

/** Returns the orders of each status that any point has. */
export function ordersByStatus(points: readonly OrderPoint[]): PlotData {
  const seen = new Set(points.flatMap(({ byStatus }) => byStatus.map(({ status }) => status)));
  const statuses = Object.keys(STATUS_COLOURS).filter((status) => seen.has(status));
  return {
    at: points.map(({ at }) => at),
    series: statuses.map((label) => ({
      label,
      colour: STATUS_COLOURS[label] ?? 7,
      values: points.map(({ byStatus }) => byStatus.find(({ status }) => status === label)?.count ?? 0),
    })),
  };
}

export const volume = (points: readonly OrderPoint[]): PlotData => ({
  at: points.map(({ at }) => at),
  series: [
    {
      label: "Volume",
      colour: 5,
      values: points.map((point) => Number(point.volume)),
      texts: points.map((point) => point.volume),
    },
  ],
});

/** Returns one field of each of several series with the same steps, a line each. Missing steps are empty. */
export function lines<Point extends { at: number }>(
  named: readonly { label: string; points: readonly Point[] }[],
  value: (point: Point) => number | null,
  text?: (point: Point) => string,
): PlotData {
  const at = [...new Set(named.flatMap(({ points }) => points.map((point) => point.at)))].sort(
    (a, b) => a - b,
  );
  return {
    at,
    series: named.map(({ label, points }, index) => {
      const byTime = new Map(points.map((point) => [point.at, point]));
      const found = at.map((time) => byTime.get(time));
      return {
        label,
        colour: (index % 9) + 1,
        values: found.map((point) => (point ? value(point) : null)),
        ...(text ? { texts: found.map((point) => (point ? text(point) : "")) } : {}),
      };
    }),
  };
}

/** Returns a number in few characters, for an axis. */
export const compact = (value: number): string =>
  new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 }).format(value);

/** Returns the text of a tick: the time of day, or the day where ticks are days apart. All times are UTC. */
export function tick(seconds: number, stepSeconds: number): string {
  if (!Number.isFinite(seconds)) return "";
  const iso = new Date(seconds * 1_000).toISOString();
  return stepSeconds >= 86_400 || seconds % 86_400 === 0 ? iso.slice(5, 10) : iso.slice(11, 16);
}
