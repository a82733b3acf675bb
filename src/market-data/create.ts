import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Env } from "../config/env.ts";
import { createAlpacaMarketData } from "./alpaca/market-data.ts";
import type { MarketData } from "./provider.ts";
import { createSandboxMarketData } from "./sandbox-provider.ts";

/** In regular hours, a quote older than this is stale. Thinly traded stocks go a minute without a new one. */
const STALE_AFTER_SECONDS = 120;
const ATTEMPT_TIMEOUT_MS = 2_500;
const CALL_TIMEOUT_MS = 5_000;

/** Returns the market data that the environment names: the only place that names all providers. */
export function createMarketData(env: Env<"api" | "worker">, log: Logger, now: () => number): MarketData {
  if (env.MARKET_DATA_PROVIDER === "sandbox") {
    return createSandboxMarketData({ baseUrl: required(env.MARKET_DATA_URL), now });
  }
  return createAlpacaMarketData(
    {
      keyId: required(env.ALPACA_KEY_ID),
      secretKey: required(env.ALPACA_SECRET_KEY),
      dataUrl: env.ALPACA_DATA_URL,
      tradingUrl: env.ALPACA_TRADING_URL,
      feed: env.ALPACA_FEED,
      staleAfterSeconds: STALE_AFTER_SECONDS,
      chosenPerMinute: env.ALPACA_CHOSEN_PER_MINUTE,
      attemptTimeoutMs: ATTEMPT_TIMEOUT_MS,
      callTimeoutMs: CALL_TIMEOUT_MS,
    },
    { log, now, random: Math.random, sleep: async (ms) => void (await sleep(ms)) },
  );
}

/** Requires a variable that parseEnv has checked: types cannot express which variable goes with which provider. */
function required(value: string | undefined): string {
  if (value === undefined) throw new Error("a variable of the market data provider is missing");
  return value;
}
