import { z } from "zod";
import { DECIMAL, DECIMAL_MAX_LENGTH, parseDecimal } from "../../protocol/decimal.ts";
import { ApiError } from "../../protocol/errors.ts";
import { hexPattern } from "../../protocol/shapes.ts";

/**
 * Kinds of value that requests carry (docs/api.md#general-rules), for every feature's input.ts. The REST layer
 * hands over numbers as the text that was sent, so a number and a string are the same here. Messages follow the field's
 * name. `meta` gives the OpenAPI document what a refinement's code does not show.
 */
const told = (what: string) => (issue: { input?: unknown }) =>
  issue.input === undefined ? "is required" : `must be ${what}`;

/** A text that is too long is refused before any other check reads it. */
const TOO_LONG = { error: "is too long", abort: true } as const;

/** Numbers may come as numbers from GraphQL clients. */
export const numeric = (what: string, maxLength: number) =>
  z
    .union([z.string(), z.number().transform(String)], { error: told(what) })
    .refine((value) => value.length <= maxLength, TOO_LONG)
    .meta({ maxLength });

// biome-ignore lint/suspicious/noControlCharactersInRegex: a zero byte, which the database takes in no text, is one
const CONTROL = /[\x00-\x1f\x7f]/;

/** A short text. */
export const text = z
  .string({ error: told("a string") })
  .max(200, TOO_LONG)
  .refine((value) => !CONTROL.test(value), "must not hold control characters");

/** Accepts one of a few exact words. */
export const oneOf = <const T extends readonly string[]>(words: T) =>
  z.enum(words, { error: told(`one of ${words.join(", ")}`) });

const hex = (bytes: number, what: string) =>
  z
    .string({ error: told(what) })
    .max(2 + bytes * 2, { error: `must be ${what}`, abort: true })
    .regex(hexPattern(bytes), `must be ${what}`)
    .transform((value) => value.toLowerCase() as `0x${string}`);

/** Any case in, lower case out; wrong checksums pass, as callers may send any case. */
export const address = hex(20, "a 20-byte hex address").meta({
  example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
});

/** A transaction hash, order id or operation id; lower case out. */
export const hash = hex(32, "a 32-byte hex value").meta({
  example: "0x8a7d3f1c5b9e2d4f6a8c0e1b3d5f7a9c2e4b6d8f0a1c3e5b7d9f1a2c4e6b8d0f",
});

/** A wallet address as a path parameter: blanks around it are ignored. */
export const userId = z
  .string({ error: told("a wallet address") })
  .max(100, TOO_LONG)
  .trim()
  .pipe(address)
  .meta({
    pattern: "^\\s*0[xX][0-9a-fA-F]{40}\\s*$",
    example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  });

const DECIMAL_TOLD = "must be a non-negative decimal number without an exponent";

/** A non-negative decimal, kept as text: how many digits it may have depends on its token. */
export const decimal = numeric("a decimal number", DECIMAL_MAX_LENGTH)
  .refine((value) => DECIMAL.test(value), DECIMAL_TOLD)
  .meta({ pattern: DECIMAL.source, minimum: 0, example: "250.5" });

/** Returns a whole number, sent as a number or as its digits. */
const whole = (form: RegExp, what: string) =>
  numeric(what, 31)
    .refine((value) => form.test(value), `must be ${what}`)
    .meta({ type: ["integer", "string"], pattern: form.source });

/** An integer of either sign. Beyond 2^53 it is only known to be large, which is all that page and limit ask. */
export const integer = whole(/^-?\d{1,30}$/, "an integer")
  .transform(Number)
  .meta({ example: 1 });

/** An amount of gas: not negative. */
export const gas = whole(/^\d{1,15}$/, "an integer")
  .transform(BigInt)
  .meta({ minimum: 0, example: 600_000 });

/** Last second that the chain's uint32 can name. */
export const MAX_SECONDS = 4_294_967_295;

/** A time in Unix seconds; whether it is one that the chain can name is for `unixSeconds`, or for later. */
export const seconds = whole(/^\d{1,15}$/, "Unix seconds, an integer")
  .transform(Number)
  .meta({ minimum: 0, example: 1_924_992_000 });

/** Unix seconds. Milliseconds get an error that names the unit. */
export const unixSeconds = seconds
  .refine((value) => value <= MAX_SECONDS, `must be Unix seconds, at most ${MAX_SECONDS}`)
  .meta({ maximum: MAX_SECONDS });

/**
 * Requires that a deadline, Unix seconds, is still to come.
 * @param nowMs the time, Unix milliseconds
 * @throws ApiError VALIDATION_FAILED, DEADLINE_EXPIRED
 */
export function requireFuture(deadline: number, nowMs: number): void {
  if (deadline > MAX_SECONDS) throw refuse("deadline", `must be Unix seconds, at most ${MAX_SECONDS}`);
  if (deadline * 1000 <= nowMs) throw new ApiError("DEADLINE_EXPIRED", { param: "deadline" });
}

/** A request's arguments by name, as sent. */
export type Args = Record<string, unknown>;

/**
 * Reads a request's arguments. null counts as not given.
 * @throws ApiError VALIDATION_FAILED naming the first wrong field in the schema's order
 */
export function parseInput<S extends z.ZodType>(schema: S, args: Args): z.output<S> {
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const param = issue?.path[0] === undefined ? null : String(issue.path[0]);
  throw refuse(param, issue?.message ?? "is invalid");
}

/** Returns a VALIDATION_FAILED to throw; `what` follows the field's name. */
export function refuse(param: string | null, what: string): ApiError {
  return new ApiError("VALIDATION_FAILED", { param, message: param ? `${param} ${what}` : what });
}

/**
 * Returns an amount in base units, for a field that `decimal` has passed.
 * @throws ApiError TOO_MANY_DECIMALS; VALIDATION_FAILED where it is 0 or above `max` (base units)
 */
export function parseAmount(param: string, value: string, decimals: number, max: bigint): bigint {
  const amount = parseDecimal(value, decimals);
  if (amount === "too-many-decimals") {
    throw new ApiError("TOO_MANY_DECIMALS", {
      param,
      message: `${param} may have at most ${decimals} fraction digits`,
    });
  }
  if (amount === "malformed") throw refuse(param, DECIMAL_TOLD);
  if (amount === 0n) throw refuse(param, "must be greater than 0");
  if (amount > max) throw refuse(param, "is too large");
  return amount;
}
