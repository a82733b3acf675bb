import { API_PREFIX, canonicalUris, SIGNING_HEADERS, sign } from "../../../../src/protocol/signing.ts";
import type { Credentials } from "./credentials.ts";

export interface SignedFetchParts {
  send: typeof fetch;
  /** URL of the service, with a slash at its end; the API is below it. */
  base: URL;
  credentials: () => Credentials | null;
}

/** Returns a fetch that signs requests to the API, exactly as sent, and passes on all others. */
export function signedFetch({ send, base, credentials }: SignedFetchParts): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const target = targetBelow(base, request.url);
    if (!target?.startsWith(`${API_PREFIX}/`)) return send(request);
    const known = credentials();
    if (!known)
      throw new Error("Enter your API key, secret, chain and product at the top of the page first.");
    const body = await request.text();
    const headers = new Headers(request.headers);
    const signing = await signingHeaders(known, request.method, target, body);
    for (const [name, value] of Object.entries(signing)) headers.set(name, value);
    return send(request.url, {
      method: request.method,
      headers,
      signal: request.signal,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      ...(body === "" ? {} : { body }),
    });
  };
}

/** Returns path and query as signed, without a deployment's prefix; null for URLs elsewhere. */
function targetBelow(base: URL, url: string): string | null {
  const { origin, pathname, search } = new URL(url);
  if (origin !== base.origin || !pathname.startsWith(base.pathname)) return null;
  return pathname.slice(base.pathname.length - 1) + search;
}

async function signingHeaders(
  { apiKey, apiSecret, chainId, productType }: Credentials,
  method: string,
  target: string,
  body: string,
): Promise<Record<string, string>> {
  const uri = canonicalUris(target)?.sent;
  if (uri === undefined) throw new Error("A path parameter holds a character that paths do not take.");
  const timestamp = String(Date.now());
  const nonce = crypto.randomUUID();
  return {
    [SIGNING_HEADERS.apiKey]: apiKey,
    [SIGNING_HEADERS.timestamp]: timestamp,
    [SIGNING_HEADERS.nonce]: nonce,
    [SIGNING_HEADERS.chainId]: chainId,
    [SIGNING_HEADERS.product]: productType,
    [SIGNING_HEADERS.signature]: await sign(apiSecret, { method, uri, timestamp, nonce }, body),
  };
}
