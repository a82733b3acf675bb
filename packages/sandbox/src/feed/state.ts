import { z } from "zod";
import { SESSIONS } from "../../../../src/protocol/enums.ts";

const integer = z.string().regex(/^\d+$/);

export const ACTION_TYPES = ["split", "dividend", "spin-off"] as const;

/** A past corporate action: its amounts as given, and its effect on price and tokens. */
const actionSchema = z.strictObject({
  actionId: z.uuid(),
  symbol: z.string(),
  type: z.enum(ACTION_TYPES),
  /** Shares before and after, decimal strings; null where the action has no rates. */
  oldRate: z.string().nullable(),
  newRate: z.string().nullable(),
  /** US dollars per share, decimal string; null on a split. */
  cash: z.string().nullable(),
  /** Unix seconds. */
  appliedAt: z.int(),
  /** Prices before it are multiplied by numerator / denominator to compare with later ones. */
  priceNumerator: integer,
  priceDenominator: integer,
  multipliers: z.array(z.strictObject({ chainId: z.int(), before: integer, after: integer })),
});

/** Changes of the market by scripts. They survive restarts, because their effects are on the chains. */
export const marketStateSchema = z.strictObject({
  session: z.enum([...SESSIONS, "calendar"]),
  /** Time at which a script last ended a regular session, Unix seconds; 0: never. */
  regularEndedAt: z.int(),
  /** Prices set by scripts, in millionths of a dollar, by symbol. */
  pins: z.record(z.string(), integer),
  actions: z.array(actionSchema),
});

export type CorporateAction = z.output<typeof actionSchema>;
export type MarketState = z.output<typeof marketStateSchema>;

export const newMarketState = (): MarketState => ({
  session: "regular",
  regularEndedAt: 0,
  pins: {},
  actions: [],
});
