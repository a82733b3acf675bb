import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { Attribution } from "ox/erc8021";
import { bytesToHex, type Hex, hexToBytes, zeroAddress } from "viem";
import { z } from "zod";
import type { AttributionKey } from "../../context/deps.ts";

/**
 * ERC-8021 suffix behind calldata that is built here (docs/api.md#attribution): it names the API key that the
 * call was built for, so that a transaction which a caller submits is mapped to that key.
 */

/** Call that an attribution is of; addresses lower case, the call data without the suffix. */
export interface AttributedCall {
  chainId: number;
  router: Hex;
  callData: Hex;
}

/** The content of a valid suffix. */
export interface Attributed {
  /** Public id of the API key that the call was built for. */
  apiKey: string;
  /** User who alone may submit it, lower case; null where the caller named none. */
  user: Hex | null;
  /** 16 random bytes: every reply has its own, so two transactions with the same are two uses of one suffix. */
  nonce: Hex;
}

const NONCE_BYTES = 16;
const MAC_BYTES = 32;
/** More than any suffix of ours takes: what is longer is not looked into. */
const LENGTH_MAX = 256;

const bytes = (length: number) => z.instanceof(Uint8Array).refine((value) => value.length === length);
const metadataSchema = z.strictObject({
  // No line break can be in it, so what is signed can be read in one way only.
  k: z.string().regex(/^[\x21-\x7e]{1,64}$/),
  u: bytes(20),
  n: bytes(NONCE_BYTES),
  m: bytes(MAC_BYTES),
});

/**
 * Returns a suffix of its own for a call, signed with the first server key.
 * @throws Error where there is no server key
 */
export function signAttribution(
  [current]: readonly AttributionKey[],
  call: AttributedCall,
  { apiKey, user }: Pick<Attributed, "apiKey" | "user">,
): Hex {
  if (!current) throw new Error("there is no key to sign attributions with");
  const attributed = { apiKey, user, nonce: bytesToHex(randomBytes(NONCE_BYTES)) };
  return encode(attributed, macOf(current, call, attributed));
}

/**
 * Returns the content of a suffix, where one of the server keys signed it for this very call. Only the bytes that signAttribution
 * would write count: no second spelling of a suffix passes for another one.
 * @returns null where it is not ours, or anything of it or of the call was changed
 */
export function verifyAttribution(
  keys: readonly AttributionKey[],
  call: AttributedCall,
  suffix: Hex,
): Attributed | null {
  const read = decode(suffix);
  if (!read || encode(read.attributed, read.mac) !== suffix) return null;
  const signed = keys.some((key) => timingSafeEqual(macOf(key, call, read.attributed), read.mac));
  return signed ? read.attributed : null;
}

function macOf({ key }: AttributionKey, call: AttributedCall, { apiKey, user, nonce }: Attributed): Buffer {
  const lines = [apiKey, call.chainId, call.router, user ?? zeroAddress, nonce, call.callData];
  return createHmac("sha256", key)
    .update(["partner-trading attribution", ...lines].join("\n"), "utf8")
    .digest();
}

function encode({ apiKey, user, nonce }: Attributed, mac: Uint8Array): Hex {
  const metadata = {
    k: apiKey,
    u: hexToBytes(user ?? zeroAddress),
    n: hexToBytes(nonce),
    m: Uint8Array.from(mac),
  };
  // Without any code the library would take another schema, unless one is named.
  return Attribution.toDataSuffix({ appCode: undefined, metadata });
}

function decode(suffix: Hex): { attributed: Attributed; mac: Uint8Array } | null {
  if (suffix.length > 2 + 2 * LENGTH_MAX) return null;
  const parsed = metadataSchema.safeParse(metadataOf(suffix));
  if (!parsed.success) return null;
  const { k, u, n, m } = parsed.data;
  const user = bytesToHex(u);
  return {
    attributed: { apiKey: k, user: user === zeroAddress ? null : user, nonce: bytesToHex(n) },
    mac: m,
  };
}

/** Returns the metadata of a suffix; undefined where it is not CBOR, since any caller may append any bytes to a call. */
function metadataOf(suffix: Hex): unknown {
  try {
    return Attribution.fromData(suffix)?.metadata;
  } catch {
    return undefined;
  }
}
