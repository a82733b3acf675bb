import { z } from "zod";
import { parseInput, text } from "../input/fields.ts";

const shape = z.object({ symbol: text });

/** A stock symbol, token symbol or token address, upper case. @throws ApiError VALIDATION_FAILED */
export const parseSymbol = (args: Record<string, unknown>): string =>
  parseInput(shape, args).symbol.toUpperCase();
