import { randomUUID } from "node:crypto";
import { API_PREFIX, payloadHead, SIGNING_HEADERS, sign } from "../../protocol/signing.ts";
import type { Credentials } from "./credentials.ts";
import type { Pair, Target } from "./target.ts";

/** A request that is ready to be sent. */
export interface SignedRequest {
  /** Path and query as they are signed and sent. */
  uri: string;
  timestamp: string;
  nonce: string;
  /** What is signed. */
  payload: string;
  headers: Record<string, string>;
}

/** Returns pairs in the order in which they are signed: by name, in code units. */
export const sorted = (query: readonly Pair[]): Pair[] =>
  [...query].sort(([one], [other]) => (one < other ? -1 : 1));

/** Writes pairs as a query, in their order. */
export const queryText = (query: readonly Pair[]): string =>
  query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");

/** Returns the URI of a request: its query sorted. */
export function uriOf({ path, query }: Pick<Target, "path" | "query">): string {
  return `${API_PREFIX}${path}${query.length > 0 ? `?${queryText(sorted(query))}` : ""}`;
}

/** Signs a request, with a timestamp and nonce of its own unless they are given. */
export async function signRequest(
  credentials: Credentials,
  target: Target,
  { timestamp = String(Date.now()), nonce = randomUUID() }: { timestamp?: string; nonce?: string } = {},
): Promise<SignedRequest> {
  const uri = uriOf(target);
  const parts = { method: target.method, uri, timestamp, nonce };
  const headers = {
    [SIGNING_HEADERS.apiKey]: credentials.apiKey,
    [SIGNING_HEADERS.timestamp]: timestamp,
    [SIGNING_HEADERS.nonce]: nonce,
    [SIGNING_HEADERS.chainId]: String(credentials.chainId),
    [SIGNING_HEADERS.product]: credentials.productType,
    [SIGNING_HEADERS.signature]: await sign(credentials.apiSecret, parts, target.body),
    ...(target.body === "" ? {} : { "content-type": "application/json" }),
  };
  return { uri, timestamp, nonce, payload: payloadHead(parts) + target.body, headers };
}
