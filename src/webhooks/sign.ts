import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { type MasterKey, openSecret, type SealedSecret } from "../auth/secrets.ts";

/** Makes a secret of a webhook, as Standard Webhooks writes them. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

/** A message to sign. */
export interface Message {
  id: string;
  /** Unix milliseconds. */
  nowMs: number;
  body: string;
}

/**
 * Returns the headers of Standard Webhooks, signed with each of the secrets: while a rotation lasts, receivers verify with the
 * old secret or with the new one.
 * @throws Error where a secret cannot be opened
 */
export function signedHeaders(
  keys: readonly MasterKey[],
  webhookId: string,
  secrets: readonly SealedSecret[],
  { id, nowMs, body }: Message,
): Record<string, string> {
  if (secrets.length === 0) throw new Error("a webhook without a secret");
  const at = new Date(nowMs);
  const signatures = secrets.map((sealed) =>
    new Webhook(openSecret(keys, webhookId, sealed).toString("utf8")).sign(id, at, body),
  );
  return {
    "content-type": "application/json",
    "user-agent": "partner-trading-webhooks",
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(nowMs / 1000)),
    "webhook-signature": signatures.join(" "),
  };
}
