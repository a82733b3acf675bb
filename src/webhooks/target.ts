import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { parseAddress } from "../config/ip-range.ts";
import type { WebhookSettings } from "../context/deps.ts";
import { ApiError } from "../protocol/errors.ts";

/** Target of one delivery: its URL, and the addresses to which the host has just resolved. */
export interface Target {
  url: URL;
  addresses: readonly string[];
}

/** Well-known services below this port speak protocols that a request must not be smuggled into. */
const FIRST_FREE_PORT = 1024;
const HTTPS_PORT = 443;
/** Addresses in a public range that serve the machine itself: Azure's wire server. */
const NOT_PUBLIC = new Set(["168.63.129.16"]);
/** Part of IPv6 that the Internet routes. Its ranges that embed IPv4, or are not routed, have names of their own. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Reads the URL of a webhook by its form alone.
 * @throws ApiError WEBHOOK_TARGET_REFUSED, whose text says why
 */
export function parseTarget(text: string, { allowLoopback }: Pick<WebhookSettings, "allowLoopback">): URL {
  const url = tryUrl(text);
  if (!url) throw refuse("is no absolute URL");
  const isHttp = allowLoopback && url.protocol === "http:";
  if (url.protocol !== "https:" && !isHttp) throw refuse("must be https");
  if (url.username || url.password) throw refuse("must hold no credentials");
  if (url.hash) throw refuse("must hold no fragment");
  const port = url.port === "" ? null : Number(url.port);
  if (port !== null && port !== HTTPS_PORT && port < FIRST_FREE_PORT)
    throw refuse(`must have port ${HTTPS_PORT}, or one from ${FIRST_FREE_PORT} on`);
  const host = hostOf(url);
  if (isIP(host) !== 0) requirePublic(host, allowLoopback);
  return url;
}

/**
 * Resolves the addresses of a webhook's host. Uses none where one of them is not public: the name's owner must not choose which
 * one a connection takes.
 * @throws ApiError WEBHOOK_TARGET_REFUSED, whose text says why
 */
export async function resolveTarget(
  url: URL,
  { allowLoopback, resolve }: Pick<WebhookSettings, "allowLoopback" | "resolve">,
): Promise<Target> {
  const host = hostOf(url);
  if (isIP(host) !== 0) {
    requirePublic(host, allowLoopback);
    return { url, addresses: [host] };
  }
  const addresses = await resolve(host).catch(() => []);
  const isPublic = addresses.every((address) => refusedRangeOf(address, allowLoopback) === null);
  // One text for both: otherwise any caller could probe the names and addresses of the operator's network.
  if (addresses.length === 0 || !isPublic)
    throw refuse(`names a host whose addresses are not known, or not all public: ${host}`);
  return { url, addresses };
}

const refusedRangeOf = (address: string, allowLoopback: boolean): string | null =>
  allowLoopback && isLoopback(address) ? null : refusedRange(address);

function requirePublic(address: string, allowLoopback: boolean): void {
  const range = refusedRangeOf(address, allowLoopback);
  if (range !== null) throw refuse(`leads to ${address}, which is no public address (${range})`);
}

/**
 * Returns the name of the range that forbids delivery to an address, such as private, loopback or linkLocal; null where the
 * address is public. An IPv4 address that IPv6 embeds counts as the range that embeds it, or as itself where it is mapped.
 */
export function refusedRange(text: string): string | null {
  const address = parseAddress(text);
  if (!address) return "malformed";
  const range = address.range();
  if (range !== "unicast") return range;
  if (NOT_PUBLIC.has(address.toString())) return "reserved";
  if (address instanceof ipaddr.IPv4) return null;
  return address.match(GLOBAL_IPV6) ? null : "reserved";
}

/** Returns true for an address of the loopback interface, also a mapped one. */
export function isLoopback(text: string): boolean {
  return refusedRange(text) === "loopback";
}

/** Returns the host of a URL; an IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

function tryUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

const refuse = (why: string): ApiError =>
  new ApiError("WEBHOOK_TARGET_REFUSED", { param: "url", message: `url ${why}` });
