import type pg from "pg";
import type { Deployments } from "../config/deployments.ts";
import type { Caller } from "./caller.ts";
import {
  type AuthCause,
  type AuthRequest,
  type Facts,
  findFault,
  findKeyFault,
  type OnClaiming,
  readFacts,
} from "./checks.ts";
import type { InFlightLimit } from "./in-flight.ts";
import { createKeyStore, type Key, type KeyStore } from "./key-store.ts";
import type { AnswerVersion } from "./nonce-claim-store.ts";
import { type ClaimNonce, createNonceClaimer, type NonceOutcome } from "./nonce-store.ts";
import { type FailureLimit, type KeyLimits, type Quota, usageKindOf } from "./rate-limits.ts";
import type { MasterKey } from "./secrets.ts";
import { isSignedBy } from "./signature.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

/** Causes of refusing a request that is itself correct. */
type LimitCause = "key's limit reached" | "key's requests in flight";

export type AuthResult =
  /** `quota` is what is left to the key, where there is a limit; `release` is called once the answer is out. */
  | {
      ok: true;
      caller: Caller;
      ip: string | null;
      quota?: Quota;
      release?: () => void;
      /** Present where a version was requested and exists. */
      version?: AnswerVersion;
      /**
       * For a request that stays open: checks it against the current key, except its timestamp and nonce, which are consumed.
       * @returns the cause of a refusal, or null
       */
      recheck?: () => Promise<AuthCause | null>;
    }
  /** `keyId` is null where the key does not exist; `quota` is set where the address is over its limit of failures. */
  | {
      ok: false;
      cause: AuthCause;
      keyId: string | null;
      ip: string | null;
      quota?: Quota;
      caller?: undefined;
    }
  /** Over a limit of the caller. */
  | { ok: false; cause: LimitCause; keyId: string; ip: string | null; quota: Quota; caller: Caller };

export interface AuthDeps {
  keys: KeyStore;
  claimNonce: ClaimNonce;
  /** Without it, a key may have any number of requests in flight. */
  inFlight?: InFlightLimit | undefined;
  /** Without it, an address may fail any number of times. */
  failures?: FailureLimit | undefined;
  deployments: Deployments;
  trustedProxies: Pick<TrustedProxies, "ranges">;
  /** Unix milliseconds. */
  now: () => number;
}

export type Authenticate = (request: AuthRequest, onClaiming?: OnClaiming) => Promise<AuthResult>;

export interface AuthenticatorOptions {
  pool: pg.Pool;
  masterKeys: readonly MasterKey[];
  deployments: Deployments;
  trustedProxies: Pick<TrustedProxies, "ranges">;
  /** Of each key, over all replicas. */
  limits?: KeyLimits;
  inFlight?: InFlightLimit;
  failures?: FailureLimit;
  preparedStatements?: boolean;
  /** Time limit of the database for each read of a key and each claim of a nonce, milliseconds. */
  timeoutMs?: number;
  now: () => number;
}

/** Creates `authenticate` with its store of keys and its nonces in PostgreSQL, once per program. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticate {
  const { pool, masterKeys, limits, preparedStatements, timeoutMs, now, ...others } = options;
  const keys = createKeyStore({ pool, masterKeys, now, timeoutMs });
  const claimNonce = createNonceClaimer(pool, { limits, preparedStatements, timeoutMs });
  const deps = { ...others, keys, claimNonce, now };
  return (request, onClaiming) => authenticate(deps, request, onClaiming);
}

/**
 * Authenticates a request. Claims its nonce last, and permanently: a forged request consumes no nonce, and an accepted one cannot
 * be sent again.
 *
 * A cached key can only accept: a refusal is checked again with the key as it is stored. Only an address over its limit of
 * failures is refused by a fresh copy alone. Such a refusal carries the limit's quota; a validly signed request still passes,
 * because others may share the address.
 *
 * A key's own limits come after every check: first the requests in flight, in memory, then the cost, in the statement that claims
 * the nonce. A request over either consumes nothing.
 * @throws ApiError DATABASE_UNAVAILABLE
 */
export async function authenticate(
  deps: AuthDeps,
  request: AuthRequest,
  onClaiming?: OnClaiming,
): Promise<AuthResult> {
  const facts = readFacts(deps.trustedProxies.ranges(), request, onClaiming);
  const exceeded = (await deps.failures?.exceeded(facts.address)) ?? null;
  const result = await check(deps, facts, exceeded !== null);
  if (result.ok || result.caller) return result;
  await deps.failures?.count(facts.address);
  return exceeded ? { ...result, quota: exceeded } : result;
}

/** Maximum age of a cached key that refuses a request from an address over its limit, milliseconds. */
const FRESH_MS = 1_000;

async function check(deps: AuthDeps, facts: Facts, isOverLimit: boolean): Promise<AuthResult> {
  const cached = deps.keys.cached(facts.headers.apiKey);
  const doubt = cached && findFault(deps.deployments, facts, cached, deps.now());
  const early = cached && !doubt ? await admit(deps, facts, cached) : null;
  if (early) return early;
  if (doubt && isOverLimit && deps.now() - cached.readAt < FRESH_MS) return refuse(facts, cached, doubt);
  // Also where the request itself is wrong: the log names the key that it was sent with.
  const key = await deps.keys.load(facts.headers.apiKey);
  const fault = findFault(deps.deployments, facts, key, deps.now());
  if (fault || !key) return refuse(facts, key, fault ?? "key unknown");
  // With an unchanged key, only the nonce can have failed the claim above.
  const alreadySpent = !doubt && cached?.revision === key.revision;
  const late = alreadySpent ? null : await admit(deps, facts, key);
  return late ?? refuse(facts, key, "nonce reused");
}

/** Lets in a request that passed every check, within the limits of its key; null where its nonce cannot be claimed. */
async function admit(deps: AuthDeps, facts: Facts, key: Key): Promise<AuthResult | null> {
  const { inFlight } = deps;
  const release = inFlight?.enter(key.keyId, facts.cost);
  if (inFlight && !release) {
    const quota: Quota = { limit: "in flight", points: inFlight.points, remaining: 0, resetMs: 1_000 };
    return limit(facts, quota, "key's requests in flight", key);
  }
  let isAdmitted = false;
  try {
    const caller = callerOf(facts, key);
    const claimed = await claim(deps, facts, caller);
    isAdmitted = claimed.outcome === "claimed";
    if (claimed.outcome === "limited") return limit(facts, claimed.quota, "key's limit reached", key);
    return claimed.outcome === "claimed" ? accept(deps, facts, caller, claimed, release) : null;
  } finally {
    if (!isAdmitted) release?.();
  }
}

function claim({ claimNonce }: AuthDeps, facts: Facts, caller: KnownCaller): Promise<NonceOutcome> {
  const { headers, signed, cost, onClaiming } = facts;
  const kind = usageKindOf(signed.method);
  // The database's clock decides when a previous secret ends, as it does for the key itself.
  const asked = { keyId: caller.keyId, ...caller.signed, nonce: headers.nonce, kind, cost };
  return claimNonce(asked, () => onClaiming?.(caller) ?? null);
}

function accept(
  deps: AuthDeps,
  facts: Facts,
  caller: Caller,
  { quota, version }: Extract<NonceOutcome, { outcome: "claimed" }>,
  release: (() => void) | null | undefined,
): AuthResult {
  const ip = facts.address?.toString() ?? null;
  const result: Extract<AuthResult, { ok: true }> = { ok: true, caller, ip };
  if (quota) result.quota = quota;
  if (version) result.version = version;
  if (release) result.release = release;
  if (facts.staysOpen) result.recheck = () => recheck(deps, facts);
  return result;
}

async function recheck(deps: AuthDeps, facts: Facts): Promise<AuthCause | null> {
  const key = await deps.keys.load(facts.headers.apiKey);
  return key ? findKeyFault(deps.deployments, facts, key, deps.now()) : "key unknown";
}

type KnownCaller = Caller & Required<Pick<Caller, "signed" | "expiresAt">>;

function callerOf({ headers, chainId, signed: request, signature }: Facts, key: Key): KnownCaller {
  const { keyId, apiKey, access, userAddress, expiresAt, revision, previous } = key;
  const signed = {
    revision,
    isPrevious: previous !== null && isSignedBy(previous.secret, request, signature),
  };
  const scope = { chainId: chainId ?? 0, productType: headers.product };
  return { keyId, apiKey, access, ...scope, userAddress, signed, expiresAt };
}

function limit(facts: Facts, quota: Quota, cause: LimitCause, key: Key): AuthResult {
  const caller = callerOf(facts, key);
  return { ok: false, cause, keyId: caller.keyId, ip: facts.address?.toString() ?? null, quota, caller };
}

function refuse({ address }: Facts, key: Key | null, cause: AuthCause): AuthResult {
  return { ok: false, cause, keyId: key?.keyId ?? null, ip: address?.toString() ?? null };
}
