import { createHmac } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { TradingEvent } from "../../index.ts";
import { causeOf } from "../exchange.ts";
import { CommandError } from "../terminal.ts";

/** Destination of events, posted as webhooks are (docs/webhooks.md). */
export interface Destination {
  url: string;
  /** `whsec_` and base64. */
  secret: string;
  /** Pauses between the attempts of one event, milliseconds. */
  pausesMs: readonly number[];
}

/** Result of one attempt. */
export interface Attempt {
  isDelivered: boolean;
  /** Status, or the reason why there is none. */
  result: string;
  tookMs: number;
}

export const PAUSES_MS: readonly number[] = [500, 1_000, 2_000, 4_000];
const ATTEMPT_MS_MAX = 10_000;
const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** Returns a secret that is constant for a key, so that a receiver can keep it. It reveals nothing about the API secret. */
export const secretOf = (apiSecret: string): string =>
  `whsec_${createHmac("sha256", apiSecret).update("partner-trading listen").digest("base64")}`;

/**
 * Parses the destination of events; a host alone means http.
 * @throws CommandError where it is no URL
 */
export function readDestination(typed: string, secret: string): Destination {
  const url = /^https?:\/\//.test(typed) ? typed : `http://${typed}`;
  if (!URL.canParse(url)) throw new CommandError(`--forward takes a URL, not "${typed}".`);
  if (!SECRET.test(secret)) throw new CommandError("The webhook's secret is whsec_ and base64.");
  return { url, secret, pausesMs: PAUSES_MS };
}

/**
 * Posts an event until it is accepted, a few times; the next one waits for it.
 * @param onAttempt called after each
 */
export async function forward(
  event: TradingEvent,
  { url, secret, pausesMs }: Destination,
  { signal, onAttempt }: { signal: AbortSignal; onAttempt: (attempt: Attempt) => void },
): Promise<void> {
  for (const pauseMs of [0, ...pausesMs]) {
    await delay(pauseMs, null, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    const attempt = await post(event, url, secret, signal);
    onAttempt(attempt);
    if (attempt.isDelivered) return;
  }
}

async function post(event: TradingEvent, url: string, secret: string, signal: AbortSignal): Promise<Attempt> {
  const body = JSON.stringify(event);
  const startedMs = Date.now();
  const end = (isDelivered: boolean, result: string) => ({
    isDelivered,
    result,
    tookMs: Date.now() - startedMs,
  });
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: webhookHeaders(secret, event.eventId, body),
      body,
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS_MAX)]),
    });
    await response.body?.cancel();
    return end(response.ok, String(response.status));
  } catch (error) {
    return end(false, causeOf(error));
  }
}

/** Signs according to Standard Webhooks. The id is the event's, the same at each attempt. */
function webhookHeaders(secret: string, id: string, body: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(SECRET.exec(secret)?.[1] ?? "", "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "content-type": "application/json",
    "user-agent": "partner-trading-webhooks",
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${signature}`,
  };
}
