import { createHash } from "node:crypto";
import { z } from "zod";
import { address, hash, integer, MAX_SECONDS, refuse, text, unixSeconds } from "./fields.ts";

/** What every list takes (API.md section 3). */
export const listFields = {
  userAddress: address.optional(),
  txHash: hash.optional(),
  from: unixSeconds.optional(),
  to: unixSeconds.optional(),
  updatedAfter: unixSeconds.optional(),
  page: integer
    .refine((value) => value >= 1, "must be 1 or more")
    .transform((value) => Math.min(value, MAX_PAGE))
    .default(1),
  limit: integer.transform((value) => (value < 1 ? DEFAULT_LIMIT : Math.min(value, MAX_LIMIT))).default(10),
  cursor: text.meta({ example: "WzE3OTUyMjY0MDAwMDBd" }).optional(),
};

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;
/** Far behind the end of any list, and few enough for the database's numbers. */
const MAX_PAGE = 1_000_000_000_000;

/** The place of a row in a list's order. Its parts never change once the row is indexed. */
export interface Place {
  /** mapping.createdAt, Unix milliseconds. */
  createdMs: number;
  claimId: string;
  /** Log index within the transaction, -1 while it is not indexed. */
  logIndex: number;
}

/**
 * Which list a cursor belongs to; it is refused anywhere else. Filters are not part of it: a cursor is a place, and a
 * caller may look at what comes after it in any way.
 */
export interface ListName {
  list: string;
  chainId: number;
  productType: string;
}

/** Within what the database takes: anybody can seal a cursor of his own. */
const placeSchema = z.tuple([
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

/** The cursor that continues after a row. */
export function encodeCursor(name: ListName, place: Place): string {
  const content = JSON.stringify([place.createdMs, place.claimId, place.logIndex]);
  return Buffer.from(content + seal(name, content)).toString("base64url");
}

/**
 * Reads a cursor. The seal is no secret (a place tells nothing and gives nothing): it catches what was cut, mixed up or
 * changed on the way.
 * @throws ApiError VALIDATION_FAILED, param `cursor`
 */
export function decodeCursor(name: ListName, cursor: string): Place {
  const bytes = Buffer.from(cursor, "base64url");
  const whole = bytes.toString();
  const content = whole.slice(0, -SEAL_LENGTH);
  const exact = bytes.toString("base64url") === cursor && seal(name, content) === whole.slice(-SEAL_LENGTH);
  const place = exact ? placeSchema.safeParse(tryJson(content)) : undefined;
  if (!place?.success) throw refuse("cursor", "must be the nextCursor of a page of this list");
  const [createdMs, claimId, logIndex] = place.data;
  return { createdMs, claimId, logIndex };
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
