import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { type CanonicalUris, payloadHead } from "../protocol/signing.ts";

const SIGNATURE = /^[0-9a-fA-F]{64}$/;
const NO_SIGNATURE = Buffer.alloc(32);

/** The 32 bytes of x-api-sign, hex digits in either case; null where it is anything else. */
export function parseSignature(text: string): Buffer | null {
  return SIGNATURE.test(text) ? Buffer.from(text, "hex") : null;
}

export interface SignedRequest {
  method: string;
  uris: CanonicalUris;
  timestamp: string;
  nonce: string;
  body: Uint8Array;
}

/**
 * True where the signature was made with the secret, over either canonical form (API.md section 2). Takes the same time
 * whatever the secret is and wherever the digests differ, and no less time for a malformed signature.
 */
export function isSignedBy(secret: KeyObject, request: SignedRequest, signature: Buffer | null): boolean {
  const { sent, decoded } = request.uris;
  const given = signature ?? NO_SIGNATURE;
  const overSent = timingSafeEqual(hmac(secret, request, sent), given);
  // Which forms a target has is no secret: its sender knows.
  if (decoded === null || decoded === sent) return overSent && signature !== null;
  const overDecoded = timingSafeEqual(hmac(secret, request, decoded), given);
  return (overSent || overDecoded) && signature !== null;
}

function hmac(secret: KeyObject, { method, timestamp, nonce, body }: SignedRequest, uri: string): Buffer {
  const hash = createHmac("sha256", secret).update(payloadHead({ method, uri, timestamp, nonce }));
  return (body.length > 0 ? hash.update(body) : hash).digest();
}
