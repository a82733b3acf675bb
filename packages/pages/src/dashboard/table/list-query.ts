import { counted } from "../values/format.ts";
import type { Filter } from "./list-spec.ts";

/** Parses a list's query from the URL. Pure. */
export const PAGE_SIZES = [25, 50, 100] as const;

type Query = Readonly<Record<string, string>>;

export const pageSizeOf = ({ rows }: Query): number =>
  PAGE_SIZES.find((size) => String(size) === rows) ?? PAGE_SIZES[0];

export interface Sort {
  orderBy: string;
  direction: "asc" | "desc";
}

/** Returns the order of `sort=createdAt.asc`; null for the list's own. */
export function sortOf({ sort }: Query): Sort | null {
  const found = /^(\w+)\.(asc|desc)$/.exec(sort ?? "");
  return found ? { orderBy: found[1] ?? "", direction: found[2] as Sort["direction"] } : null;
}

/** Returns the order after a click on a heading: newest or largest first, then the other way, then the list's own. */
export function nextSort(current: Sort | null, orderBy: string): string | undefined {
  if (current?.orderBy !== orderBy) return `${orderBy}.desc`;
  return current.direction === "desc" ? `${orderBy}.asc` : undefined;
}

/** Returns the variables of the query, without empty filters. */
export function variablesOf(filters: readonly Filter[], query: Query): Record<string, unknown> {
  const given = filters.flatMap(({ name, type }) => {
    const text = query[name]?.trim();
    return text ? [[name, type ? numberOf(text) : text]] : [];
  });
  const after = query.after ? { after: query.after } : {};
  return { first: pageSizeOf(query), ...after, ...Object.fromEntries(given), ...sortOf(query) };
}

/** Returns a number, or the text as typed where it is none: the service's refusal names the fault. */
function numberOf(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}

/** Returns the range of shown rows and the total. Totals of lists end at a maximum, which is then a lower bound. */
export function rangeText(shown: number, page: number, size: number, total: number, unit: string): string {
  if (shown === 0) return `0 of ${counted(total, unit)}`;
  const first = (page - 1) * size + 1;
  const last = first + shown - 1;
  const all =
    total >= TOTAL_MAX
      ? `${TOTAL_MAX.toLocaleString("en")} or more ${unit}`
      : counted(Math.max(total, last), unit);
  return `${first}–${last} of ${all}`;
}

/** Maximum that the service counts to (schema/dashboard.graphql). */
const TOTAL_MAX = 10_000;

/** Returns the query without its page, with some of it replaced. */
export function withChange(
  query: Query,
  change: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> {
  const { after: _after, page: _page, ...rest } = query;
  return { ...rest, ...change };
}
