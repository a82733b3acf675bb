import type { OrderSeriesQuery, RequestSeriesQuery, SendSeriesQuery } from "../service/documents.ts";
import { amount, NOTHING, sumOf } from "../values/format.ts";

/** A figure of a whole range. */
export interface Total {
  title: string;
  unit: string;
  /** Exact. */
  value: string | null;
  shown: string;
  /** By step, for a line; null where there is no share of nothing. */
  values: readonly (number | null)[];
}

const countOf = (values: readonly number[]): string => String(values.reduce((sum, value) => sum + value, 0));

const total = (title: string, unit: string, value: string, values: readonly number[]): Total => ({
  title,
  unit,
  value,
  shown: amount(value),
  values,
});

/** Returns a share in percent with one digit; nothing of nothing. */
function share(title: string, parts: readonly number[], wholes: readonly number[]): Total {
  const [part, whole] = [Number(countOf(parts)), Number(countOf(wholes))];
  const value = whole === 0 ? null : String(Math.round((1_000 * part) / whole) / 10);
  const values = parts.map((count, index) => (wholes[index] ? count / wholes[index] : null));
  return { title, unit: "%", value, shown: value ?? NOTHING, values };
}

export function orderTotals({ points }: OrderSeriesQuery["dashboard"]["orderSeries"]): Total[] {
  const counts = points.map(({ count }) => count);
  const filled = points.map(({ byStatus }) => byStatus.find(({ status }) => status === "Filled")?.count ?? 0);
  const volumes = points.map(({ volume }) => volume);
  return [
    total("Orders", "", countOf(counts), counts),
    share("Filled", filled, counts),
    total("Volume", "mUSD", sumOf(volumes), volumes.map(Number)),
  ];
}

export function sendTotals({ points }: SendSeriesQuery["dashboard"]["sendSeries"]): Total[] {
  const accepted = points.map((point) => point.accepted);
  const failed = points.map((point) => point.failed + point.canceled);
  return [
    total("Sends", "", countOf(accepted), accepted),
    total("Failed or canceled", "", countOf(failed), failed),
  ];
}

export function requestTotals({ points }: RequestSeriesQuery["dashboard"]["requestSeries"]): Total[] {
  const requests = points.map((point) => point.requests);
  const errors = points.map(({ serverErrors }) => serverErrors);
  return [total("Requests", "", countOf(requests), requests), share("Server errors", errors, requests)];
}

/** From so many times on, a change in percent is hard to read. */
const TIMES_MIN = 10;

/** Returns how a figure has changed against that of before: in percent, percentage points of a share or times; null where that says nothing. */
export function changeOf(now: Total, before: Total): string | null {
  if (now.value === null || before.value === null) return null;
  const [value, past] = [Number(now.value), Number(before.value)];
  if (now.unit === "%") return signed(Math.round(10 * (value - past)) / 10, " points");
  if (past > 0 && value / past >= TIMES_MIN) return `×${Math.round(value / past).toLocaleString("en")}`;
  return past === 0 ? null : signed(Math.round((100 * (value - past)) / past), "%");
}

const signed = (value: number, unit: string): string =>
  `${value > 0 ? "+" : value < 0 ? "−" : "±"}${Math.abs(value)}${unit}`;
