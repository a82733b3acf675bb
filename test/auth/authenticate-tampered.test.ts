import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { z } from "zod";
import { authenticate } from "../../src/auth/authenticate.ts";
import { urlPath } from "../support/assert/arbitrary-text.ts";
import { LONG } from "../support/assert/long.ts";
import { makeRequest, makeRig, NOW, type Signed } from "../support/http/auth.ts";

type RigOptions = Parameters<typeof makeRig>[0];

async function attempt(signed: Signed, options: RigOptions = {}) {
  const fixture = makeRig(options);
  return { result: await authenticate(fixture.deps, makeRequest(signed)), ...fixture };
}

const SORTED = "/api/v1/orders?limit=10&page=1";
const NONCE = "3f2b8a4e-6c1d-4b7a-9e5f-000000000001";
const BODY = '{"side":"Buy"}';
const POST = { method: "POST", target: "/api/v1/orders/calldata", body: BODY };
const SIGN = "x-api-sign";

describe("any change of a signed element", () => {
  const other = (arbitrary: fc.Arbitrary<string>, original: string) =>
    arbitrary.filter((value) => value !== original);
  const base = { ...POST, target: SORTED, nonce: NONCE, timestamp: String(NOW) };
  const change = fc.oneof(
    fc.record({ method: other(fc.constantFrom("GET", "DELETE", "PUT", "post"), base.method) }),
    fc.record({
      timestamp: other(fc.integer({ min: NOW - 45_000, max: NOW + 45_000 }).map(String), base.timestamp),
    }),
    fc.record({ nonce: other(fc.uuid(), base.nonce) }),
    fc.record({ nonce: fc.constant(base.nonce.toUpperCase()) }),
    fc.record({ body: other(fc.string(), base.body) }),
    fc.record({
      body: other(
        fc.constantFrom(`${BODY} `, `${BODY}\n`, ` ${BODY}`, "", BODY.toLowerCase(), "{}"),
        base.body,
      ),
    }),
    fc.record({
      target: other(
        urlPath.map((path) => `/api/v1${path}`),
        base.target,
      ),
    }),
    fc.record({
      target: fc.constantFrom(
        "/api/v1/orders",
        `${SORTED}&a=1`,
        "/api/v1/orders?limit=10&page=2",
        "/api/v1/orders?limit=10",
        "/api/v1/orders?limit=1&page=01",
      ),
    }),
    fc.nat({ max: 63 }).map((index) => ({ flipped: index })),
  );

  it("is refused, and spends no nonce", async () => {
    await fc.assert(
      fc.asyncProperty(change, async (changed) => {
        const signed = makeRequest(base);
        const sent = makeRequest({ ...base, ...changed });
        const headers = new Map(pairs(signed.rawHeaders));
        let signature = headers.get(SIGN) ?? "";
        if ("flipped" in changed) {
          const digit = Number.parseInt(signature[changed.flipped] ?? "0", 16) ^ 1;
          signature =
            signature.slice(0, changed.flipped) + digit.toString(16) + signature.slice(changed.flipped + 1);
        }
        const rawHeaders = pairs(sent.rawHeaders).flatMap(([name, value]) => [
          name,
          name === SIGN ? signature : value,
        ]);
        const { deps, claims } = makeRig();
        expect(await authenticate(deps, { ...sent, rawHeaders })).toMatchObject({ ok: false });
        expect(claims).toEqual([]);
      }),
      { numRuns: LONG ? 400 : 100 },
    );
  });

  it("is what the property above needs to fail: unchanged, the request passes", async () => {
    expect(await authenticate(makeRig().deps, makeRequest(base))).toMatchObject({ ok: true });
  });
});

function pairs(rawHeaders: readonly string[]): [string, string][] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""]] : []));
}

describe("the vectors of an independent implementation", () => {
  const text = z.string();
  const vector = z.object({
    method: text,
    path: text,
    query: z.array(z.tuple([text, text])).optional(),
    sentQuery: text.optional(),
    timestamp: text,
    nonce: text,
    body: text,
    sign: text,
    accept: z.boolean(),
  });
  const file = new URL("../../docs/signing-vectors.json", import.meta.url);
  const { cases } = z.object({ cases: z.array(vector) }).parse(JSON.parse(readFileSync(file, "utf8")));

  it.each(cases)(
    "$method $path $sentQuery: $accept",
    async ({ accept, path, sentQuery, query, sign, ...signed }) => {
      const sent = sentQuery ?? query?.map((pair) => pair.join("=")).join("&") ?? "";
      const target = sent ? `${path}?${sent}` : path;
      expect((await attempt({ ...signed, target, headers: { [SIGN]: sign } })).result.ok).toBe(accept);
    },
  );
});
