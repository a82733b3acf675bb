import { z } from "zod";
import { address, integer, oneOf, refuse, text, unixSeconds, userId } from "../context/input/fields.ts";
import { STATEMENT_COST } from "../protocol/costs.ts";

export const balanceShape = z.object({ userId, spenderAddress: address.optional() });
export const positionsShape = z.object({ userId });

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

export const activityListShape = z.object({
  userId,
  asset: text.meta({ example: "mUSD" }).optional(),
  from: unixSeconds.optional(),
  to: unixSeconds.optional(),
  limit: integer
    .transform((value) => (value < 1 ? DEFAULT_LIMIT : Math.min(value, MAX_LIMIT)))
    .default(DEFAULT_LIMIT),
  cursor: text.meta({ example: "WzE3OTUyMjY0MDBd" }).optional(),
});

export const STATEMENT_FORMATS = ["json", "csv"] as const;

const DAY_SECONDS = 24 * 60 * 60;
/** At most, in one statement: a year. */
const MAX_RANGE_SECONDS = 366 * DAY_SECONDS;
/** Of a statement whose beginning is left out. */
const DEFAULT_RANGE_SECONDS = 30 * DAY_SECONDS;

export const statementShape = z.object({
  userId,
  from: unixSeconds.optional(),
  to: unixSeconds.optional(),
  format: oneOf(STATEMENT_FORMATS).default("json"),
  limit: integer
    .transform((value) => (value < 1 ? STATEMENT_COST.defaultRows : Math.min(value, STATEMENT_COST.maxRows)))
    .default(STATEMENT_COST.defaultRows),
  cursor: text.meta({ example: "WzE3OTUyMjY0MDBd" }).optional(),
});

/**
 * Returns the beginning of a statement.
 * @param to its end, Unix seconds
 * @throws ApiError VALIDATION_FAILED
 */
export function beginningOf({ from }: Pick<StatementInput, "from">, to: number): number {
  if (from === undefined) return Math.max(to - DEFAULT_RANGE_SECONDS, 0);
  if (from > to) throw refuse("from", "must not be after the end of the statement");
  if (to - from > MAX_RANGE_SECONDS) throw refuse("from", "must be at most 366 days before the end");
  return from;
}

export type StatementInput = z.output<typeof statementShape>;
export type ActivityListInput = z.output<typeof activityListShape>;
export type BalanceInput = z.output<typeof balanceShape>;
export type PositionsInput = z.output<typeof positionsShape>;
