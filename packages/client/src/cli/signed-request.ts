import { randomUUID } from "node:crypto";
import { payloadHead } from "../../../../src/protocol/signing.ts";
import { uriOf } from "../request.ts";
import { signedHeaders } from "../signed-headers.ts";
import type { Credentials } from "./credentials.ts";
import type { Pair, Target } from "./target.ts";

/** A request, ready to send. */
export interface SignedRequest {
  /** Path and query as signed and sent. */
  uri: string;
  timestamp: string;
  nonce: string;
  /** Text that is signed. */
  payload: string;
  headers: Record<string, string>;
}

/** Writes pairs as a query, in their order. */
export const queryText = (query: readonly Pair[]): string =>
  query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");

/** Returns the query of a URI, empty where it has none. */
export const queryOf = (uri: string): string => (uri.includes("?") ? uri.slice(uri.indexOf("?") + 1) : "");

/** Signs a request, with a new timestamp and nonce unless they are given. */
export async function signRequest(
  { chainId, ...credentials }: Credentials,
  { method, path, query, body }: Target,
  { timestamp = String(Date.now()), nonce = randomUUID() }: { timestamp?: string; nonce?: string } = {},
): Promise<SignedRequest> {
  const uri = uriOf(path, Object.fromEntries(query));
  const parts = { method, uri, timestamp, nonce };
  const signed = await signedHeaders({ ...credentials, chainId: String(chainId) }, parts, body);
  const headers = { ...signed, ...(body === "" ? {} : { "content-type": "application/json" }) };
  return { uri, timestamp, nonce, payload: payloadHead(parts) + body, headers };
}
