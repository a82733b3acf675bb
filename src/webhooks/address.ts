import ipaddr from "ipaddr.js";
import { parseAddress } from "../config/ip-range.ts";

/** Addresses in a public range that serve the machine itself: Azure's wire server. */
const NOT_PUBLIC = new Set(["168.63.129.16"]);
/** The part of IPv6 that the Internet routes. Its ranges that embed IPv4, or are not routed, have names of their own. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** Ranges that the library takes for unicast: documentation (RFC 9637). */
const RESERVED_IPV6 = [ipaddr.IPv6.parseCIDR("3fff::/20")];

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
  const isGlobal = address.match(GLOBAL_IPV6) && !RESERVED_IPV6.some((reserved) => address.match(reserved));
  return isGlobal ? null : "reserved";
}

/** Returns true for an address of the loopback interface, also a mapped one. */
export function isLoopback(text: string): boolean {
  return refusedRange(text) === "loopback";
}
