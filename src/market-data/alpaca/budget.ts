import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { ApiError } from "../../protocol/errors.ts";
import type { AlpacaHttp } from "./http.ts";

/**
 * Returns the same client with a budget, for requests that callers choose freely, such as the start of a history. Each choice is
 * another request, and after one too many Alpaca refuses the whole account for a while, quotes of listed stocks included. Calls
 * over the budget are refused here.
 * @param perMinute requests of this process
 */
export function withBudget(http: AlpacaHttp, perMinute: number): AlpacaHttp {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  return {
    get: async (url, withinMs) => {
      await limiter.consume("requests").catch(refuse);
      return http.get(url, withinMs);
    },
  };
}

/** Refuses a call by the state that the limiter rejects with where nothing is left. */
function refuse(state: unknown): never {
  if (!(state instanceof RateLimiterRes)) throw state;
  throw new ApiError("RATE_LIMITED", {
    message: "Too many different requests for market data",
    retryAfterSeconds: Math.max(1, Math.ceil(state.msBeforeNext / 1000)),
  });
}
