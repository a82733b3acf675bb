import { z } from "zod";
import { address, decimal, hash, integer, oneOf } from "../../../../src/context/input/fields.ts";
import { parseDecimal, WAD_DECIMALS } from "../../../../src/protocol/decimal.ts";
import { MICRO_DECIMALS } from "../feed/dataset.ts";
import { ControlError } from "./context.ts";

/** Kinds of value that scripts send. Numbers arrive as the text that was sent, so no digit is lost. */
export { address, decimal, hash, integer, oneOf };

export const chainId = integer;

/** A contract's reason code. */
export const reason = integer.refine((value) => value >= 0 && value <= 255, "must be from 0 to 255");

export const flag = z.boolean({ error: "must be true or false" });

const scaled = (decimals: number) =>
  decimal.transform((text, { addIssue }) => {
    const value = parseDecimal(text, decimals);
    if (typeof value === "bigint") return value;
    addIssue({ code: "custom", message: `may have at most ${decimals} fraction digits` });
    return z.NEVER;
  });

const positive = (field: z.ZodType<bigint>) => field.refine((value) => value > 0n, "must be above 0");

/** mUSD or stock, 18 decimals. */
export const wad = scaled(WAD_DECIMALS);
export const positiveWad = positive(wad);
/** US dollars of a stock's price, 6 decimals. */
export const positiveMicros = positive(scaled(MICRO_DECIMALS));

export const stockSymbol = z
  .string({ error: "must be a stock's symbol" })
  .transform((text) => text.toUpperCase());

/** @throws ControlError naming the field: only the token determines the number of decimals. */
export function baseUnits(text: string, decimals: number, field: string): bigint {
  const value = parseDecimal(text, decimals);
  if (typeof value === "bigint") return value;
  throw new ControlError(400, `${field}: may have at most ${decimals} fraction digits`);
}
