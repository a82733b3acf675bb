import { z } from "zod";
import { ApiError } from "../../protocol/errors.ts";

/**
 * Alpaca's answers, as far as they are used here: market data API v2 (stocks) and v1 (corporate actions), trading API v2
 * (assets). Numbers arrive as their source text. Unknown fields are ignored; a field that is missing or of another kind makes the
 * whole answer unusable, because a guessed price is worse than none.
 */
const number = z.string().regex(/^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/, "must be a number");
const price = number.refine((text) => !text.startsWith("-"), "must not be negative");
const positive = price.refine((text) => /[1-9]/.test(text.split(/e/i, 1)[0] ?? ""), "must be above 0");
/** RFC 3339, up to nanoseconds, as Unix seconds. */
const instant = z
  .string()
  .refine((text) => !Number.isNaN(Date.parse(text)), "must be an RFC 3339 time")
  .transform((text) => Math.floor(Date.parse(text) / 1000));
const date = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, "must be YYYY-MM-DD");
const optionalDate = date.nullish().transform((value) => value ?? null);

const bar = z.object({ t: instant, o: price, h: price, l: price, c: price, v: price });
export type WireBar = z.output<typeof bar>;

const snapshot = z.object({
  latestTrade: z.object({ t: instant, p: price }).nullish(),
  latestQuote: z.object({ t: instant, ap: price, as: price, bp: price, bs: price }).nullish(),
  dailyBar: bar.nullish(),
  prevDailyBar: bar.nullish(),
});
export type WireSnapshot = z.output<typeof snapshot>;

/** GET /v2/stocks/snapshots: symbols that Alpaca does not know are missing or null. */
export const snapshotsSchema = z.record(z.string(), snapshot.nullable());

/** GET /v2/stocks/{symbol}/bars: `bars` is null where there are none. */
export const barsSchema = z.object({
  bars: z.array(bar).nullish(),
  next_page_token: z.string().nullish(),
});

const dates = {
  id: z.string(),
  ex_date: date,
  record_date: optionalDate,
  payable_date: optionalDate,
};
const split = z.object({ ...dates, symbol: z.string(), old_rate: positive, new_rate: positive });

/** GET /v1/corporate-actions: kinds with nothing in them are missing. */
export const corporateActionsSchema = z.object({
  corporate_actions: z.object({
    forward_splits: z.array(split).nullish(),
    reverse_splits: z.array(split).nullish(),
    cash_dividends: z
      .array(z.object({ ...dates, symbol: z.string(), rate: price, special: z.boolean().nullish() }))
      .nullish(),
    stock_dividends: z.array(z.object({ ...dates, symbol: z.string(), rate: price })).nullish(),
    spin_offs: z
      .array(z.object({ ...dates, source_symbol: z.string(), source_rate: positive, new_rate: positive }))
      .nullish(),
  }),
  next_page_token: z.string().nullish(),
});
export type WireCorporateActions = z.output<typeof corporateActionsSchema>["corporate_actions"];

/** GET /v2/assets/{symbol} of the trading API. */
export const assetSchema = z.object({ symbol: z.string(), name: z.string() });

/** @throws ApiError MARKET_DATA_UNAVAILABLE when the answer is not what Alpaca documents. */
export function readWire<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw new ApiError("MARKET_DATA_UNAVAILABLE", { cause: result.error });
}
