import { createSecretKey, randomUUID } from "node:crypto";
import { inspect } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { authenticate } from "../../src/auth/authenticate.ts";
import type { Key } from "../../src/auth/key-store.ts";
import {
  API_KEY,
  CHAIN_ID,
  makeKey,
  makeRequest,
  makeRig,
  NOW,
  PRODUCT,
  SECRET,
  type Signed,
  VERSION,
} from "../support/http/auth.ts";

type RigOptions = Parameters<typeof makeRig>[0];

async function attempt(signed: Signed, options: RigOptions = {}) {
  const fixture = makeRig(options);
  return { result: await authenticate(fixture.deps, makeRequest(signed)), ...fixture };
}

const ORDERS = "/api/v1/orders?page=1&limit=10";
const SORTED = "/api/v1/orders?limit=10&page=1";
const NONCE = "3f2b8a4e-6c1d-4b7a-9e5f-000000000001";
const BODY = '{"side":"Buy"}';
const POST = { method: "POST", target: "/api/v1/orders/calldata", body: BODY };
const SIGN = "x-api-sign";

describe("authenticate accepts", () => {
  it("a request and says whose it is", async () => {
    const userAddress = `0x${"ab".repeat(20)}` as const;
    const { result, claims } = await attempt(
      { nonce: NONCE },
      { stored: makeKey({ userAddress, revision: 3 }) },
    );
    const { keyId } = makeKey();
    expect(result).toEqual({
      ok: true,
      caller: {
        keyId,
        apiKey: API_KEY,
        access: "WRITABLE",
        chainId: CHAIN_ID,
        productType: PRODUCT,
        userAddress,
        signed: { revision: 3, isPrevious: false },
        expiresAt: null,
      },
      ip: "127.0.0.1",
    });
    expect(claims).toEqual([{ keyId, revision: 3, nonce: NONCE, kind: "reads", cost: 1, isPrevious: false }]);
  });

  const ACCEPTED: { name: string; signed?: Signed; fixture?: RigOptions }[] = [
    { name: "a timestamp exactly 45 s old", signed: { timestamp: String(NOW - 45_000) } },
    { name: "a timestamp exactly 45 s ahead", signed: { timestamp: String(NOW + 45_000) } },
    { name: "a key that expires later", fixture: { stored: makeKey({ expiresAt: NOW + 1 }) } },
    { name: "a READ_ONLY key that GETs", fixture: { stored: makeKey({ access: "READ_ONLY" }) } },
    { name: "a POST with its body", signed: POST },
    { name: "a body that is not UTF-8", signed: { ...POST, body: Buffer.from([0xff, 0x00, 0xfe]) } },
    { name: "a DELETE", signed: { method: "DELETE" } },
    { name: "a query sent in any order, signed sorted", signed: { target: ORDERS, uri: SORTED } },
    {
      name: "a query signed percent-decoded",
      signed: {
        target: "/api/v1/orders?status=Partial%20filled",
        uri: "/api/v1/orders?status=Partial filled",
      },
    },
    { name: "a nonce in upper case", signed: { nonce: NONCE.toUpperCase() } },
    { name: "an IPv4 address in IPv6 clothes", signed: { remoteAddress: "::ffff:127.0.0.1" } },
    {
      name: "the second of several scopes",
      signed: { headers: { "x-api-chain-id": "31338" } },
      fixture: {
        stored: makeKey({ scopes: [CHAIN_ID, 31338].map((chainId) => ({ chainId, productType: PRODUCT })) }),
      },
    },
  ];
  it.each(ACCEPTED)("$name", async ({ signed = {}, fixture }) => {
    expect((await attempt(signed, fixture)).result).toMatchObject({ ok: true });
  });

  it("the secret before a rotation, as such: the claim decides by the database's clock whether it has ended", async () => {
    const previous = { secret: createSecretKey(Buffer.from("before")), until: NOW + 1 };
    const stored = makeKey({ previous });
    const { result, claims } = await attempt({ secret: "before" }, { stored });
    expect(result).toMatchObject({ ok: true, caller: { signed: { isPrevious: true } } });
    expect(claims).toMatchObject([{ isPrevious: true }]);
    const { claims: current } = await attempt({}, { stored });
    expect(current).toMatchObject([{ isPrevious: false }]);
  });

  it("a signature in upper case", async () => {
    const request = makeRequest();
    const rawHeaders = request.rawHeaders.map((value, index, all) =>
      all[index - 1] === SIGN ? value.toUpperCase() : value,
    );
    expect(rawHeaders).not.toEqual(request.rawHeaders);
    expect(await authenticate(makeRig().deps, { ...request, rawHeaders })).toMatchObject({ ok: true });
  });
});

describe("a cached key", () => {
  it("accepts without asking for the key again", async () => {
    const { result, loads } = await attempt({}, { cached: makeKey() });
    expect(result.ok).toBe(true);
    expect(loads()).toBe(0);
  });

  it("never refuses: the key as it is now decides", async () => {
    const stored = makeKey({ revision: 1 });
    const { result, loads } = await attempt({}, { cached: makeKey({ ranges: [] }), stored });
    expect(result.ok).toBe(true);
    expect(loads()).toBe(1);
  });

  it("is of no use once the key was revoked, though the request is right", async () => {
    const stored = makeKey({ active: false, revision: 1 });
    expect((await attempt({}, { cached: makeKey(), stored })).result).toMatchObject({
      ok: false,
      cause: "key inactive",
    });
  });

  it("that changed is checked anew, and the nonce is claimed for what it is now", async () => {
    const stored = makeKey({ revision: 1 });
    const { result, claims } = await attempt({}, { cached: makeKey(), stored });
    expect(result.ok).toBe(true);
    expect({ revisions: claims.map(({ revision }) => revision) }).toEqual({ revisions: [0, 1] });
    const narrowed = makeKey({ revision: 1, ranges: [] });
    expect((await attempt({}, { cached: makeKey(), stored: narrowed })).result).toMatchObject({
      ok: false,
      cause: "address not allowed",
    });
  });

  it("that would refuse costs one look-up, as a key that is not cached does", async () => {
    expect((await attempt({ secret: "x" }, { cached: makeKey() })).loads()).toBe(1);
    expect((await attempt({ secret: "x" }, { cached: null })).loads()).toBe(1);
    expect((await attempt({ secret: "x" }, { stored: null })).loads()).toBe(1);
    expect((await attempt({ headers: { "X-Api-Key": undefined } })).loads()).toBe(1);
  });
});

describe("a request that stays open", () => {
  it("is checked again for its key as it is then, however old the request is by now", async () => {
    let stored: Key | null = makeKey();
    let time = NOW;
    const { deps } = makeRig();
    const changing = { ...deps, keys: { ...deps.keys, load: async () => stored }, now: () => time };
    const result = await authenticate(changing, { ...makeRequest(), staysOpen: true });
    const { recheck } = result as Extract<typeof result, { ok: true }>;
    time += 3_600_000;
    expect(await recheck?.()).toBeNull();
    stored = makeKey({ scopes: [] });
    expect(await recheck?.()).toBe("scope not granted");
    stored = null;
    expect(await recheck?.()).toBe("key unknown");
  });

  it("is the only one that is", async () => {
    expect((await attempt({})).result).not.toHaveProperty("recheck");
  });
});

describe("what authentication hands out", () => {
  it("never shows the secret, whoever prints it", async () => {
    const key = makeKey();
    const accepted = await attempt({});
    const refused = await attempt({ secret: randomUUID() });
    const shown = [key, accepted, refused].map(
      (value) => `${inspect(value, { depth: 9 })}${JSON.stringify(value)}`,
    );
    for (const form of [
      SECRET,
      Buffer.from(SECRET).toString("hex"),
      Buffer.from(SECRET).toString("base64"),
    ]) {
      expect(shown.join("\n")).not.toContain(form);
    }
  });
});

describe("authenticate tells of the caller before the nonce is claimed", () => {
  const told = async (signed: Signed, options: RigOptions = {}) => {
    const { deps } = makeRig(options);
    const callers: unknown[] = [];
    const call = (request = makeRequest(signed)) =>
      authenticate(deps, request, (caller) => {
        callers.push(caller);
        return null;
      });
    return { callers, call };
  };

  it("once, and the result names that very caller", async () => {
    const { callers, call } = await told({}, { cached: makeKey() });
    const result = await call();
    expect(callers).toHaveLength(1);
    expect(result.ok && result.caller).toBe(callers[0]);
  });

  it("and hands on the version of its rows where that was asked for", async () => {
    const scope = { chainId: CHAIN_ID, productType: PRODUCT };
    const versionOf = async (asked: typeof scope | null) => {
      const result = await authenticate(makeRig().deps, makeRequest(), () => asked);
      return result.ok ? result.version : result.cause;
    };
    expect({ asked: await versionOf(scope), notAsked: await versionOf(null) }).toEqual({
      asked: VERSION,
      notAsked: undefined,
    });
  });

  it("again with the key as it is now, where a remembered one has changed", async () => {
    const stored = makeKey({ revision: 1, userAddress: `0x${"ab".repeat(20)}` });
    const { callers, call } = await told({}, { cached: makeKey(), stored });
    const result = await call();
    expect(callers).toMatchObject([{ userAddress: null }, { userAddress: stored.userAddress }]);
    expect(result.ok && result.caller).toBe(callers[1]);
  });

  it.each<{ name: string; signed: Signed; cached?: ReturnType<typeof makeKey> }>([
    { name: "a wrong signature", signed: { secret: "another" } },
    { name: "a timestamp outside of the window", signed: { timestamp: String(NOW - 60_000) } },
    { name: "an address that is not allowed", signed: { remoteAddress: "198.51.100.1" } },
    { name: "a READ_ONLY key that writes", signed: POST, cached: makeKey({ access: "READ_ONLY" }) },
  ])("never of $name", async ({ signed, cached = makeKey() }) => {
    const { callers, call } = await told(signed, { cached, stored: cached });
    expect(await call()).toMatchObject({ ok: false });
    expect(callers).toEqual([]);
  });
});
