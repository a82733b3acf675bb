import type { Deployments } from "../config/deployments.ts";
import type { Address, IpRange } from "../config/ip-range.ts";
import type { ProductId } from "../protocol/shapes.ts";
import { canonicalUris, TIMESTAMP_WINDOW_MS } from "../protocol/signing.ts";
import type { Caller } from "./caller.ts";
import { type AuthHeaders, type HeaderFault, readAuthHeaders } from "./headers.ts";
import { callerAddress, isAllowed } from "./ip.ts";
import type { Key } from "./key-store.ts";
import { isGranted, isServed, mayUse, parseChainId } from "./scope.ts";
import { isSignedBy, parseSignature, type SignedRequest } from "./signature.ts";

/** Checks that need no database: of a request alone, and of a request against its key. */

/** A request as received, uninterpreted. */
export interface AuthRequest {
  method: string;
  /** Path and query as in the request line, without the deployment's path prefix. */
  target: string;
  /** Names and values in turn, as node's `rawHeaders`: only they show a repeated header. */
  rawHeaders: readonly string[];
  /** The bytes as sent, empty where there are none. */
  body: Uint8Array;
  /** The socket's peer. */
  remoteAddress: string | undefined;
  /** Cost units that the request counts against its key's rate limit. */
  cost: number;
  /** True where the answer stays open, so that access is checked again. */
  staysOpen?: boolean;
}

/** Causes of refusing a request: a fixed set, for the log and for metrics. Never sent to callers. */
export type AuthCause =
  | HeaderFault
  | "key unknown"
  | "key inactive"
  | "key expired"
  | "secret unreadable"
  | "timestamp malformed"
  | "timestamp outside the window"
  | "nonce malformed"
  | "nonce reused"
  | "uri not canonical"
  | "signature wrong"
  | "address unknown"
  | "address not allowed"
  | "method not allowed"
  | "chain malformed"
  | "scope not granted"
  | "scope not served";

/**
 * Runs once every check has passed and only the nonce's claim is outstanding. Its work belongs to the caller only if the result
 * names this very caller; otherwise it is discarded.
 * @returns the scope in which the claim's statement reads the version of the key's rows; null to read none
 */
export type OnClaiming = (caller: Caller) => ProductId | null;

/** Facts of a request, before its key is known. */
export interface Facts {
  headers: AuthHeaders;
  timestamp: number;
  isCanonical: boolean;
  signed: SignedRequest;
  signature: Buffer | null;
  address: Address | null;
  chainId: number | null;
  cost: number;
  staysOpen: boolean;
  onClaiming: OnClaiming | undefined;
}

const UUID = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
const TIMESTAMP = /^[0-9]{1,15}$/;

/** Interprets a request. @param trustedProxies those whose X-Forwarded-For counts */
export function readFacts(
  trustedProxies: readonly IpRange[],
  request: AuthRequest,
  onClaiming: OnClaiming | undefined,
): Facts {
  const headers = readAuthHeaders(request.rawHeaders);
  const uris = canonicalUris(request.target);
  const { method, body, target } = request;
  const { timestamp, nonce } = headers;
  return {
    headers,
    timestamp: TIMESTAMP.test(timestamp) ? Number(timestamp) : Number.NaN,
    isCanonical: uris !== null,
    signed: { method, uris: uris ?? { sent: target, decoded: null }, timestamp, nonce, body },
    signature: parseSignature(headers.signature),
    address: callerAddress(request.remoteAddress, headers.forwardedFor, trustedProxies),
    chainId: parseChainId(headers.chainId),
    cost: request.cost,
    staysOpen: request.staysOpen ?? false,
    onClaiming,
  };
}

/** Returns the first check that fails, or null. The request's own come first, then those of its key. @param time Unix milliseconds */
export function findFault(
  deployments: Deployments,
  facts: Facts,
  key: Key | null,
  time: number,
): AuthCause | null {
  const { headers, timestamp } = facts;
  if (headers.fault) return headers.fault;
  if (Number.isNaN(timestamp)) return "timestamp malformed";
  if (Math.abs(time - timestamp) > TIMESTAMP_WINDOW_MS) return "timestamp outside the window";
  if (!UUID.test(headers.nonce)) return "nonce malformed";
  if (!facts.isCanonical) return "uri not canonical";
  return key ? findKeyFault(deployments, facts, key, time) : "key unknown";
}

/** Returns the first check of a request against its key that fails, or null. @param time Unix milliseconds */
export function findKeyFault(
  deployments: Deployments,
  facts: Facts,
  key: Key,
  time: number,
): AuthCause | null {
  const { headers, signed, address, chainId } = facts;
  if (!key.active) return "key inactive";
  if (key.expiresAt !== null && key.expiresAt <= time) return "key expired";
  if (!key.secret) return "secret unreadable";
  if (address === null) return "address unknown";
  if (!isAllowed(address, key.ranges)) return "address not allowed";
  const isSigned = isSignedBy(key.secret, signed, facts.signature);
  if (!isSigned && !isSignedByPrevious(facts, key, time)) return "signature wrong";
  if (!mayUse(key.access, signed.method)) return "method not allowed";
  if (chainId === null) return "chain malformed";
  if (!isGranted(key.scopes, chainId, headers.product)) return "scope not granted";
  return isServed(deployments, chainId, headers.product) ? null : "scope not served";
}

function isSignedByPrevious({ signed, signature }: Facts, { previous }: Key, time: number): boolean {
  return previous !== null && time < previous.until && isSignedBy(previous.secret, signed, signature);
}
