import type { Hex } from "viem";
import { z } from "zod";
import { gas } from "../context/input/fields.ts";
import { ApiError } from "../protocol/errors.ts";

/** Minimum gasLimit of a caller. */
const GAS_LIMIT_MIN = 150_000n;
const BASE_GAS = 21_000n;

/**
 * Returns the gas that the bytes of a transaction cost before anything runs: the intrinsic cost, or the floor (EIP-7623) where
 * higher.
 */
export function intrinsicGas(data: Hex): bigint {
  const bytes = Buffer.from(data.slice(2), "hex");
  const zeros = BigInt(bytes.reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0));
  const others = BigInt(bytes.length) - zeros;
  const intrinsic = BASE_GAS + zeros * 4n + others * 16n;
  const floor = BASE_GAS + (zeros + others * 4n) * 10n;
  return intrinsic > floor ? intrinsic : floor;
}

export interface GasQuestion {
  data: Hex;
  /** The caller's gasLimit, or null. */
  asked: bigint | null;
  estimate: bigint;
  /** Maximum of this deployment. */
  cap: bigint;
}

/**
 * Returns the gas limit of a transaction: the caller's where given, else 1.5 times the estimate.
 * @throws ApiError OUT_OF_GAS where the estimate is above the cap: with any limit up to it the call would be mined, revert and
 * cost the operator its gas; and as requireGasLimit
 */
export function gasLimitFor({ data, asked, estimate, cap }: GasQuestion): bigint {
  requireGasLimit(asked, cap, data);
  if (estimate > cap) {
    const message = `The call needs ${estimate} gas, and at most ${cap} is sent`;
    throw new ApiError("OUT_OF_GAS", { message });
  }
  if (asked !== null) return asked;
  const limit = (estimate * 3n + 1n) / 2n;
  return limit < cap ? limit : cap;
}

/**
 * Checks a caller's gasLimit, where there is one, against its bounds.
 * @param data the transaction's, once it is known: no block takes a limit below the cost of its bytes
 * @throws ApiError VALIDATION_FAILED where it is too low to be mined at all, or above the cap
 */
export function requireGasLimit(asked: bigint | null, cap: bigint, data: Hex = "0x"): void {
  const least = intrinsicGas(data);
  const min = least > GAS_LIMIT_MIN ? least : GAS_LIMIT_MIN;
  if (asked === null || (asked >= min && asked <= cap)) return;
  throw new ApiError("VALIDATION_FAILED", {
    param: "gasLimit",
    message: `gasLimit must be between ${min} and ${cap}`,
  });
}

/** Input that every /send endpoint shares. */
export const gasLimitShape = z.object({ gasLimit: gas.optional() });
