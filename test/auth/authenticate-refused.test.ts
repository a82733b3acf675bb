import { describe, expect, it } from "@jest/globals";
import { authenticate } from "../../src/auth/authenticate.ts";
import type { AuthCause } from "../../src/auth/checks.ts";
import {
  API_KEY,
  CHAIN_ID,
  makeKey,
  makeRequest,
  makeRig,
  NOW,
  PRODUCT,
  ranges,
  SECRET,
  type Signed,
} from "../support/http/auth.ts";

type RigOptions = Parameters<typeof makeRig>[0];

async function attempt(signed: Signed, options: RigOptions = {}) {
  const fixture = makeRig(options);
  return { result: await authenticate(fixture.deps, makeRequest(signed)), ...fixture };
}

const ORDERS = "/api/v1/orders?page=1&limit=10";
const NONCE = "3f2b8a4e-6c1d-4b7a-9e5f-000000000001";
const BODY = '{"side":"Buy"}';
const POST = { method: "POST", target: "/api/v1/orders/calldata", body: BODY };
const SIGN = "x-api-sign";

interface Case {
  name: string;
  cause: AuthCause;
  signed?: Signed;
  fixture?: RigOptions;
}

const payload = (separator: string) => ["GET", "/api/v1/symbols", String(NOW), NONCE, ""].join(separator);
const headerNames = ["X-Api-Key", "x-api-ts", "x-api-nonce", "x-api-chain-id", "x-api-p", SIGN];
const headerFault = (name: string, cause: AuthCause, value: string | undefined) =>
  headerNames.map((header) => ({
    name: `${header}: ${name}`,
    cause,
    signed: { headers: { [header]: value } },
  }));

const REFUSED: Case[] = [
  // docs/api.md#authentication, one by one.
  { name: "an unknown key", cause: "key unknown", signed: { headers: { "X-Api-Key": "pk_nobody" } } },
  {
    name: "a key that differs in case",
    cause: "key unknown",
    signed: { headers: { "X-Api-Key": API_KEY.toUpperCase() } },
  },
  { name: "no key at all in the store", cause: "key unknown", fixture: { stored: null } },
  { name: "an inactive key", cause: "key inactive", fixture: { stored: makeKey({ active: false }) } },
  { name: "an expired key", cause: "key expired", fixture: { stored: makeKey({ expiresAt: NOW - 1 }) } },
  { name: "a key that expires now", cause: "key expired", fixture: { stored: makeKey({ expiresAt: NOW }) } },
  {
    name: "a sealed secret that cannot be opened",
    cause: "secret unreadable",
    fixture: { stored: makeKey({ secret: null }) },
  },
  { name: "an empty whitelist", cause: "address not allowed", fixture: { stored: makeKey({ ranges: [] }) } },
  {
    name: "a foreign whitelist",
    cause: "address not allowed",
    fixture: { stored: makeKey({ ranges: ranges("10.0.0.0/8", "::1") }) },
  },
  { name: "no address", cause: "address unknown", signed: { remoteAddress: "" } },
  { name: "an octal address", cause: "address unknown", signed: { remoteAddress: "0177.0.0.1" } },
  {
    name: "a timestamp 45 s and 1 ms old",
    cause: "timestamp outside the window",
    signed: { timestamp: String(NOW - 45_001) },
  },
  {
    name: "a timestamp 45 s and 1 ms ahead",
    cause: "timestamp outside the window",
    signed: { timestamp: String(NOW + 45_001) },
  },
  {
    name: "a timestamp in seconds",
    cause: "timestamp outside the window",
    signed: { timestamp: String(NOW / 1000) },
  },
  { name: "a signed timestamp", cause: "timestamp malformed", signed: { timestamp: `+${NOW}` } },
  { name: "a timestamp with a fraction", cause: "timestamp malformed", signed: { timestamp: `${NOW}.0` } },
  {
    name: "a timestamp with an exponent",
    cause: "timestamp malformed",
    signed: { timestamp: "1795226400e3" },
  },
  {
    name: "a hexadecimal timestamp",
    cause: "timestamp malformed",
    signed: { timestamp: `0x${NOW.toString(16)}` },
  },
  { name: "a timestamp of words", cause: "timestamp malformed", signed: { timestamp: "now" } },
  { name: "a nonce that is no UUID", cause: "nonce malformed", signed: { nonce: "1" } },
  { name: "a nonce without hyphens", cause: "nonce malformed", signed: { nonce: NONCE.replaceAll("-", "") } },
  { name: "a nonce behind more", cause: "nonce malformed", signed: { nonce: `0${NONCE}` } },
  { name: "a nonce before more", cause: "nonce malformed", signed: { nonce: `${NONCE}0` } },
  { name: "a nonce in braces", cause: "nonce malformed", signed: { nonce: `{${NONCE}}` } },
  { name: "a full URL signed", cause: "signature wrong", signed: { uri: "http://localhost/api/v1/symbols" } },
  { name: "the URI without /api/v1 signed", cause: "signature wrong", signed: { uri: "/symbols" } },
  {
    name: "the URI without its query signed",
    cause: "signature wrong",
    signed: { target: ORDERS, uri: "/api/v1/orders" },
  },
  { name: "an unsorted query signed", cause: "signature wrong", signed: { target: ORDERS, uri: ORDERS } },
  {
    name: "backslash-n for newlines",
    cause: "signature wrong",
    signed: { nonce: NONCE, payload: payload("\\n") },
  },
  { name: "CRLF for newlines", cause: "signature wrong", signed: { nonce: NONCE, payload: payload("\r\n") } },
  { name: "no newlines", cause: "signature wrong", signed: { nonce: NONCE, payload: payload("") } },
  {
    name: "four lines",
    cause: "signature wrong",
    signed: { nonce: NONCE, payload: payload("\n").slice(0, -1) },
  },
  {
    name: "the method in lower case",
    cause: "signature wrong",
    signed: { nonce: NONCE, payload: payload("\n").replace("GET", "get") },
  },
  {
    name: "another body signed",
    cause: "signature wrong",
    signed: { ...POST, payload: `POST\n${POST.target}\n${NOW}\n${NONCE}\n{"side":"Sell"}`, nonce: NONCE },
  },
  {
    name: "the body left out",
    cause: "signature wrong",
    signed: { ...POST, payload: `POST\n${POST.target}\n${NOW}\n${NONCE}\n`, nonce: NONCE },
  },
  { name: "a wrong secret", cause: "signature wrong", signed: { secret: `${SECRET.slice(0, -1)}0` } },
  { name: "an empty secret", cause: "signature wrong", signed: { secret: "" } },
  { name: "a signature that is too short", cause: "signature wrong", signed: { headers: { [SIGN]: "ab" } } },
  { name: "a signature of zeros", cause: "signature wrong", signed: { headers: { [SIGN]: "0".repeat(64) } } },
  {
    name: "a signature in base64",
    cause: "signature wrong",
    signed: { headers: { [SIGN]: Buffer.alloc(32, 1).toString("base64") } },
  },
  {
    name: "a scope that the key lacks",
    cause: "scope not granted",
    signed: { headers: { "x-api-chain-id": "31338" } },
  },
  {
    name: "a chain that nobody serves",
    cause: "scope not granted",
    signed: { headers: { "x-api-chain-id": "1" } },
  },
  {
    name: "a granted scope that is served no more",
    cause: "scope not served",
    fixture: { stored: makeKey({ scopes: [{ chainId: 1, productType: PRODUCT }] }) },
    signed: { headers: { "x-api-chain-id": "1" } },
  },
  {
    name: "a product in other casing",
    cause: "scope not granted",
    signed: { headers: { "x-api-p": "sandbox" } },
  },
  { name: "a key without scopes", cause: "scope not granted", fixture: { stored: makeKey({ scopes: [] }) } },
  // Scopes are pairs: a chain of one and a product of another make none.
  {
    name: "parts of two scopes",
    cause: "scope not granted",
    fixture: {
      stored: makeKey({
        scopes: [
          { chainId: 31338, productType: PRODUCT },
          { chainId: CHAIN_ID, productType: "sandbox" },
        ],
      }),
    },
  },
  ...["0x7a69", "031337", "31337.0", "+31337", "-1", "0", "31,337", "9".repeat(17)].map((value) => ({
    name: `chain id ${value}`,
    cause: "chain malformed" as const,
    signed: { headers: { "x-api-chain-id": value } },
  })),
  ...["POST", "DELETE", "HEAD", "PUT"].map((method) => ({
    name: `${method} with a READ_ONLY key`,
    cause: "method not allowed" as const,
    signed: { method },
    fixture: { stored: makeKey({ access: "READ_ONLY" as const }) },
  })),
  // docs/api.md#authentication: targets that are refused in themselves, though signed as sent.
  ...[
    "/api/v1/orders?",
    "/api/v1/orders?a=1&a=2",
    "/api/v1/orders?a=1&%61=2",
    "/api/v1/../v1/orders",
    "/api/v1/orders%2Ftx",
    "/api/v1/orders#x",
    "http://localhost/api/v1/orders",
  ].map((target) => ({
    name: `the target ${target}`,
    cause: "uri not canonical" as const,
    signed: { target },
  })),
  ...headerFault("missing", "header missing", undefined),
  ...headerFault("empty", "header malformed", ""),
  ...headerFault("oversized", "header malformed", "1".repeat(5_000)),
  ...headerFault("not ASCII", "header malformed", "31337é"),
  ...headerFault("with a tab", "header malformed", "31337\t"),
];

describe("authenticate refuses", () => {
  it.each(REFUSED)("$name", async ({ cause, signed = {}, fixture }) => {
    const { result, claims } = await attempt(signed, fixture);
    expect(result).toMatchObject({ ok: false, cause });
    // A request with any other fault consumes nobody's nonce.
    expect(claims).toEqual([]);
  });

  it.each(headerNames)("a repeated %s, also with the same value", async (name) => {
    const request = makeRequest();
    const index = request.rawHeaders.indexOf(name);
    const rawHeaders = [...request.rawHeaders, name.toUpperCase(), request.rawHeaders[index + 1] ?? ""];
    const { deps, claims } = makeRig();
    expect(await authenticate(deps, { ...request, rawHeaders })).toMatchObject({
      ok: false,
      cause: "header repeated",
    });
    expect(claims).toEqual([]);
  });

  it("a nonce that was used before, in either case of its letters", async () => {
    const { deps } = makeRig();
    const first = await authenticate(deps, makeRequest({ nonce: NONCE }));
    const again = await authenticate(
      deps,
      makeRequest({ nonce: NONCE.toUpperCase(), timestamp: String(NOW + 1) }),
    );
    expect(first.ok).toBe(true);
    expect(again).toMatchObject({ ok: false, cause: "nonce reused" });
  });

  it("a caller behind proxies by the address that the outermost trusted one saw", async () => {
    const stored = makeKey({ ranges: ranges("203.0.113.7") });
    const through = (forwarded: string | undefined, trustedProxies: string[]) =>
      attempt(
        { headers: { "X-Forwarded-For": forwarded }, remoteAddress: "10.0.0.1" },
        { stored, trustedProxies },
      );
    // From a peer that is no proxy, the header is the caller's own claim.
    for (const proxies of [[], ["10.0.0.2", "10.0.1.0/24"]]) {
      expect({ proxies, ...(await through("203.0.113.7", proxies)).result }).toMatchObject({
        proxies,
        ok: false,
        cause: "address not allowed",
        ip: "10.0.0.1",
      });
    }
    expect((await through("198.51.100.1, 203.0.113.7", ["10.0.0.1"])).result).toMatchObject({
      ok: true,
      ip: "203.0.113.7",
    });
    expect((await through("203.0.113.7, 198.51.100.1", ["10.0.0.1"])).result).toMatchObject({ ok: false });
    expect((await through("203.0.113.7, 10.0.0.9", ["10.0.0.0/24"])).result).toMatchObject({ ok: true });
    for (const forwarded of [undefined, "10.0.0.9", "203.0.113.7, unknown"]) {
      expect({ forwarded, result: (await through(forwarded, ["10.0.0.0/24"])).result }).toMatchObject({
        forwarded,
        result: {
          ok: false,
          cause: "address unknown",
        },
      });
    }
  });

  it("tells the key only where there is one", async () => {
    expect((await attempt({}, { stored: null })).result).toMatchObject({ keyId: null });
    expect((await attempt({ secret: "x" })).result).toMatchObject({ keyId: makeKey().keyId });
  });
});
