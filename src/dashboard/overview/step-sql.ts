import { type Sql, sql } from "../../db/sql.ts";
import type { Span } from "./span.ts";

/** Returns the length of a step as an SQL expression. */
export const lengthOf = ({ stepSeconds }: Pick<Span, "stepSeconds">): Sql =>
  sql`make_interval(secs => ${stepSeconds}::int)`;

/** Returns the begin of the step that a time is in, Unix seconds, as an SQL expression. @param time a timestamptz */
export const stepOf = (time: Sql, { stepSeconds }: Pick<Span, "stepSeconds">): Sql => sql`
  extract(epoch FROM date_bin(make_interval(secs => ${stepSeconds}::int), ${time}, to_timestamp(0)))::bigint`;

/** Returns the condition that a time is within a span. @param time a timestamptz */
export const within = (time: Sql, { from, to }: Span): Sql => sql`
  ${time} >= to_timestamp(${from}::int8) AND ${time} < to_timestamp(${to}::int8)`;
