import { describe, expect, it } from "@jest/globals";
import { pauseMs, RETRY_HOURS } from "../../src/webhooks/schedule.ts";
import { isLoopback, parseTarget, refusedRange, resolveTarget } from "../../src/webhooks/target.ts";

const PUBLIC = ["93.184.215.14", "8.8.8.8", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "::ffff:8.8.8.8"];
const strict = { allowLoopback: false };
const local = { allowLoopback: true };

const refusal = (text: string, settings = strict) => {
  try {
    parseTarget(text, settings);
    return null;
  } catch (error) {
    return error;
  }
};
const REFUSED = { errCode: "WEBHOOK_TARGET_REFUSED", param: "url" };

describe("an address", () => {
  it.each(PUBLIC)("%s is public", (address) => expect(refusedRange(address)).toBeNull());

  it.each([
    ["127.0.0.1", "loopback"],
    ["127.1.2.3", "loopback"],
    ["0.0.0.0", "unspecified"],
    ["10.0.0.1", "private"],
    ["172.16.0.1", "private"],
    ["192.168.1.1", "private"],
    ["169.254.169.254", "linkLocal"],
    ["100.64.0.1", "carrierGradeNat"],
    ["192.0.0.1", "reserved"],
    ["192.0.2.1", "reserved"],
    ["198.18.0.1", "reserved"],
    ["198.51.100.1", "reserved"],
    ["203.0.113.1", "reserved"],
    ["224.0.0.1", "multicast"],
    ["240.0.0.1", "reserved"],
    ["255.255.255.255", "broadcast"],
    ["168.63.129.16", "reserved"],
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:10.0.0.1", "private"],
    ["::ffff:a9fe:a9fe", "linkLocal"],
    ["::127.0.0.1", "malformed"],
    ["::7f00:1", "reserved"],
    ["64:ff9b::7f00:1", "rfc6052"],
    ["64:ff9b:1::7f00:1", "rfc6052"],
    ["2002:7f00:1::", "6to4"],
    ["2001::1", "teredo"],
    ["2001:db8::1", "reserved"],
    ["3fff::1", "reserved"],
    ["fc00::1", "uniqueLocal"],
    ["fd00:ec2::254", "uniqueLocal"],
    ["fe80::1", "linkLocal"],
    ["fe80::1%eth0", "malformed"],
    ["fec0::1", "deprecatedSiteLocal"],
    ["ff02::1", "multicast"],
    ["0177.0.0.1", "malformed"],
    ["127.1", "malformed"],
    ["", "malformed"],
  ])("%s is not: %s", (address, range) => {
    expect(refusedRange(address)).toBe(range);
  });

  it("is of the loopback interface also where IPv6 maps it", () => {
    const loopback = ["127.0.0.1", "::1", "::ffff:127.9.9.9"];
    const addresses = [...loopback, ...PUBLIC, "10.0.0.1", "64:ff9b::7f00:1"];
    expect(addresses.filter(isLoopback)).toEqual(loopback);
  });
});

describe("a URL", () => {
  it.each([
    "https://partner.example/hooks?key=1",
    "https://partner.example:443/",
    "https://partner.example:1024/",
    "https://partner.example:8443/",
    "https://8.8.8.8/",
  ])("is taken: %s", (url) => expect(parseTarget(url, strict).href).toBe(url.replace(":443/", "/")));

  it.each([
    ["partner.example", /no absolute URL/],
    ["/hooks", /no absolute URL/],
    ["http://partner.example/", /must be https/],
    ["ftp://partner.example/", /must be https/],
    ["file:///etc/passwd", /must be https/],
    ["https://user@partner.example/", /credentials/],
    ["https://user:password@partner.example/", /credentials/],
    ["https://partner.example/#part", /fragment/],
    ["https://partner.example:22/", /port/],
    ["https://partner.example:25/", /port/],
    ["https://partner.example:0/", /port/],
    ["https://partner.example:1023/", /port/],
    ["https://127.0.0.1/", /127\.0\.0\.1.*loopback/],
    ["https://0x7f.1/", /127\.0\.0\.1/],
    ["https://2130706433/", /127\.0\.0\.1/],
    ["https://0177.0.0.1/", /127\.0\.0\.1/],
    ["https://[::1]/", /::1/],
    ["https://[::ffff:127.0.0.1]/", /loopback/],
    ["https://[64:ff9b::7f00:1]/", /rfc6052/],
    ["https://169.254.169.254/latest", /linkLocal/],
    ["http://127.0.0.1:8000/", /must be https/],
  ])("is refused: %s", (url, why) => {
    expect(refusal(url)).toMatchObject({ ...REFUSED, message: expect.stringMatching(why) });
  });

  it("may be http and of the loopback interface in a sandbox, and private nowhere", () => {
    expect(refusal("http://127.0.0.1:8000/", local)).toBeNull();
    expect(refusal("http://[::1]:8000/", local)).toBeNull();
    expect(refusal("http://127.0.0.1:443/", local)).toBeNull();
    for (const url of [
      "http://10.0.0.1/",
      "http://169.254.169.254/",
      "http://127.0.0.1:22/",
      "ftp://127.0.0.1/",
    ])
      expect({ url, refusal: refusal(url, local) }).toMatchObject({ url, refusal: REFUSED });
  });
});

describe("a host", () => {
  const url = new URL("https://partner.example/");
  const resolve = (...addresses: string[]) => ({ ...strict, resolve: async () => addresses });

  it("is taken where all of its addresses are public", async () => {
    expect(await resolveTarget(url, resolve(...PUBLIC))).toEqual({ url, addresses: PUBLIC });
  });

  it.each(["10.0.0.1", "127.0.0.1", "::1", "fe80::1", "::ffff:192.168.0.1", "64:ff9b::a00:1"])(
    "is refused where one of them is %s, whatever the others are",
    async (address) => {
      for (const all of [[address], [...PUBLIC, address], [address, ...PUBLIC]])
        await expect(resolveTarget(url, resolve(...all))).rejects.toMatchObject(REFUSED);
    },
  );

  it("is refused in the same words, whether it is unknown or of the operator's network", async () => {
    const message = "url names a host whose addresses are not known, or not all public: partner.example";
    for (const all of [[], ["10.0.0.1"], ["127.0.0.1", ...PUBLIC]])
      await expect(resolveTarget(url, resolve(...all))).rejects.toMatchObject({ message });
  });

  it("is refused where it has none, or nobody can say", async () => {
    await expect(resolveTarget(url, resolve())).rejects.toMatchObject(REFUSED);
    const failing = { ...strict, resolve: () => Promise.reject(new Error("ESERVFAIL")) };
    await expect(resolveTarget(url, failing)).rejects.toMatchObject(REFUSED);
  });

  it("is not looked up where it is an address", async () => {
    const failing = { ...strict, resolve: () => Promise.reject(new Error("looked up")) };
    const address = new URL("https://[2606:4700::1111]/");
    expect((await resolveTarget(address, failing)).addresses).toEqual(["2606:4700::1111"]);
    await expect(resolveTarget(new URL("https://[fd00::1]/"), failing)).rejects.toMatchObject(REFUSED);
  });
});

describe("the pauses", () => {
  it("grow from seconds to hours, spread by a fifth, and last three days", () => {
    const middle = (attempts: number) => pauseMs(attempts, null, 0.5) / 1000;
    expect({ pausesSeconds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20].map(middle) }).toEqual({
      pausesSeconds: [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 28_800, 28_800],
    });
    expect({ shortestMs: pauseMs(1, null, 0), longestMs: pauseMs(1, null, 1) }).toEqual({
      shortestMs: 4_000,
      longestMs: 6_000,
    });
    expect(RETRY_HOURS).toBe(72);
  });

  it("are longer where the receiver asks for it, an hour at most", () => {
    expect(pauseMs(1, 60_000, 0.5)).toBe(60_000);
    expect(pauseMs(9, 60_000, 0.5)).toBe(28_800_000);
    expect(pauseMs(1, 86_400_000, 0.5)).toBe(3_600_000);
  });
});
