import { Sql } from "./sql.ts";

/**
 * Returns the same statement, planned without its values. Of a prepared statement PostgreSQL keeps one plan only where it estimates that
 * plans for the values at hand cost more; else it plans each time. Where joins take ten times as long to plan as to run, that must
 * not depend on estimates, which change with the data. What comes from a sub-select is no value while a statement is planned: both
 * plans cost the same, and the kept one wins by what planning costs. For statements that find their rows by the same
 * indexes whatever the values are.
 * @throws Error for a value whose type is not known: it would be planned for
 */
export function plannedOnce({ strings, values }: Sql): Sql {
  const types = values.map(typeOf);
  const opened = strings.map((text, index) => {
    const [before, behind] = [types[index - 1], types[index]];
    return `${before ? `::${before})::${before}` : ""}${text}${behind ? "(SELECT " : ""}`;
  });
  return new Sql(opened, values);
}

/**
 * Returns the type that a value is sent as. The cast to it is repeated behind the sub-select, which `= ANY` would take for rows. An
 * empty array may be of any type: null, and it stays a value.
 */
function typeOf(value: unknown): string | null {
  if (Array.isArray(value)) return value.length === 0 ? null : `${typeOf(value[0])}[]`;
  if (typeof value === "string") return "text";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "bigint" || Number.isSafeInteger(value)) return "int8";
  if (value instanceof Date) return "timestamptz";
  throw new Error(`no type for a value of ${value === null ? "null" : typeof value}`);
}
