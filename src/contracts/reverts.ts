import { decodeErrorResult, type Hex, isHex } from "viem";
import { protocolErrorsAbi } from "./abi/index.ts";

/** Reason of a revert: a custom error's name, or `Error` (a reason string) or `Panic` (a code). */
export interface Revert {
  name: string;
  args: readonly unknown[];
}

/** Sufficient for every way in which viem, ethers and nodes wrap revert data; a bound, since errors can form cycles. */
const MAX_DEPTH = 12;

/**
 * Finds and decodes the revert inside any error: viem's (walking causes), a JSON-RPC error object, or the raw revert data itself.
 * Knows every custom error that can reach a caller, the ERC-20 ones included, and Solidity's `Error(string)` and
 * `Panic(uint256)`.
 * @returns null where there is no revert data in it, or none that we know. Never throws.
 */
export function decodeRevert(error: unknown): Revert | null {
  return search(error, MAX_DEPTH);
}

function search(value: unknown, depth: number): Revert | null {
  if (typeof value === "string") return isHex(value) ? decode(value) : null;
  if (depth === 0 || typeof value !== "object" || value === null) return null;
  // `raw` is viem's revert data, `data` a node's, `error` the object that some libraries wrap.
  for (const key of ["raw", "data", "cause", "error"]) {
    const found = search(property(value, key), depth - 1);
    if (found) return found;
  }
  return null;
}

function property(value: object, key: string): unknown {
  return key in value ? Reflect.get(value, key) : undefined;
}

function decode(data: Hex): Revert | null {
  try {
    const { errorName, args } = decodeErrorResult({ abi: protocolErrorsAbi, data });
    return { name: errorName, args: args ?? [] };
  } catch {
    return null;
  }
}
