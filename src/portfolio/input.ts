import { z } from "zod";
import { address, userId } from "../input/fields.ts";

export const balanceShape = z.object({ userId, spenderAddress: address.optional() });
export const positionsShape = z.object({ userId });

export type BalanceInput = z.output<typeof balanceShape>;
export type PositionsInput = z.output<typeof positionsShape>;
