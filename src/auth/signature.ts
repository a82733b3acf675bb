import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { type CanonicalUris, payloadHead } from "../protocol/signing.ts";

const SIGNATURE = /^[0-9a-fA-F]{64}$/;

/** Returns the 32 bytes of x-api-sign, hex digits in either case; null where it is anything else. */
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

/** Returns true where the secret made the signature, over either canonical form. Compares both in constant time. */
export function isSignedBy(secret: KeyObject, request: SignedRequest, signature: Buffer | null): boolean {
  if (signature === null) return false;
  const { sent, decoded } = request.uris;
  const overSent = timingSafeEqual(hmac(secret, request, sent), signature);
  if (decoded === null || decoded === sent) return overSent;
  const overDecoded = timingSafeEqual(hmac(secret, request, decoded), signature);
  return overSent || overDecoded;
}

function hmac(secret: KeyObject, { method, timestamp, nonce, body }: SignedRequest, uri: string): Buffer {
  const hash = createHmac("sha256", secret).update(payloadHead({ method, uri, timestamp, nonce }));
  return (body.length > 0 ? hash.update(body) : hash).digest();
}
