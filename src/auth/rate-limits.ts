import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import type { Address } from "../config/ip-range.ts";

/** Window of all limits, seconds; it begins with its first request. */
export const RATE_WINDOW_SECONDS = 10;

/** Limits of a key: GETs, and everything else. */
export type UsageKind = "reads" | "writes";

export const usageKindOf = (method: string): UsageKind => (method === "GET" ? "reads" : "writes");

/** Cost units of a key per window, over all replicas; 0: no limit. */
export type KeyLimits = Record<UsageKind, number>;

/** Limits that may refuse a request: a key's two, its requests in flight, and the failed requests of an address. */
export type LimitName = UsageKind | "in flight" | "failures";

/** State of a limit after a request. */
export interface Quota {
  limit: LimitName;
  /** Cost units per window; in flight: at once; failures: requests per window. */
  points: number;
  remaining: number;
  /** Milliseconds until the window ends. */
  resetMs: number;
}

/** Requests of an address that authentication refused, on one replica, in memory. */
export interface FailureLimit {
  /** Returns the quota of an address that is over its limit; null while it is not. */
  exceeded(address: Address | null): Promise<Quota | null>;
  /** Counts a request of an address that authentication refused. */
  count(address: Address | null): Promise<void>;
}

/** @param points refused requests per window; 0: no limit */
export function createFailureLimit(points: number): FailureLimit {
  if (points === 0) return { exceeded: async () => null, count: async () => undefined };
  const limiter = new RateLimiterMemory({ points, duration: RATE_WINDOW_SECONDS });
  return {
    exceeded: async (address) => {
      const state = await limiter.get(networkOf(address));
      if (!state || state.msBeforeNext <= 0 || state.consumedPoints < points) return null;
      return { limit: "failures", points, remaining: 0, resetMs: state.msBeforeNext };
    },
    count: async (address) => {
      // The limiter rejects with the state where nothing is left.
      await limiter.consume(networkOf(address)).catch((state: unknown) => {
        if (!(state instanceof RateLimiterRes)) throw state;
      });
    },
  };
}

/** Returns an IPv4 address, or the network of an IPv6 address: its caller has the other 2^64 addresses of it, too. */
function networkOf(address: Address | null): string {
  if (address === null) return "unknown";
  return address.kind() === "ipv4"
    ? address.toString()
    : address.toNormalizedString().split(":", 4).join(":");
}
