import { Resolver } from "node:dns/promises";
import type { MasterKey } from "../auth/secrets.ts";
import type { WebhookSettings } from "../context/deps.ts";

/** Returns the settings of webhooks from the environment of a program. */
export function webhookSettings(env: {
  WEBHOOK_KEYS: readonly MasterKey[];
  WEBHOOK_LOOPBACK: boolean;
}): WebhookSettings {
  const { WEBHOOK_KEYS: keys, WEBHOOK_LOOPBACK: allowLoopback } = env;
  return { keys, allowLoopback, resolve: allowLoopback ? resolveLocally : resolveHost };
}

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * Returns the addresses of a host, IPv4 and IPv6, by DNS alone: names from this machine's hosts file and search domains are not
 * public.
 */
async function resolveHost(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return found.flatMap((part) => (part.status === "fulfilled" ? part.value : []));
}

/** Resolves a host in a sandbox, where localhost is a target. */
const resolveLocally = async (host: string): Promise<string[]> =>
  host === "localhost" ? ["127.0.0.1", "::1"] : resolveHost(host);
