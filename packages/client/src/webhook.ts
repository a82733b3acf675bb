import { WebhookVerificationError } from "./errors.ts";
import type { TradingEvent, WebhookTestEvent } from "./generated/types.ts";

/** Headers of `fetch` or of Node.js. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Allowed difference between the request's time and this machine's, either way; 300 by default. */
  toleranceSeconds?: number | undefined;
}

const TOLERANCE_SECONDS = 300;
const SECRET = /^(?:whsec_)?([A-Za-z0-9+/]+={0,2})$/;

/**
 * Verifies a request to a webhook, as Standard Webhooks says, and returns its event: one of the log, or a test of the webhook.
 * @param secret of the webhook ("whsec_…"), or several of them: the request is accepted where one fits
 * @param rawBody the bytes as received: a body that was parsed and serialized again has other bytes
 * @throws WebhookVerificationError where the service did not send this, or long ago
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  headers: WebhookHeaders,
  rawBody: string | Uint8Array,
  { toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions = {},
): Promise<TradingEvent | WebhookTestEvent> {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => headerOf(headers, name));
  if (!id || !timestamp || !signatures)
    throw new WebhookVerificationError("A header of the webhook is missing");
  checkTime(timestamp, toleranceSeconds);
  const body = typeof rawBody === "string" ? new TextEncoder().encode(rawBody) : rawBody;
  const signed = joinBytes(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const keys = await Promise.all([secret].flat().map(importKey));
  // All are tried, so that the duration does not reveal which one fits.
  const fits = await Promise.all(
    keys.flatMap((key) => decodeAll(signatures).map((each) => verify(key, each, signed))),
  );
  if (!fits.includes(true)) {
    throw new WebhookVerificationError(
      "No signature fits: is it this webhook's secret, and rawBody the bytes as they came?",
    );
  }
  return JSON.parse(new TextDecoder().decode(body));
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  const full = `webhook-${name}`;
  if (typeof headers.get === "function") return headers.get(full) ?? undefined;
  const found = Object.entries(headers).find(([each, value]) => value && each.toLowerCase() === full)?.[1];
  return typeof found === "string" ? found : found?.[0];
}

function checkTime(timestamp: string, toleranceSeconds: number): void {
  const ageSeconds = Math.abs(
    Date.now() / 1000 - Number(/^\d{1,15}$/.test(timestamp) ? timestamp : Number.NaN),
  );
  if (!(ageSeconds <= toleranceSeconds)) {
    throw new WebhookVerificationError("The request is too old, or this machine's clock is wrong");
  }
}

async function importKey(secret: string): Promise<CryptoKey> {
  const text = SECRET.exec(secret)?.[1];
  // Its text stays out of the message: even a malformed secret is a secret.
  if (text === undefined) throw new TypeError('The secret of a webhook is "whsec_" and base64');
  return globalThis.crypto.subtle.importKey(
    "raw",
    fromBase64(text),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
}

/** Returns the signatures of the version that this library knows. */
function decodeAll(signatures: string): Uint8Array<ArrayBuffer>[] {
  const texts = signatures.split(" ").map((each) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(each)?.[1]);
  return texts.flatMap((text) => (text === undefined ? [] : [fromBase64(text)]));
}

/** Compares in constant time, as WebCrypto does. */
const verify = (key: CryptoKey, signature: Uint8Array<ArrayBuffer>, signed: Uint8Array<ArrayBuffer>) =>
  globalThis.crypto.subtle.verify("HMAC", key, signature, signed);

const fromBase64 = (text: string) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));

function joinBytes(head: Uint8Array, rest: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(head.length + rest.length);
  joined.set(head);
  joined.set(rest, head.length);
  return joined;
}
