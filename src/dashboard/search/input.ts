import type { Hex } from "viem";
import { z } from "zod";
import { type Args, parseInput, refuse, text } from "../../context/input/fields.ts";

/** Things that a searched text may name, by its form. */
export type SearchTerm =
  | { kind: "hash"; value: Hex }
  | { kind: "address"; value: Hex }
  | { kind: "uuid"; value: string }
  | { kind: "words"; value: string };

const LENGTH_MAX = 200;

const shape = z.object({
  text: z
    .string({ error: "must be a string" })
    .max(LENGTH_MAX, { error: "is too long", abort: true })
    .trim()
    .pipe(text),
});

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A hash or an address as they are copied from where nobody writes 0x. */
const BARE_HEX = /^(?:[0-9a-f]{64}|[0-9a-f]{40})$/;

/**
 * Returns what the text of a search may be; null where it is empty.
 * @throws ApiError VALIDATION_FAILED
 */
export function parseSearch(args: Args): SearchTerm | null {
  const value = parseInput(shape, args).text;
  const lower = value.toLowerCase();
  if (BARE_HEX.test(lower)) throw refuse("text", "must begin with 0x where it is a hash or an address");
  if (/^0x[0-9a-f]{64}$/.test(lower)) return { kind: "hash", value: lower as Hex };
  if (/^0x[0-9a-f]{40}$/.test(lower)) return { kind: "address", value: lower as Hex };
  if (UUID.test(lower)) return { kind: "uuid", value: lower };
  return value === "" ? null : { kind: "words", value };
}
