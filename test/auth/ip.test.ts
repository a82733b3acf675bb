import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { callerAddress, isAllowed } from "../../src/auth/ip.ts";
import { parseAddress } from "../../src/config/ip-range.ts";
import { ranges } from "../support/http/auth.ts";

/** Returns true where a whitelist of one entry lets an address in. */
function lets(entry: string, address: string): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && isAllowed(parsed, ranges(entry));
}

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
    // Families do not mix: all addresses of one contain none of the other.
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
