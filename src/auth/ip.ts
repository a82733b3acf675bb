import ipaddr from "ipaddr.js";
import { type Address, type IpRange, parseAddress } from "../config/ip-range.ts";

/** Returns true where a range holds the address. An empty whitelist holds nothing. */
export function isAllowed(address: Address, ranges: readonly IpRange[]): boolean {
  for (const range of ranges) {
    if (address instanceof ipaddr.IPv4 && range.address instanceof ipaddr.IPv4) {
      if (address.match(range.address, range.prefix)) return true;
    } else if (address instanceof ipaddr.IPv6 && range.address instanceof ipaddr.IPv6) {
      if (address.match(range.address, range.prefix)) return true;
    }
  }
  return false;
}

/**
 * Returns the address of the caller: the socket's peer, or, where that is a trusted proxy, the first address from the
 * right in X-Forwarded-For that is none. What stands left of it was sent by the caller and is not read.
 * @param forwardedFor the values of all X-Forwarded-For headers, in order
 * @returns null where there is no such entry, or it is not an address
 */
export function callerAddress(
  remoteAddress: string | undefined,
  forwardedFor: readonly string[],
  trustedProxies: readonly IpRange[],
): Address | null {
  const peer = parseAddress(remoteAddress ?? "");
  if (!peer || !isAllowed(peer, trustedProxies)) return peer;
  for (const entry of forwardedFor.join(",").split(",").reverse()) {
    const address = parseAddress(entry.trim());
    if (!address || !isAllowed(address, trustedProxies)) return address;
  }
  return null;
}
