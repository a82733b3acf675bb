import { Resolver } from "node:dns/promises";

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * Returns the addresses of a host, IPv4 and IPv6, by DNS alone: names from this machine's hosts file and search domains are not
 * public.
 */
export async function resolveHost(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return found.flatMap((part) => (part.status === "fulfilled" ? part.value : []));
}

/** Resolves a host in a sandbox, where localhost is a target. */
export const resolveLocally = async (host: string): Promise<string[]> =>
  host === "localhost" ? ["127.0.0.1", "::1"] : resolveHost(host);
