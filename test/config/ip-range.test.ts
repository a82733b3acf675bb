import { describe, expect, it } from "@jest/globals";
import { formatRange, parseAddress, parseRange } from "../../src/config/ip-range.ts";

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
