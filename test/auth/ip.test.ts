import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { callerAddress, formatRange, isAllowed, parseAddress, parseRange } from "../../src/auth/ip.ts";
import { ranges } from "../support/auth.ts";

/** Whether a whitelist of one entry lets an address in. */
function lets(entry: string, address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && isAllowed(parsed, ranges(entry));
}

describe("parseAddress", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["::1", "::1"],
    ["0:0:0:0:0:0:0:1", "::1"],
    ["2001:DB8::A", "2001:db8::a"],
    ["::ffff:10.1.2.3", "10.1.2.3"],
    ["::ffff:0a01:0203", "10.1.2.3"],
    ["::FFFF:10.1.2.3", "10.1.2.3"],
  ])("reads %s as %s", (text, address) => {
    expect(parseAddress(text)?.toString()).toBe(address);
  });

  it.each([
    ["nothing", ""],
    ["octal", "0177.0.0.1"],
    ["a leading zero", "127.0.0.01"],
    ["hexadecimal", "0x7f.0.0.1"],
    ["a number", "2130706433"],
    ["a hexadecimal number", "0x7f000001"],
    ["a shortened address", "127.1"],
    ["an octet too large", "256.0.0.1"],
    ["octal in IPv6 clothes", "::ffff:0177.0.0.1"],
    ["the deprecated IPv4 in IPv6", "::127.0.0.1"],
    ["a port", "127.0.0.1:80"],
    ["brackets", "[::1]"],
    ["a zone", "fe80::1%eth0"],
    ["a blank in front", " 127.0.0.1"],
    ["a newline behind", "127.0.0.1\n"],
    ["two addresses", "127.0.0.1,127.0.0.1"],
    ["a name", "localhost"],
    ["a range", "127.0.0.0/8"],
  ])("refuses %s", (_what, text) => {
    expect(parseAddress(text)).toBeNull();
  });
});

describe("parseRange", () => {
  it.each([
    ["10.0.0.0/8", "10.0.0.0/8"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["192.0.2.7", "192.0.2.7"],
    ["192.0.2.7/32", "192.0.2.7"],
    ["192.0.2.6/31", "192.0.2.6/31"],
    ["::/0", "::/0"],
    ["2001:db8::/32", "2001:db8::/32"],
    ["2001:DB8::1/128", "2001:db8::1"],
    ["::ffff:10.0.0.0/104", "10.0.0.0/8"],
    ["::ffff:10.0.0.1", "10.0.0.1"],
  ])("reads %s as %s", (text, range) => {
    const parsed = parseRange(text);
    expect(parsed && formatRange(parsed)).toBe(range);
  });

  it.each([
    "",
    "/",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/08",
    "10.0.0.0/8.0",
    "10.0.0.0/8/8",
    "10.0.0.0/255.0.0.0",
    "10.0.0.1/8",
    "10.0.0.128/24",
    "2001:db8::1/32",
    "::/129",
    "::ffff:10.0.0.0/8",
    "010.0.0.0/8",
    "10/8",
    "*",
    "localhost",
  ])("refuses %p", (text) => {
    expect(parseRange(text)).toBeNull();
  });
});

describe("isAllowed", () => {
  it.each([
    ["10.0.0.0/8", "10.255.255.255", true],
    ["10.0.0.0/8", "11.0.0.0", false],
    ["10.0.0.0/8", "::ffff:10.1.2.3", true],
    ["::ffff:10.0.0.0/104", "10.1.2.3", true],
    ["192.0.2.7", "192.0.2.7", true],
    ["192.0.2.7", "192.0.2.8", false],
    ["2001:db8::/32", "2001:db8:ffff::1", true],
    ["2001:db8::/32", "2001:db9::1", false],
    ["::1", "::1", true],
    ["::1", "127.0.0.1", false],
    ["127.0.0.1", "::1", false],
    // Families do not mix: everybody of one is nobody of the other.
    ["0.0.0.0/0", "203.0.113.9", true],
    ["0.0.0.0/0", "2001:db8::1", false],
    ["::/0", "2001:db8::1", true],
    ["::/0", "203.0.113.9", false],
  ])("%s against %s: %p", (entry, address, allowed) => {
    expect(lets(entry, address)).toBe(allowed);
  });

  it("lets nobody in where the whitelist is empty", () => {
    const address = parseAddress("127.0.0.1");
    expect(address && isAllowed(address, [])).toBe(false);
  });

  it("agrees with plain arithmetic on every IPv4 range", () => {
    const octets = fc.tuple(...Array.from({ length: 4 }, () => fc.nat({ max: 255 })));
    const toNumber = (parts: number[]) => parts.reduce((sum, part) => sum * 256 + part, 0);
    fc.assert(
      fc.property(octets, octets, fc.nat({ max: 32 }), (address, near, prefix) => {
        const size = 2 ** (32 - prefix);
        const first = Math.floor(toNumber(near) / size) * size;
        const network = [24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join(".");
        const inside = Math.floor(toNumber(address) / size) * size === first;
        expect(lets(`${network}/${prefix}`, address.join("."))).toBe(inside);
      }),
    );
  });
});

describe("callerAddress", () => {
  const told = (remote: string | undefined, forwarded: string[], proxies: string[]) =>
    callerAddress(remote, forwarded, ranges(...proxies))?.toString() ?? null;

  it("is the socket's peer where that is no proxy, whatever the header says", () => {
    expect(told("192.0.2.1", ["203.0.113.7"], [])).toBe("192.0.2.1");
    expect(told("192.0.2.1", ["203.0.113.7"], ["10.0.0.0/8", "192.0.2.2"])).toBe("192.0.2.1");
    expect(told("::ffff:192.0.2.1", [], ["2001:db8::/32"])).toBe("192.0.2.1");
    expect(told(undefined, ["203.0.113.7"], ["10.0.0.0/8"])).toBeNull();
  });

  it("is the first from the right that is no proxy, over all headers", () => {
    const proxies = ["10.0.0.0/8", "2001:db8::1"];
    expect(told("10.0.0.1", ["203.0.113.7"], proxies)).toBe("203.0.113.7");
    expect(told("::ffff:10.0.0.1", ["203.0.113.7"], proxies)).toBe("203.0.113.7");
    expect(told("2001:db8::1", ["127.0.0.1, 203.0.113.7"], proxies)).toBe("203.0.113.7");
    expect(told("10.0.0.1", ["127.0.0.1", "203.0.113.7"], proxies)).toBe("203.0.113.7");
    expect(told("10.0.0.1", ["127.0.0.1", "203.0.113.7,10.0.0.2"], proxies)).toBe("203.0.113.7");
    expect(told("10.0.0.1", ["  203.0.113.7  "], proxies)).toBe("203.0.113.7");
    expect(told("10.0.0.1", ["garbage, 203.0.113.7, 10.9.9.9"], proxies)).toBe("203.0.113.7");
  });

  it("is nobody where proxies name nobody else, or not by address", () => {
    const proxies = ["10.0.0.0/8"];
    expect(told("10.0.0.1", [], proxies)).toBeNull();
    expect(told("10.0.0.1", [""], proxies)).toBeNull();
    expect(told("10.0.0.1", ["10.0.0.2"], proxies)).toBeNull();
    expect(told("10.0.0.1", ["203.0.113.7, unknown"], proxies)).toBeNull();
    expect(told("10.0.0.1", ["203.0.113.7, 0177.0.0.1"], proxies)).toBeNull();
    expect(told("10.0.0.1", ["203.0.113.7,"], proxies)).toBeNull();
    expect(told("10.0.0.1", ["203.0.113.7, 10.0.0.9:443"], proxies)).toBeNull();
  });
});
