import { randomUUID } from "node:crypto";
import { expect } from "@jest/globals";
import { CHAIN_ID, OTHER_PRODUCT, PRODUCT, type TestEnv } from "./api.ts";
import { type Answer, type Bend, createPartner, type PartnerKey } from "./partner.ts";

/**
 * The security suite of every route: each way in which authentication can fail (docs/api.md#authentication), tried on
 * the route, must end in the same answer, to the byte, but for uuid and t.
 */
export interface SecurityKeys {
  good: PartnerKey;
  readOnly: PartnerKey;
  inactive: PartnerKey;
  expired: PartnerKey;
  nobodysIps: PartnerKey;
  foreignIps: PartnerKey;
  otherProduct: PartnerKey;
}

export async function makeSecurityKeys({ makeKey, pool }: TestEnv): Promise<SecurityKeys> {
  const inactive = await makeKey();
  const expired = await makeKey();
  await pool.query("UPDATE app.api_key SET active = false WHERE key_id = $1", [inactive.keyId]);
  await pool.query("UPDATE app.api_key SET expires_at = now() - interval '1 second' WHERE key_id = $1", [
    expired.keyId,
  ]);
  const other = await makeKey({ scopes: [{ chainId: CHAIN_ID, productType: OTHER_PRODUCT }] });
  return {
    good: await makeKey(),
    readOnly: await makeKey({ access: "READ_ONLY" }),
    inactive,
    expired,
    nobodysIps: await makeKey({ ips: [] }),
    foreignIps: await makeKey({ ips: ["192.0.2.0/24", "::1"] }),
    // Sends what it is not granted.
    otherProduct: { ...other, productType: PRODUCT },
  };
}

export interface SecuredRoute {
  method: "GET" | "POST" | "DELETE";
  /** Below /api/v1, its parameters filled in. */
  path: string;
  /** The body of a POST. */
  body?: unknown;
}

type Parts = { method: string; uri: string; ts: string; nonce: string; body: string };
const payload = (change: Partial<Parts> | ((parts: Parts) => string)): Bend => ({
  payload: (parts) => {
    if (typeof change === "function") return change(parts);
    const { method, uri, ts, nonce, body } = { ...parts, ...change };
    return [method, uri, ts, nonce, body].join("\n");
  },
});
const joined = (separator: string) =>
  payload(({ method, uri, ts, nonce, body }) => [method, uri, ts, nonce, body].join(separator));
const header = (name: string, value?: string): Bend => ({ headers: { [name]: value } });
const HEADERS = ["x-api-key", "x-api-ts", "x-api-nonce", "x-api-chain-id", "x-api-p", "x-api-sign"];

const BENT: [string, Bend][] = [
  ...HEADERS.map((name): [string, Bend] => [`no ${name}`, header(name)]),
  ...HEADERS.map((name): [string, Bend] => [`an empty ${name}`, header(name, "")]),
  ["an unknown key", header("x-api-key", "pk_unknown")],
  ["a wrong secret", { secret: "sk_wrong" }],
  ["a signature that is no hex", header("x-api-sign", "z".repeat(64))],
  ["a signature cut short", header("x-api-sign", "ab".repeat(31))],
  ["a timestamp 46 s old", { skewMs: -46_000 }],
  ["a timestamp 55 s ahead", { skewMs: 55_000 }],
  ["a timestamp in seconds", header("x-api-ts", String(Math.floor(Date.now() / 1000)))],
  ["a nonce that is no UUID", { nonce: "1" }],
  ["another chain", header("x-api-chain-id", "1")],
  ["the chain in hex", header("x-api-chain-id", `0x${CHAIN_ID.toString(16)}`)],
  ["a product in another case", header("x-api-p", OTHER_PRODUCT)],
  ["backslash-n joined", joined("\\n")],
  ["CRLF joined", joined("\r\n")],
  ["another method signed", payload({ method: "PATCH" })],
  ["another path signed", payload({ uri: "/api/v1/elsewhere" })],
  ["the full URL signed", payload((parts) => `${parts.method}\nhttp://x${parts.uri}\n`)],
  ["another body signed", payload({ body: '{"a":1}' })],
  ["another nonce signed", payload({ nonce: randomUUID() })],
  ["a query that was not signed", { sentQuery: "page=1" }],
  ["a repeated parameter", { sentQuery: "page=1&page=1" }],
];

/** Tries everything on one route. Throws, naming the cause, where an answer differs from all others. */
export async function expectSecured(baseUrl: string, keys: SecurityKeys, route: SecuredRoute): Promise<void> {
  const call = (key: PartnerKey, bend?: Bend): Promise<Answer> => {
    const partner = createPartner(baseUrl, key);
    if (route.method === "GET") return partner.get(route.path, undefined, bend);
    if (route.method === "DELETE") return partner.delete(route.path, bend);
    return partner.post(route.path, route.body ?? {}, bend);
  };
  for (const [cause, bend] of BENT) expectUnauthorized(cause, await call(keys.good, bend));
  for (const name of ["inactive", "expired", "nobodysIps", "foreignIps", "otherProduct"] as const) {
    expectUnauthorized(name, await call(keys[name]));
  }
  if (route.method !== "GET") expectUnauthorized("READ_ONLY", await call(keys.readOnly));

  // The same request without defects passes authentication; repeated, it does not.
  const nonce = randomUUID();
  const good = await call(keys.good, { nonce });
  expect({ path: route.path, ...good.body }).not.toMatchObject({ path: route.path, code: 401 });
  expectUnauthorized("a nonce used before", await call(keys.good, { nonce }));
}

/** Compares all of the answer at once: the suite has thousands of them. */
function expectUnauthorized(cause: string, { status, headers, body }: Answer): void {
  const { uuid, t, ...rest } = body;
  expect({
    cause,
    status,
    ...rest,
    fields: Object.keys(body),
    requestId: headers.get("x-request-id"),
    block: headers.get("x-indexed-block"),
    isNow: Math.abs(t - Date.now()) < 60_000,
  }).toEqual({
    cause,
    status: 400,
    code: 401,
    errMsg: "Unauthorized",
    data: null,
    fields: ["code", "errMsg", "data", "uuid", "t"],
    requestId: uuid,
    block: null,
    isNow: true,
  });
}
