import { createHmac, createSecretKey, randomUUID } from "node:crypto";
import type { AuthDeps } from "../../../src/auth/authenticate.ts";
import type { AuthRequest } from "../../../src/auth/checks.ts";
import type { Key } from "../../../src/auth/key-store.ts";
import type { NonceClaim } from "../../../src/auth/nonce-claim-store.ts";
import type { Deployments } from "../../../src/config/deployments.ts";
import { parseRange } from "../../../src/config/ip-range.ts";
import { present } from "../assert/until.ts";

export const CHAIN_ID = 31337;
export const PRODUCT = "Sandbox";
export const SECRET = "sk_test_5f1d9c0b7e2a4c6d8e0f1a2b3c4d5e6f";
export const API_KEY = "pk_test_1";
/** Time that the fake clock shows, Unix milliseconds. */
export const NOW = 1_795_226_400_000;
export const MASTER_KEYS = [{ id: "k1", key: Buffer.alloc(32, 7) }];

const contracts = {
  stockRouter: `0x${"1".repeat(40)}`,
  cashier: `0x${"2".repeat(40)}`,
  stock: `0x${"3".repeat(40)}`,
  oneClickRouter: `0x${"4".repeat(40)}`,
} as const;

/** Two chains; the first also serves a product whose name differs in case alone. */
export const deployments: Deployments = {
  chains: [
    { chainId: CHAIN_ID, products: [PRODUCT, "sandbox"] },
    { chainId: 31338, products: [PRODUCT] },
  ].map(({ chainId, products }) => ({
    chainId,
    rpcUrls: ["http://127.0.0.1:1"],
    wsUrls: [],
    confirmations: 1,
    pollingIntervalMs: 1000,
    multicall3: null,
    ephemeral: true,
    products: products.map((productType) => ({ productType, startBlock: 0, contracts, minNotional: "1" })),
  })),
};

/** The parts of a signed request; `headers` are set after signing, undefined removes one. */
export interface Signed {
  method?: string;
  target?: string;
  /** URI that is signed, where it is not the target. */
  uri?: string;
  timestamp?: string;
  nonce?: string;
  body?: string | Uint8Array;
  secret?: string;
  /** Signed instead of the right payload. */
  payload?: string;
  headers?: Record<string, string | undefined>;
  remoteAddress?: string;
  cost?: number;
}

/** Returns a request for authentication, signed with node's own HMAC rather than the code under test. */
export function makeRequest(signed: Signed = {}): AuthRequest {
  const {
    method = "GET",
    target = "/api/v1/symbols",
    timestamp = String(NOW),
    nonce = randomUUID(),
  } = signed;
  const body = Buffer.from(signed.body ?? "");
  const head = `${method}\n${signed.uri ?? target}\n${timestamp}\n${nonce}\n`;
  const hmac = createHmac("sha256", signed.secret ?? SECRET);
  if (signed.payload === undefined) hmac.update(head).update(body);
  else hmac.update(signed.payload);
  const headers: Record<string, string | undefined> = {
    Host: "localhost",
    "X-Api-Key": API_KEY,
    "x-api-ts": timestamp,
    "x-api-nonce": nonce,
    "x-api-chain-id": String(CHAIN_ID),
    "x-api-p": PRODUCT,
    "x-api-sign": hmac.digest("hex"),
    ...signed.headers,
  };
  const rawHeaders = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [name, value],
  );
  const { remoteAddress = "127.0.0.1", cost = 1 } = signed;
  return { method, target, rawHeaders, body, remoteAddress, cost };
}

/** Makes a key that may do everything, unless options restrict it. */
export function makeKey(change: Partial<Key> = {}): Key {
  return {
    keyId: "11111111-1111-4111-8111-111111111111",
    apiKey: API_KEY,
    access: "WRITABLE",
    active: true,
    expiresAt: null,
    userAddress: null,
    revision: 0,
    secret: createSecretKey(Buffer.from(SECRET)),
    previous: null,
    scopes: [{ chainId: CHAIN_ID, productType: PRODUCT }],
    ranges: ranges("127.0.0.1"),
    readAt: NOW,
    ...change,
  };
}

export function ranges(...entries: string[]) {
  return entries.map((entry) => present(parseRange(entry), `a range in ${entry}`));
}

export interface Rig {
  deps: AuthDeps;
  /** Every nonce that was tried to be spent. */
  claims: NonceClaim[];
  /** Returns the number of loads of a key. */
  loads: () => number;
}

/** Version of a key's rows, wherever one is asked for. */
export const VERSION = { version: "7", block: { number: 7n }, askedAt: 0 };

/** Creates authenticate's dependencies in memory. `stored` is the current key, `cached` the one in the cache. */
export function makeRig(
  options: { stored?: Key | null; cached?: Key | null; trustedProxies?: string[]; now?: number } = {},
): Rig {
  const stored = options.stored === undefined ? makeKey() : options.stored;
  const cached = options.cached ?? null;
  const claims: NonceClaim[] = [];
  const spent = new Set<string>();
  let loads = 0;
  const deps: AuthDeps = {
    keys: {
      cached: (apiKey) => (cached?.apiKey === apiKey ? cached : null),
      load: async (apiKey) => {
        loads += 1;
        return stored?.apiKey === apiKey ? stored : null;
      },
    },
    claimNonce: async (claim, onAsked) => {
      claims.push(claim);
      const versionOf = onAsked?.();
      const nonce = claim.nonce.toLowerCase();
      if (spent.has(nonce) || claim.revision !== stored?.revision || !stored.active) {
        return { outcome: "refused" };
      }
      spent.add(nonce);
      return { outcome: "claimed", quota: null, ...(versionOf ? { version: VERSION } : {}) };
    },
    deployments,
    trustedProxies: { ranges: () => ranges(...(options.trustedProxies ?? [])) },
    now: () => options.now ?? NOW,
  };
  return { deps, claims, loads: () => loads };
}
