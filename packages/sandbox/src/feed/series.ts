import type { DailyRow, Dataset, Micros } from "./dataset.ts";

const RATIO = 10n ** 12n;

/**
 * Returns the daily prices of one company: the real index, scaled day by day so that every month closes at the company's own real
 * close. Where the data set lacks its closes, one ratio scales the index to end at `lastClose`.
 */
export function dailySeries(dataset: Dataset, symbol: string, lastClose: Micros): DailyRow[] {
  const closes = dataset.monthlyCloses.get(symbol);
  if (closes) return scaledByMonth(dataset.index, closes);
  const last = dataset.index.at(-1);
  if (!last) throw new Error("the index has no rows");
  const ratio = (lastClose * RATIO) / last.close;
  return dataset.index.map((row) => scale(row, ratio));
}

function scaledByMonth(index: DailyRow[], closes: Map<string, Micros>): DailyRow[] {
  const rows: DailyRow[] = [];
  let before: bigint | undefined;
  for (const [month, days] of byMonth(index)) {
    const close = closes.get(month);
    const last = days.at(-1);
    if (close === undefined || !last) continue;
    const ratio = (close * RATIO) / last.close;
    const from = before ?? ratio;
    // The ratio changes gradually from one month's end to the next, so that no day jumps by a month's difference.
    rows.push(
      ...days.map((row, day) => scale(row, from + ((ratio - from) * BigInt(day + 1)) / BigInt(days.length))),
    );
    before = ratio;
  }
  return rows;
}

function byMonth(rows: DailyRow[]): Map<string, DailyRow[]> {
  const months = new Map<string, DailyRow[]>();
  for (const row of rows) {
    const month = row.date.slice(0, 7);
    const days = months.get(month);
    if (days) days.push(row);
    else months.set(month, [row]);
  }
  return months;
}

/** The index counts all shares of 500 companies; one of them trades a fraction. */
const VOLUME_DIVISOR = 500n;

function scale(row: DailyRow, ratio: bigint): DailyRow {
  return {
    date: row.date,
    open: (row.open * ratio) / RATIO,
    high: (row.high * ratio) / RATIO,
    low: (row.low * ratio) / RATIO,
    close: (row.close * ratio) / RATIO,
    volume: row.volume / VOLUME_DIVISOR,
  };
}

/**
 * Returns the prices of a trading day, counted as in days.ts. Beyond the end of the data, the series runs backwards, then
 * forwards again, so that every day has a price and no price jumps. A day that runs backwards opens at its real close.
 */
export function rowOn(series: readonly DailyRow[], day: number): DailyRow {
  const period = Math.max(1, 2 * (series.length - 1));
  const position = ((day % period) + period) % period;
  const forwards = position < series.length;
  const row = series[forwards ? position : period - position];
  if (!row) throw new Error("the series has no rows");
  return forwards ? row : { ...row, open: row.close, close: row.open };
}
