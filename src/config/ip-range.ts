import { isIP, isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/** An address; a mapped one (::ffff:1.2.3.4) is IPv4. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A whitelist entry: an address, or a CIDR range of one family. */
export interface IpRange {
  address: Address;
  prefix: number;
}

/**
 * Reads an address. Returns null for anything that two parsers could read differently: octal or shortened IPv4, zones, ports,
 * brackets, blanks.
 */
export function parseAddress(text: string): Address | null {
  // node's check is strict; ipaddr.js alone would take 0177.0.0.1 and 127.1.
  if (isIP(text) === 0 || text.includes("%")) return null;
  // ipaddr.js takes the deprecated ::1.2.3.4 for the mapped ::ffff:1.2.3.4, which is another address.
  if (/^::\d+\./.test(text)) return null;
  return ipaddr.process(text);
}

/** Reads a whitelist entry, an address or a CIDR range; null where it is malformed or has bits set after its prefix. */
export function parseRange(text: string): IpRange | null {
  const [host = "", length, ...more] = text.split("/");
  const address = parseAddress(host);
  if (!address || more.length > 0) return null;
  const bits = address.toByteArray().length * 8;
  if (length === undefined) return { address, prefix: bits };
  if (!/^(0|[1-9]\d{0,2})$/.test(length)) return null;
  // A range over mapped addresses counts its prefix in the 128 bits of IPv6.
  const mapped = !isIPv4(host) && bits === 32;
  const prefix = Number(length) - (mapped ? 96 : 0);
  if (prefix < 0 || prefix > bits || hasBitsAfter(address, prefix)) return null;
  return { address, prefix };
}

function hasBitsAfter(address: Address, prefix: number): boolean {
  return address.toByteArray().some((byte, index) => {
    const kept = Math.min(Math.max(prefix - index * 8, 0), 8);
    return (byte & (0xff >> kept)) !== 0;
  });
}

/** Returns the entry as it is stored. */
export function formatRange({ address, prefix }: IpRange): string {
  const bits = address.toByteArray().length * 8;
  return prefix === bits ? address.toString() : `${address.toString()}/${prefix}`;
}
