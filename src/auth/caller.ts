import type { Hex } from "viem";
import type { Access } from "../protocol/enums.ts";

/** Signer of a request, with its one scope: an argument of every function that acts for a partner. */
export interface Caller {
  /** The key's row in app.*; owns orders and operations. */
  keyId: string;
  /** The public identifier, sent as x-api-key. */
  apiKey: string;
  access: Access;
  chainId: number;
  productType: string;
  /** The user whom this key may send for, lower case, or null. */
  userAddress: Hex | null;
  /** Secret that signed the request: the key's revision that it was checked against, and whether by the secret before its last rotation. */
  signed?: { revision: number; isPrevious: boolean };
  /** When the key that signed ends, Unix milliseconds; null: never. */
  expiresAt?: number | null;
  /** Uuid of the answer; present in requests that write, and stored with their rows (requireWriter). */
  envelopeUuid?: string;
}
