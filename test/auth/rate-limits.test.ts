import { describe, expect, it, jest } from "@jest/globals";
import { type AuthDeps, authenticate } from "../../src/auth/authenticate.ts";
import { createInFlightLimit } from "../../src/auth/in-flight.ts";
import { createFailureLimit, usageKindOf } from "../../src/auth/rate-limits.ts";
import { parseAddress } from "../../src/config/ip-range.ts";
import { present } from "../support/assert/until.ts";
import { makeKey, makeRequest, makeRig, NOW, type Signed } from "../support/http/auth.ts";

/** Creates a replica, the same for all calls of a test. */
function replica(limits: Partial<AuthDeps>, options: Parameters<typeof makeRig>[0] = { cached: makeKey() }) {
  const fixture = makeRig(options);
  const deps = { ...fixture.deps, ...limits };
  return { ...fixture, call: (signed: Signed = {}) => authenticate(deps, makeRequest(signed)) };
}

describe("a key's requests in flight", () => {
  it("are bounded by their cost, before the nonce; each makes room once it is answered", async () => {
    const { call, claims } = replica({ inFlight: createInFlightLimit(10) });
    const first = await call({ cost: 4 });
    expect(await call({ cost: 6 })).toMatchObject({ ok: true });
    const over = await call({ cost: 1 });
    expect(over).toMatchObject({
      ok: false,
      cause: "key's requests in flight",
      quota: { limit: "in flight", points: 10, resetMs: 1_000 },
      caller: { keyId: makeKey().keyId },
    });
    expect(claims).toHaveLength(2);
    const release = present(first.ok ? first.release : null, "a release");
    release();
    release();
    expect(await call({ cost: 5 })).toMatchObject({ ok: false });
    expect(await call({ cost: 4 })).toMatchObject({ ok: true });
  });

  it("let in one alone whatever it costs", async () => {
    const { call } = replica({ inFlight: createInFlightLimit(10) });
    expect(await call({ cost: 101 })).toMatchObject({ ok: true });
    expect(await call({ cost: 1 })).toMatchObject({ ok: false });
  });

  it("are not made of what is refused: forged, sent again, or without a database", async () => {
    const nonce = "3f2b8a4e-6c1d-4b7a-9e5f-000000000001";
    const { call, deps } = replica({ inFlight: createInFlightLimit(2) });
    expect(await call({ nonce })).toMatchObject({ ok: true });
    for (let again = 0; again < 5; again++) {
      expect(await call({ nonce })).toMatchObject({ ok: false, cause: "nonce reused" });
      expect(await call({ secret: "another" })).toMatchObject({ ok: false, cause: "signature wrong" });
    }
    const inFlight = createInFlightLimit(1);
    const down = { ...deps, inFlight, claimNonce: () => Promise.reject(new Error("down")) };
    for (let again = 0; again < 3; again++) {
      await expect(authenticate(down, makeRequest())).rejects.toThrow("down");
    }
    expect(inFlight.enter(makeKey().keyId, 1)).not.toBeNull();
  });

  it("of other keys have room of their own, and 0 is no limit", () => {
    const inFlight = createInFlightLimit(1);
    expect(inFlight.enter("a", 1)).not.toBeNull();
    expect(inFlight.enter("a", 1)).toBeNull();
    expect(inFlight.enter("b", 1)).not.toBeNull();
    const unlimited = createInFlightLimit(0);
    const entered = Array.from({ length: 5 }, () => unlimited.enter("a", 1_000) !== null);
    expect({ entered }).toEqual({ entered: [true, true, true, true, true] });
  });
});

describe("an address whose requests fail", () => {
  it("is still served what is validly signed, after 2,100 failures under a limit of 2,000", async () => {
    const { call } = replica({ failures: createFailureLimit(2_000) }, {});
    for (let index = 0; index < 2_000; index++) {
      expect(await call({ secret: "x" })).not.toHaveProperty("quota");
    }
    for (let index = 0; index < 100; index++) {
      expect(await call({ secret: "x" })).toMatchObject({ ok: false, quota: { limit: "failures" } });
    }
    expect(await call()).toMatchObject({ ok: true });
  });

  it("is told the same whatever was wrong, and other addresses nothing of it", async () => {
    const { call } = replica({ failures: createFailureLimit(1) });
    const nonce = "3f2b8a4e-6c1d-4b7a-9e5f-000000000002";
    expect(await call({ nonce })).toMatchObject({ ok: true });
    await call({ secret: "x" });
    const wrong: Signed[] = [
      { secret: "x" },
      { nonce },
      { headers: { "X-Api-Key": "pk_unknown" } },
      { timestamp: "1" },
      { headers: { "x-api-p": "Other" } },
    ];
    for (const signed of wrong) {
      expect(await call(signed)).toMatchObject({ ok: false, quota: { limit: "failures", remaining: 0 } });
    }
    expect(await call({ remoteAddress: "192.0.2.7" })).not.toHaveProperty("quota");
  });

  it("over its limit costs no look-up while the key in memory is fresh, and one where it is not", async () => {
    const fresh = replica({ failures: createFailureLimit(1) });
    await fresh.call({ secret: "x" });
    const before = fresh.loads();
    await fresh.call({ secret: "x" });
    expect(fresh.loads()).toBe(before);
    const stored = makeKey({ revision: 1, scopes: [{ chainId: 31338, productType: "Sandbox" }] });
    const stale = replica(
      { failures: createFailureLimit(1) },
      { stored, cached: makeKey({ readAt: NOW - 1_000 }) },
    );
    await stale.call({ secret: "x" });
    expect(await stale.call({ headers: { "x-api-chain-id": "31338" } })).toMatchObject({ ok: true });
  });

  it("counts the networks of IPv6, and those without an address together", async () => {
    const limit = createFailureLimit(1);
    await limit.count(parseAddress("2001:db8:0:1::5"));
    expect(await limit.exceeded(parseAddress("2001:db8::1:ffff:0:0:9"))).toMatchObject({ limit: "failures" });
    expect(await limit.exceeded(parseAddress("2001:db8:0:2::5"))).toBeNull();
    expect(await limit.exceeded(null)).toBeNull();
    await limit.count(null);
    expect(await limit.exceeded(null)).not.toBeNull();
  });

  it("begins anew with each window, and 0 is no limit", async () => {
    jest.useFakeTimers({ now: 0 });
    try {
      const limit = createFailureLimit(1);
      await limit.count(null);
      jest.setSystemTime(9_000);
      expect(await limit.exceeded(null)).toMatchObject({ resetMs: 1_000 });
      jest.setSystemTime(10_001);
      expect(await limit.exceeded(null)).toBeNull();
    } finally {
      jest.useRealTimers();
    }
    const none = createFailureLimit(0);
    await none.count(null);
    expect(await none.exceeded(null)).toBeNull();
  });
});

describe("what a claim says of a key's limit", () => {
  const quota = { limit: "writes", points: 5, remaining: 0, resetMs: 10 } as const;
  const { keyId } = makeKey();

  function claiming(outcome: Awaited<ReturnType<AuthDeps["claimNonce"]>>) {
    const counted: (string | undefined)[] = [];
    let claims = 0;
    const failures = {
      exceeded: async () => null,
      count: async (address: { toString(): string } | null) => {
        counted.push(address?.toString());
      },
    };
    const claimNonce = async () => {
      claims += 1;
      return outcome;
    };
    return { ...replica({ claimNonce, failures }), counted, claims: () => claims };
  }

  it("is handed on, and over it the request is no failure of its address", async () => {
    const limited = claiming({ outcome: "limited", quota });
    expect(await limited.call({ method: "POST" })).toEqual({
      ok: false,
      cause: "key's limit reached",
      keyId,
      ip: "127.0.0.1",
      quota,
      caller: expect.objectContaining({ keyId }),
    });
    const claimed = claiming({ outcome: "claimed", quota });
    expect(await claimed.call()).toMatchObject({ ok: true, ip: "127.0.0.1", quota });
    expect({ countedWhenLimited: limited.counted, countedWhenClaimed: claimed.counted }).toEqual({
      countedWhenLimited: [],
      countedWhenClaimed: [],
    });
  });
  it("is asked once of an unchanged key, and what it refuses is a failure of the address", async () => {
    const refused = claiming({ outcome: "refused" });
    expect(await refused.call()).toEqual({ ok: false, cause: "nonce reused", keyId, ip: "127.0.0.1" });
    expect(refused.counted).toEqual(["127.0.0.1"]);
    expect(refused.claims()).toBe(1);
  });
  it("counts reads and writes apart", () => {
    expect(["GET", "POST", "DELETE"].map(usageKindOf)).toEqual(["reads", "writes", "writes"]);
  });
});
