import { createSecretKey, randomBytes } from "node:crypto";
import type pg from "pg";
import type { Deployments } from "../config/deployments.ts";
import { canonicalUris, TIMESTAMP_WINDOW_MS } from "../protocol/signing.ts";
import type { Caller } from "./caller.ts";
import { type AuthHeaders, type HeaderFault, readAuthHeaders } from "./headers.ts";
import { type Address, callerAddress, isAllowed } from "./ip.ts";
import { createKeyStore, type Key, type KeyStore } from "./keys.ts";
import { type ClaimNonce, createNonceClaimer } from "./nonces.ts";
import type { Quota, RateLimits } from "./rate-limits.ts";
import { isGranted, isServed, mayUse, parseChainId } from "./scope.ts";
import type { MasterKey } from "./secrets.ts";
import { isSignedBy, parseSignature, type SignedRequest } from "./signature.ts";

/** A request as it came in, nothing of it interpreted yet. */
export interface AuthRequest {
  method: string;
  /** Path and query as in the request line, without the deployment's path prefix. */
  target: string;
  /** Names and values in turn, as node's `rawHeaders`: only there is a repeated header to be seen. */
  rawHeaders: readonly string[];
  /** The bytes as sent, empty where there are none. */
  body: Uint8Array;
  /** The socket's peer. */
  remoteAddress: string | undefined;
}

/** Why a request was refused: a fixed set, for the log and for metrics. Callers are told none of it. */
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

/** Why a request was not answered though nothing is known to be wrong with it. */
type LimitCause = "key's limit reached" | "address's limit reached";

export type AuthResult =
  /** `quota` is what is left to the key, where there is a limit. */
  | { ok: true; caller: Caller; ip: string | null; quota?: Quota }
  /** `keyId` is null where the key does not exist. */
  | { ok: false; cause: AuthCause; keyId: string | null; ip: string | null; quota?: undefined }
  /** Over a limit: of the caller, or, where that is null, of the address, of which nothing else was looked at. */
  | {
      ok: false;
      cause: LimitCause;
      keyId: string | null;
      ip: string | null;
      quota: Quota;
      caller: Caller | null;
    };

export interface AuthDeps {
  keys: KeyStore;
  claimNonce: ClaimNonce;
  /** Without it, nothing is limited. */
  limits?: RateLimits | undefined;
  deployments: Deployments;
  /** How many proxies in front append to X-Forwarded-For. */
  trustedProxies: number;
  /** Unix milliseconds. */
  now: () => number;
}

export type Authenticate = (request: AuthRequest) => Promise<AuthResult>;

export interface AuthenticatorOptions {
  pool: pg.Pool;
  masterKeys: readonly MasterKey[];
  deployments: Deployments;
  trustedProxies: number;
  limits?: RateLimits;
  now: () => number;
}

/** authenticate with its store of keys and its nonces in PostgreSQL. One for the life of a program. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticate {
  const { pool, masterKeys, deployments, trustedProxies, limits, now } = options;
  const keys = createKeyStore({ pool, masterKeys, now });
  const deps = { keys, claimNonce: createNonceClaimer(pool), limits, deployments, trustedProxies, now };
  return (request) => authenticate(deps, request);
}

/**
 * Says who signed a request (SPEC section 5, API.md section 2). The nonce is spent last, when nothing else is left to
 * refuse, and for good: a forged request burns nobody's nonce, an accepted one cannot be sent again.
 *
 * A cached key is good for accepting only: whatever it would refuse is checked again with the key as it is now. So
 * every refusal costs two rounds of the same checks and one look-up, whether the key exists or not.
 *
 * An address that was refused too often is not looked at any more, whatever it sends, so that being limited tells nothing
 * of a request. A key's own limit comes after every check and before the nonce: a request over it burns nothing.
 * @throws ApiError DATABASE_UNAVAILABLE where that cannot be found out
 */
export async function authenticate(deps: AuthDeps, request: AuthRequest): Promise<AuthResult> {
  const facts = readFacts(deps, request);
  const blocked = await deps.limits?.blocked(facts.address);
  if (blocked) return limit(facts, blocked, "address's limit reached");
  const result = await check(deps, facts);
  if (!result.ok && !result.quota) await deps.limits?.failed(facts.address);
  return result;
}

async function check(deps: AuthDeps, facts: Facts): Promise<AuthResult> {
  const cached = deps.keys.cached(facts.headers.apiKey);
  const accepted = findFault(deps, facts, cached) === null;
  const early = accepted ? await admit(deps, facts, cached) : null;
  if (early) return early;

  const key = await deps.keys.load(facts.headers.apiKey);
  const fault = findFault(deps, facts, key);
  if (fault) return refuse(facts, key, fault);
  // With an unchanged key, only the nonce can have failed the claim above.
  const alreadySpent = accepted && cached.revision === key.revision;
  const late = alreadySpent ? null : await admit(deps, facts, key);
  return late ?? refuse(facts, key, "nonce reused");
}

/** Counts a request that passed every check, then spends its nonce; null, and not counted, where that is spent. */
async function admit(deps: AuthDeps, facts: Facts, key: Key): Promise<AuthResult | null> {
  const { method } = facts.signed;
  const quota = await deps.limits?.take(key.keyId, method);
  if (quota && !quota.taken) return limit(facts, quota, "key's limit reached", key);
  let claimed = false;
  try {
    claimed = await claim(deps, facts, key);
  } finally {
    if (!claimed) await deps.limits?.giveBack(key.keyId, method);
  }
  return claimed ? accept(facts, key, quota) : null;
}

/** What a request says, before it is known whose it is. */
interface Facts {
  headers: AuthHeaders;
  timestamp: number;
  isCanonical: boolean;
  signed: SignedRequest;
  signature: Buffer | null;
  address: Address | null;
  chainId: number | null;
}

const UUID = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;
const TIMESTAMP = /^[0-9]{1,15}$/;

function readFacts({ trustedProxies }: AuthDeps, request: AuthRequest): Facts {
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
  };
}

/** Used where a key's own secret cannot be: the comparison takes its time all the same. */
const NO_SECRET = createSecretKey(randomBytes(32));

/** The first check that fails, or null. All of them are made, whatever the others say. */
function findFault({ deployments, now }: AuthDeps, facts: Facts, key: Key): AuthCause | null {
  const { headers, signed, timestamp, address, chainId } = facts;
  const time = now();
  const isSigned = isSignedBy(key.secret ?? NO_SECRET, signed, facts.signature);
  const isFromAllowed = address !== null && isAllowed(address, key.ranges);
  const granted = isGranted(key.scopes, chainId, headers.product);
  const served = isServed(deployments, chainId, headers.product);
  const isTimely = Math.abs(time - timestamp) <= TIMESTAMP_WINDOW_MS;
  const isExpired = key.expiresAt !== null && key.expiresAt <= time;
  const isNonce = UUID.test(headers.nonce);

  if (headers.fault) return headers.fault;
  if (Number.isNaN(timestamp)) return "timestamp malformed";
  if (!isTimely) return "timestamp outside the window";
  if (!isNonce) return "nonce malformed";
  if (!facts.isCanonical) return "uri not canonical";
  if (!key.exists) return "key unknown";
  if (!key.active) return "key inactive";
  if (isExpired) return "key expired";
  if (!key.secret) return "secret unreadable";
  if (address === null) return "address unknown";
  if (!isFromAllowed) return "address not allowed";
  if (!isSigned) return "signature wrong";
  if (!mayUse(key.access, signed.method)) return "method not allowed";
  if (chainId === null) return "chain malformed";
  if (!granted) return "scope not granted";
  return served ? null : "scope not served";
}

function claim({ claimNonce }: AuthDeps, { headers }: Facts, key: Key): Promise<boolean> {
  return claimNonce({ keyId: key.keyId, revision: key.revision, nonce: headers.nonce });
}

function accept(facts: Facts, key: Key, quota: Quota | null | undefined): AuthResult {
  const caller = callerOf(facts, key);
  return { ok: true, caller, ip: facts.address?.toString() ?? null, ...(quota ? { quota } : {}) };
}

function callerOf({ headers, chainId }: Facts, { keyId, apiKey, access, userAddress }: Key): Caller {
  return { keyId, apiKey, access, chainId: chainId ?? 0, productType: headers.product, userAddress };
}

function limit(facts: Facts, quota: Quota, cause: LimitCause, key?: Key): AuthResult {
  const caller = key ? callerOf(facts, key) : null;
  const ip = facts.address?.toString() ?? null;
  return { ok: false, cause, keyId: caller?.keyId ?? null, ip, quota, caller };
}

function refuse({ address }: Facts, key: Key, cause: AuthCause): AuthResult {
  return { ok: false, cause, keyId: key.exists ? key.keyId : null, ip: address?.toString() ?? null };
}
