import { SIGNING_HEADERS, type SignedParts, sign } from "../../../src/protocol/signing.ts";
import type { Settings } from "./options.ts";

/** Settings that sign a request. */
export type Signer = Pick<Settings, "apiKey" | "apiSecret" | "chainId" | "productType">;

/** Returns the headers that sign a request; `body` is exactly as sent. */
export async function signedHeaders(
  { apiKey, apiSecret, chainId, productType }: Signer,
  parts: SignedParts,
  body: string,
): Promise<Record<string, string>> {
  return {
    [SIGNING_HEADERS.apiKey]: apiKey,
    [SIGNING_HEADERS.timestamp]: parts.timestamp,
    [SIGNING_HEADERS.nonce]: parts.nonce,
    [SIGNING_HEADERS.chainId]: chainId,
    [SIGNING_HEADERS.product]: productType,
    [SIGNING_HEADERS.signature]: await sign(apiSecret, parts, body),
  };
}
