import { parse as parseJson } from "lossless-json";
import type { Logger } from "pino";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { ApiError } from "../../protocol/errors.ts";

/** Connection to Alpaca. The secret goes into a request header and nowhere else: no log line, no error text. */
export interface AlpacaConnection {
  keyId: string;
  secretKey: string;
  /** One attempt, from connecting to the last byte, ms. */
  attemptTimeoutMs: number;
  /** One call with all its attempts and waits, ms. */
  callTimeoutMs: number;
}

export interface AlpacaHttp {
  /**
   * GETs a URL and parses its JSON, every number as its source text.
   * @param withinMs time limit of this call, where it is less than the connection's.
   * @returns null when the answer is that no such thing exists (404, or an invalid symbol).
   * @throws ApiError MARKET_DATA_UNAVAILABLE
   */
  get(url: URL, withinMs?: number): Promise<unknown>;
}

/** External dependencies of this client; tests replace them. */
export interface AlpacaWorld {
  log: Logger;
  /** Unix ms. */
  now: () => number;
  sleep: (ms: number) => Promise<void>;
  /** Returns a number from 0 to 1, for jitter. */
  random: () => number;
}

const MAX_ATTEMPTS = 4;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 2_000;

type Outcome =
  | { kind: "answer"; body: unknown }
  | { kind: "retry"; reason: string; waitMs: number | null }
  | { kind: "refused"; reason: string };

/**
 * Returns a client that only sends GET, so that every attempt may safely be repeated. It retries broken connections, time-outs,
 * 408, 429 and 5xx, with full jitter, but no refusal (wrong credentials, wrong request). After a 429 nothing is sent until the
 * time that Alpaca names: calls whose time ends before it fail at once.
 */
export function createAlpacaHttp(connection: AlpacaConnection, world: AlpacaWorld): AlpacaHttp {
  const pause = { untilMs: 0 };

  async function get(url: URL, withinMs = connection.callTimeoutMs): Promise<unknown> {
    const deadline = world.now() + Math.min(withinMs, connection.callTimeoutMs);
    let reason = "rate limit";
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (!(await waitOutPause(pause, deadline, world))) break;
      const outcome = await attemptOnce(url, connection, world, deadline);
      if (outcome.kind === "answer") return outcome.body;
      reason = outcome.reason;
      world.log.warn({ path: url.pathname, attempt, reason }, "market data request failed");
      if (outcome.kind === "refused") break;
      const waitMs = outcome.waitMs ?? backoffMs(attempt, world.random());
      if (outcome.waitMs !== null) pause.untilMs = Math.max(pause.untilMs, world.now() + outcome.waitMs);
      if (world.now() + waitMs >= deadline) break;
      await world.sleep(waitMs);
    }
    throw new ApiError("MARKET_DATA_UNAVAILABLE", { cause: new Error(reason) });
  }

  return { get };
}

/** @returns false when the pause outlasts the call. */
async function waitOutPause(
  pause: { untilMs: number },
  deadline: number,
  world: AlpacaWorld,
): Promise<boolean> {
  const waitMs = pause.untilMs - world.now();
  if (waitMs <= 0) return true;
  if (pause.untilMs >= deadline) return false;
  await world.sleep(waitMs);
  return true;
}

async function attemptOnce(
  url: URL,
  connection: AlpacaConnection,
  world: AlpacaWorld,
  deadline: number,
): Promise<Outcome> {
  const timeoutMs = Math.min(connection.attemptTimeoutMs, Math.max(1, deadline - world.now()));
  try {
    const response = await fetch(url, {
      headers: {
        accept: "application/json",
        "apca-api-key-id": connection.keyId,
        "apca-api-secret-key": connection.secretKey,
      },
      // Credentials must not follow a redirect to another host.
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
    });
    return outcomeOf(response, await response.text(), world.now());
  } catch (error) {
    const name = error instanceof Error ? error.name : "unknown";
    return {
      kind: "retry",
      reason: name === "TimeoutError" ? "time-out" : "connection failed",
      waitMs: null,
    };
  }
}

function outcomeOf(response: Response, text: string, nowMs: number): Outcome {
  const { status } = response;
  if (status === 200) return readBody(text);
  if (status === 404 || (status === 400 && /invalid symbol/i.test(text)))
    return { kind: "answer", body: null };
  const reason = `status ${status}`;
  if (status === 429) return { kind: "retry", reason, waitMs: retryAfterMs(response.headers, nowMs) };
  if (status === 408 || status >= 500) return { kind: "retry", reason, waitMs: null };
  return { kind: "refused", reason };
}

function readBody(text: string): Outcome {
  try {
    return { kind: "answer", body: parseJson(text, null, (number) => number) };
  } catch {
    return { kind: "retry", reason: "not JSON", waitMs: null };
  }
}

/** Returns Retry-After in seconds or as a date, else X-RateLimit-Reset in Unix seconds; both by Alpaca's clock where known. */
function retryAfterMs(headers: Headers, nowMs: number): number | null {
  const serverNow = Date.parse(headers.get("date") ?? "") || nowMs;
  const after = headers.get("retry-after");
  if (after !== null && /^\d+$/.test(after)) return Number(after) * 1000;
  if (after !== null && !Number.isNaN(Date.parse(after))) return Math.max(0, Date.parse(after) - serverNow);
  const reset = headers.get("x-ratelimit-reset");
  if (reset !== null && /^\d+$/.test(reset)) return Math.max(0, Number(reset) * 1000 - serverNow);
  return null;
}

function backoffMs(attempt: number, random: number): number {
  return random * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 4 ** attempt);
}

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
