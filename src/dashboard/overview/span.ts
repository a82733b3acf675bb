import { z } from "zod";
import { type Args, parseInput, refuse, unixSeconds } from "../../context/input/fields.ts";

/** Time that a series covers, Unix seconds: whole steps, `to` excluded. */
export interface Span {
  from: number;
  to: number;
  stepSeconds: number;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Each divides a day, so that steps of every length begin at midnight UTC. */
const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 4, 6, 8].map((hours) => hours * HOUR),
];
/** A span that is not aligned to its steps has one more. */
const STEPS_WANTED = 100;
const SECONDS_MAX = 31 * DAY;

export const spanFields = { from: unixSeconds.optional(), to: unixSeconds.optional() };
const spanShape = z.object(spanFields);

/**
 * Returns the span that was asked for, widened to whole steps: by default the last 24 hours. What is still to come is left
 * out, since a plot would show it as zero.
 * @throws ApiError VALIDATION_FAILED
 */
export function spanOf(asked: z.output<typeof spanShape>, nowMs: number): Span {
  const now = Math.floor(nowMs / 1000);
  const to = Math.min(asked.to ?? now, now);
  const from = asked.from ?? to - DAY;
  if (from >= to) throw refuse("from", asked.to === undefined ? "must be in the past" : "must be before to");
  if (to - from > SECONDS_MAX) throw refuse("from", "must be at most 31 days before to");
  const stepSeconds = stepFor(to - from);
  return {
    from: Math.floor(from / stepSeconds) * stepSeconds,
    to: Math.ceil(to / stepSeconds) * stepSeconds,
    stepSeconds,
  };
}

function stepFor(seconds: number): number {
  return STEPS.find((step) => seconds / step <= STEPS_WANTED) ?? 8 * HOUR;
}

/** Reads the span of arguments that name nothing else. @throws ApiError VALIDATION_FAILED */
export const parseSpan = (args: Args, nowMs: number): Span => spanOf(parseInput(spanShape, args), nowMs);

/** A row of a statement that groups by step; `at` is the step's begin, Unix seconds. */
interface Stepped {
  at: number;
}

/** Returns a point for each step of a span, also where no row is of it. */
export function pointsOf<Row extends Stepped, Point>(
  { from, to, stepSeconds }: Span,
  rows: readonly Row[],
  present: (at: number, row: Row | undefined) => Point,
): Point[] {
  const byStep = new Map(rows.map((row) => [row.at, row]));
  return Array.from({ length: (to - from) / stepSeconds }, (_, index) => {
    const at = from + index * stepSeconds;
    return present(at, byStep.get(at));
  });
}
