import { lookup as lookupName } from "node:dns/promises";
import type { Logger } from "pino";
import { type IpRange, parseRange } from "../config/ip-range.ts";

/** Entries of TRUSTED_PROXIES: addresses and ranges, and names of hosts whose addresses change. */
export interface ProxyEntries {
  ranges: readonly IpRange[];
  names: readonly string[];
}

/** Proxies whose X-Forwarded-For counts. */
export interface TrustedProxies {
  /** Those of now. */
  ranges(): readonly IpRange[];
  stop(): void;
}

/** A proxy that moves is known by its new address so soon, unless its name says so later. */
const EVERY_MS = 5_000;

/**
 * Follows the addresses of the names. A name that is not answered keeps the addresses that it had, so an outage of the name server changes
 * nothing; one that was never answered trusts nobody.
 * @param lookup every address of a name
 * @returns once each name was asked for
 */
export async function followProxies(
  { ranges, names }: ProxyEntries,
  log: Logger,
  { lookup = lookupAll, everyMs = EVERY_MS } = {},
): Promise<TrustedProxies> {
  const found = new Map<string, readonly string[]>();
  const failing = new Set<string>();
  let trusted = ranges;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  async function ask(name: string): Promise<void> {
    try {
      const addresses = (await lookup(name)).toSorted();
      failing.delete(name);
      if (addresses.join() === found.get(name)?.join()) return;
      found.set(name, addresses);
      trusted = [...ranges, ...[...found.values()].flat().flatMap((address) => parseRange(address) ?? [])];
      log.info({ name, addresses }, "a trusted proxy has these addresses");
    } catch (err) {
      if (!failing.has(name))
        log.warn({ err, name }, "a trusted proxy was not found: its last addresses count");
      failing.add(name);
    }
  }

  async function askAll(): Promise<void> {
    await Promise.all(names.map(ask));
    if (!stopped && names.length > 0) timer = setTimeout(() => void askAll(), everyMs).unref();
  }

  await askAll();
  return {
    ranges: () => trusted,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

async function lookupAll(name: string): Promise<string[]> {
  return (await lookupName(name, { all: true })).map(({ address }) => address);
}
