import type { MasterKey } from "../auth/secrets.ts";
import type { WebhookSettings } from "../context/deps.ts";
import { resolveHost, resolveLocally } from "./resolve.ts";

/** Returns the settings of webhooks from the environment of a program. */
export function webhookSettings(env: {
  WEBHOOK_KEYS: readonly MasterKey[];
  WEBHOOK_LOOPBACK: boolean;
}): WebhookSettings {
  const { WEBHOOK_KEYS: keys, WEBHOOK_LOOPBACK: allowLoopback } = env;
  return { keys, allowLoopback, resolve: allowLoopback ? resolveLocally : resolveHost };
}
