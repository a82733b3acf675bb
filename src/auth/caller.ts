import type { Hex } from "viem";
import type { Access } from "../protocol/enums.ts";

/** Who signed a request, in the one scope of that request: what every function that acts for a partner is handed. */
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
  /** The uuid of the answer, where the request writes: it is kept with what was written (requireWriter). */
  envelopeUuid?: string;
}
