import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { Address } from "./ip.ts";

/** The windows of all limits, seconds; a window begins with its first request. */
export const RATE_WINDOW_SECONDS = 10;

/** Which limit a request counts against: GETs, and everything else, of a key; refused requests of an address. */
export type LimitName = "reads" | "writes" | "failures";

/** What is left of a limit, after the request that asked. */
export interface Quota {
  limit: LimitName;
  /** Requests per window. */
  points: number;
  remaining: number;
  /** Milliseconds until the window ends. */
  resetMs: number;
  /** False: there was none left for the request. */
  taken: boolean;
}

/**
 * Requests that one replica lets through, in memory (docs/decisions/2026-11-21-rate-limits.md). A limit of 0 is off:
 * then there is no quota.
 */
export interface RateLimits {
  /** Counts a request of a key. */
  take(keyId: string, method: string): Promise<Quota | null>;
  /** Takes a request back that was never let in, such as a replay. */
  giveBack(keyId: string, method: string): Promise<void>;
  /** The quota of an address whose requests failed too often; null while it may go on. */
  blocked(address: Address | null): Promise<Quota | null>;
  /** Counts a request of an address that authentication refused. */
  failed(address: Address | null): Promise<void>;
}

/** Requests per window; 0: no limit. */
export type Limits = Record<LimitName, number>;

export function createRateLimits(limits: Limits): RateLimits {
  const [reads, writes, failures] = [
    createLimit("reads", limits),
    createLimit("writes", limits),
    createLimit("failures", limits),
  ];
  const ofMethod = (method: string) => (method === "GET" ? reads : writes);
  return {
    take: async (keyId, method) => (await ofMethod(method)?.take(keyId)) ?? null,
    giveBack: async (keyId, method) => ofMethod(method)?.giveBack(keyId),
    blocked: async (address) => (await failures?.blocked(callerOf(address))) ?? null,
    failed: async (address) => {
      await failures?.take(callerOf(address));
    },
  };
}

function createLimit(limit: LimitName, limits: Limits) {
  const points = limits[limit];
  if (points === 0) return null;
  const limiter = new RateLimiterMemory({ points, duration: RATE_WINDOW_SECONDS });
  const quotaOf = (state: RateLimiterRes): Quota => ({
    limit,
    points,
    remaining: Math.max(0, points - state.consumedPoints),
    resetMs: Math.max(0, state.msBeforeNext),
    taken: state.consumedPoints <= points,
  });
  return {
    take: async (key: string) => quotaOf(await consume(limiter, key)),
    giveBack: async (key: string) => {
      await limiter.reward(key);
    },
    blocked: async (key: string) => {
      const state = await limiter.get(key);
      return state && state.consumedPoints >= points ? { ...quotaOf(state), taken: false } : null;
    },
  };
}

/** The limiter rejects with the state where nothing is left. */
async function consume(limiter: RateLimiterMemory, key: string): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key);
  } catch (state) {
    if (state instanceof RateLimiterRes) return state;
    throw state;
  }
}

/** Whoever has an IPv6 address has the other 2^64 of its network too. */
function callerOf(address: Address | null): string {
  if (address === null) return "unknown";
  return address.kind() === "ipv4"
    ? address.toString()
    : address.toNormalizedString().split(":", 4).join(":");
}
