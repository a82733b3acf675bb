// ERC-8021: a suffix behind the calldata that identifies its sender. Here it is only cut off, as the indexer does;
// src/claims/attribution decides on its authenticity.
import type { Hex } from "viem";

/** Last 16 bytes of every such calldata. */
const MARKER = "80218021802180218021802180218021";
/** Schema 2, the only one that calldata built here carries (docs/api.md#attribution). */
const SCHEMA = "02";
/** Number of hex digits at the end of the suffix: the length of the CBOR (2 bytes), the schema, the marker. */
const LENGTH_DIGITS = 4;
const END_DIGITS = LENGTH_DIGITS + SCHEMA.length + MARKER.length;

/**
 * Splits calldata that ends in an ERC-8021 suffix of schema 2: `CBOR, its length, schema id, marker`. Returns null where there is
 * none, its schema differs, or its stated length exceeds the calldata.
 */
export function splitSuffix(input: Hex): { callData: Hex; suffix: Hex } | null {
  const data = input.slice(2).toLowerCase();
  if (data.length < END_DIGITS || !data.endsWith(SCHEMA + MARKER)) return null;
  const end = data.length - END_DIGITS;
  const cut = end - 2 * Number.parseInt(data.slice(end, end + LENGTH_DIGITS), 16);
  if (cut < 0) return null;
  return { callData: `0x${data.slice(0, cut)}`, suffix: `0x${data.slice(cut)}` };
}
