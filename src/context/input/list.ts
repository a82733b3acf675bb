import { createHash } from "node:crypto";
import { z } from "zod";
import { address, hash, integer, MAX_SECONDS, refuse, text, unixSeconds } from "./fields.ts";

/** Filters of every list of orders or operations. */
export const listFilters = {
  userAddress: address.optional(),
  txHash: hash.optional(),
  from: unixSeconds.optional(),
  to: unixSeconds.optional(),
  updatedAfter: unixSeconds.optional(),
};
export type ListFilter = z.output<z.ZodObject<typeof listFilters>>;

/** The parameters of every list (docs/api.md#lists). */
export const listFields = {
  ...listFilters,
  page: integer
    .refine((value) => value >= 1, "must be 1 or more")
    .transform((value) => Math.min(value, MAX_PAGE))
    .default(1),
  limit: integer.transform((value) => (value < 1 ? DEFAULT_LIMIT : Math.min(value, MAX_LIMIT))).default(10),
  cursor: text.meta({ example: "WzE3OTUyMjY0MDAwMDBd" }).optional(),
};

/** Parameters with which a list reads its page and what is kept of its total, and counts nothing (Route.readsAhead). */
export const LISTED_AHEAD = ["limit", "cursor"] as const;

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;
/** Far behind the end of any list, and few enough for the database's numbers. */
const MAX_PAGE = 1_000_000_000_000;

/** The sort key of a list: the position of a row in it. Its parts never change once the row is indexed. */
export interface SortKey {
  /** mapping.createdAt, Unix milliseconds. */
  createdMs: number;
  claimId: string;
  /** Log index within the transaction, -1 while it is not indexed. */
  logIndex: number;
}

/**
 * Which list a cursor belongs to; it is refused anywhere else. Filters are not part of it: a cursor is a position, and a
 * caller may look at what comes after it in any way.
 */
export interface ListName {
  list: string;
  /** Null, like the product: a list across all of them. */
  chainId: number | null;
  productType: string | null;
}

/** Within what the database takes: any caller can seal a cursor of their own. */
const sortKeySchema = z.tuple([
  z
    .int()
    .min(0)
    .max(MAX_SECONDS * 1000),
  z.uuid(),
  z
    .int()
    .min(-1)
    .max(2 ** 31 - 1),
]);

/** Returns the cursor that continues after a row. */
export function encodeCursor(name: ListName, { createdMs, claimId, logIndex }: SortKey): string {
  return sealCursor(name, [createdMs, claimId, logIndex]);
}

/**
 * Reads a cursor of encodeCursor.
 * @throws ApiError VALIDATION_FAILED, `param` is the parameter that carried it
 */
export function decodeCursor(name: ListName, cursor: string, param = "cursor"): SortKey {
  const [createdMs, claimId, logIndex] = openCursor(name, cursor, param, sortKeySchema);
  return { createdMs, claimId, logIndex };
}

/** Returns a cursor that holds any position of a list, as JSON. */
export function sealCursor(name: ListName, position: object): string {
  const content = JSON.stringify(position);
  return Buffer.from(content + seal(name, content)).toString("base64url");
}

/**
 * Reads a cursor of sealCursor. The seal is no secret (a position reveals nothing and grants nothing): it catches what was
 * cut, mixed up or changed on the way.
 * @throws ApiError VALIDATION_FAILED, `param` is the parameter that carried it
 */
export function openCursor<S extends z.ZodType>(
  name: ListName,
  cursor: string,
  param: string,
  schema: S,
  message = "must be a cursor of this list, from the page before",
): z.output<S> {
  const bytes = Buffer.from(cursor, "base64url");
  const whole = bytes.toString();
  const content = whole.slice(0, -SEAL_LENGTH);
  const exact = bytes.toString("base64url") === cursor && seal(name, content) === whole.slice(-SEAL_LENGTH);
  const position = exact ? schema.safeParse(tryJson(content)) : undefined;
  if (!position?.success) throw refuse(param, message);
  return position.data;
}

function tryJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return null;
  }
}

const SEAL_LENGTH = 16;

function seal(name: ListName, content: string): string {
  const whole = JSON.stringify([name.list, name.chainId, name.productType, content]);
  return createHash("sha256").update(whole).digest("base64url").slice(0, SEAL_LENGTH);
}
