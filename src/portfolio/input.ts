import { z } from "zod";
import { address, integer, text, unixSeconds, userId } from "../context/input/fields.ts";

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

export type ActivityListInput = z.output<typeof activityListShape>;
export type BalanceInput = z.output<typeof balanceShape>;
export type PositionsInput = z.output<typeof positionsShape>;
