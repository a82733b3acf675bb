import type { Hex } from "viem";
import type { Access } from "../protocol/enums.ts";

/** The caller who signed a request, in its one scope. Every function that acts for a partner takes it. */
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
  /** The uuid of the answer to a request that writes, stored with what it wrote (requireWriter). */
  envelopeUuid?: string;
}
