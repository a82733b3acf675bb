import { z } from "zod";
import { openCursor, sealCursor } from "./list.ts";

/** A log of events: each key has one of its own in each scope. */
export interface LogName {
  keyId: string;
  chainId: number;
  productType: string;
}

const nameOf = ({ keyId, chainId, productType }: LogName) => ({
  list: `events of ${keyId}`,
  chainId,
  productType,
});
const positionSchema = z.tuple([z.int().min(0)]);

/** Returns the cursor behind an event of a log; behind none where the sequence is 0. */
export const encodeEventCursor = (eventLog: LogName, sequence: bigint | number): string =>
  sealCursor(nameOf(eventLog), [Number(sequence)]);

/** Reads a cursor of encodeEventCursor. @throws ApiError VALIDATION_FAILED, `param` is the parameter that carried it */
export function decodeEventCursor(eventLog: LogName, cursor: string, param: string): bigint {
  const [sequence] = openCursor(nameOf(eventLog), cursor, param, positionSchema, FOREIGN);
  return BigInt(sequence);
}

const FOREIGN =
  "must be a cursor of this key's log on this chain and product: nextCursor of GET /events, X-Event-Cursor of a list, or the id of a streamed event";
