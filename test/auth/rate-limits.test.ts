import { describe, expect, it, jest } from "@jest/globals";
import { authenticate } from "../../src/auth/authenticate.ts";
import { parseAddress } from "../../src/auth/ip.ts";
import { createRateLimits, type Limits, RATE_WINDOW_SECONDS } from "../../src/auth/rate-limits.ts";
import { makeKey, makeRequest, makeRig, type Signed } from "../support/auth.ts";

const OFF: Limits = { reads: 0, writes: 0, failures: 0 };

/** The same replica for all calls of a test. */
function replica(limits: Partial<Limits>, options: Parameters<typeof makeRig>[0] = { cached: makeKey() }) {
  const rig = makeRig(options);
  const deps = { ...rig.deps, limits: createRateLimits({ ...OFF, ...limits }) };
  return { ...rig, call: (signed: Signed = {}) => authenticate(deps, makeRequest(signed)) };
}

describe("a key's limit", () => {
  it("lets so many reads through and tells what is left; over it, no nonce is spent", async () => {
    const { call, claims } = replica({ reads: 2 });
    expect(await call()).toMatchObject({ ok: true, quota: { limit: "reads", points: 2, remaining: 1 } });
    expect(await call()).toMatchObject({ ok: true, quota: { remaining: 0 } });
    const over = await call();
    expect(over).toMatchObject({ ok: false, cause: "key's limit reached", quota: { remaining: 0 } });
    expect(over.quota?.resetMs).toBeGreaterThan(0);
    expect(over.quota?.resetMs).toBeLessThanOrEqual(RATE_WINDOW_SECONDS * 1000);
    expect(claims).toHaveLength(2);
  });

  it("counts reads and writes apart, and keys", async () => {
    const { call } = replica({ reads: 1, writes: 1 });
    expect((await call()).ok).toBe(true);
    expect(await call({ method: "POST", body: "{}" })).toMatchObject({
      ok: true,
      quota: { limit: "writes" },
    });
    expect((await call({ method: "DELETE" })).ok).toBe(false);
    expect((await call()).ok).toBe(false);
    const limits = createRateLimits({ ...OFF, reads: 1 });
    expect(await limits.take("a", "GET")).toMatchObject({ taken: true });
    expect(await limits.take("b", "GET")).toMatchObject({ taken: true });
    expect(await limits.take("a", "GET")).toMatchObject({ taken: false });
  });

  it("is not used up by what is refused: forged, or sent again", async () => {
    const { call } = replica({ reads: 2 });
    const nonce = "3f2b8a4e-6c1d-4b7a-9e5f-000000000001";
    expect((await call({ nonce })).ok).toBe(true);
    for (let again = 0; again < 5; again++) {
      expect(await call({ nonce })).toMatchObject({ ok: false, cause: "nonce reused" });
      expect(await call({ secret: "another" })).toMatchObject({ ok: false, cause: "signature wrong" });
    }
    expect(await call()).toMatchObject({ ok: true, quota: { remaining: 0 } });
  });

  it("begins anew with each window", async () => {
    jest.useFakeTimers({ now: 0 });
    try {
      const limits = createRateLimits({ ...OFF, reads: 1 });
      expect(await limits.take("a", "GET")).toMatchObject({ taken: true, resetMs: 10_000 });
      jest.setSystemTime(9_000);
      expect(await limits.take("a", "GET")).toMatchObject({ taken: false, resetMs: 1_000 });
      jest.setSystemTime(10_001);
      expect(await limits.take("a", "GET")).toMatchObject({ taken: true });
    } finally {
      jest.useRealTimers();
    }
  });

  it("of 0 is none", async () => {
    const { call } = replica({});
    for (let index = 0; index < 5; index++) expect(await call()).not.toHaveProperty("quota");
  });
});

describe("an address whose requests fail", () => {
  it("is kept out after so many, whatever it sends, and the key is not looked at", async () => {
    const { call, loads, claims } = replica({ failures: 3 }, {});
    for (let index = 0; index < 3; index++)
      expect(await call({ secret: "x" })).toMatchObject({ cause: "signature wrong" });
    const before = loads();
    const right = await call();
    expect(right).toEqual(await call({ secret: "x" }).then((wrong) => ({ ...wrong, quota: right.quota })));
    expect(right).toMatchObject({ ok: false, cause: "address's limit reached", keyId: null, caller: null });
    expect(loads()).toBe(before);
    expect(claims).toEqual([]);
    expect((await call({ remoteAddress: "192.0.2.7" })).ok).toBe(false);
    expect(await call({ remoteAddress: "192.0.2.7" })).toMatchObject({ cause: "address not allowed" });
  });

  it("counts the networks of IPv6, and those without an address together", async () => {
    const limits = createRateLimits({ ...OFF, failures: 1 });
    await limits.failed(parseAddress("2001:db8:0:1::5"));
    expect(await limits.blocked(parseAddress("2001:db8::1:ffff:0:0:9"))).toMatchObject({ limit: "failures" });
    expect(await limits.blocked(parseAddress("2001:db8:0:2::5"))).toBeNull();
    expect(await limits.blocked(null)).toBeNull();
    await limits.failed(null);
    expect(await limits.blocked(null)).not.toBeNull();
  });
});
