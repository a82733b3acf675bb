// ERC-8021: a suffix behind the calldata that says who sent it. Here it is only cut off, which is all that the indexer
// does; whether it is genuine is for src/claims/attribution to decide.
import type { Hex } from "viem";

/** The last 16 bytes of every such calldata. */
const MARKER = "80218021802180218021802180218021";
const BYTE = 2;

/**
 * Splits calldata that ends in an ERC-8021 suffix: `schema data, its length, schema id (1 byte), marker (16 bytes)`,
 * where the length takes 1 byte in schemas 0 and 1 (codes) and 2 bytes in schema 2 (CBOR). Returns null where there is
 * no suffix, its schema is unknown, or it claims to be longer than the calldata.
 */
export function splitSuffix(input: Hex): { callData: Hex; suffix: Hex } | null {
  const data = input.slice(2).toLowerCase();
  if (!data.endsWith(MARKER)) return null;
  const length = schemaLength(data.slice(0, -MARKER.length));
  if (length === null) return null;
  const cut = data.length - MARKER.length - length;
  return { callData: `0x${data.slice(0, cut)}`, suffix: `0x${data.slice(cut)}` };
}

/** Returns the length, in hex digits, of what stands between the call and the marker. */
function schemaLength(data: string): number | null {
  const schema = numberAt(data, 0, 1);
  if (schema === 2) return within(data, 3 + numberAt(data, 1, 2));
  if (schema !== 0 && schema !== 1) return null;
  const codes = 2 + numberAt(data, 1, 1);
  // Schema 1 puts the registry of its codes before them: address, chain id, length of the chain id (1 byte).
  return within(data, schema === 0 ? codes : codes + 21 + numberAt(data, codes, 1));
}

/** Returns null also for NaN, which compares with nothing. */
function within(data: string, bytes: number): number | null {
  return bytes * BYTE <= data.length ? bytes * BYTE : null;
}

/** Returns the number of `size` bytes that ends `fromEnd` bytes before the end of `data`; NaN where there are not as many. */
function numberAt(data: string, fromEnd: number, size: number): number {
  const end = data.length - fromEnd * BYTE;
  const start = end - size * BYTE;
  return start < 0 ? Number.NaN : Number.parseInt(data.slice(start, end), 16);
}
