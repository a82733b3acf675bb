import { z } from "zod";
import { openCursor, sealCursor } from "./list.ts";

/** A scope, whose log each key has for itself. */
interface Scope {
  chainId: number;
  productType: string;
}

const nameOf = ({ chainId, productType }: Scope) => ({ list: "events", chainId, productType });
const placeSchema = z.tuple([z.int().min(0)]);

/** Returns the cursor behind an event of a key's log; behind none where the sequence is 0. */
export const encodeEventCursor = (scope: Scope, sequence: bigint): string =>
  sealCursor(nameOf(scope), [Number(sequence)]);

/** Reads a cursor of encodeEventCursor. @throws ApiError VALIDATION_FAILED, `param` is the parameter that carried it */
export function decodeEventCursor(scope: Scope, cursor: string, param: string): bigint {
  const [sequence] = openCursor(nameOf(scope), cursor, param, placeSchema);
  return BigInt(sequence);
}
