import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { z } from "zod";
import { canonicalUris, payloadHead, sign } from "../../src/protocol/signing.ts";
import { LONG } from "../support/assert/long.ts";

const vectors = z
  .object({
    secret: z.string(),
    cases: z.array(
      z.object({
        note: z.string().optional(),
        method: z.string(),
        path: z.string(),
        query: z.array(z.tuple([z.string(), z.string()])).optional(),
        sentQuery: z.string().optional(),
        timestamp: z.string(),
        nonce: z.string(),
        body: z.string(),
        uri: z.string(),
        payload: z.string(),
        sign: z.string(),
        accept: z.boolean(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(new URL("../../docs/signing-vectors.json", import.meta.url), "utf8")));

describe("the vectors of an independent implementation", () => {
  it.each(vectors.cases)("$method $path $sentQuery $note", async (vector) => {
    const pairs = vector.query?.map(([name, value]) => `${name}=${value}`).join("&");
    const query = vector.sentQuery ?? pairs ?? "";
    const uris = canonicalUris(query ? `${vector.path}?${query}` : vector.path);
    expect([uris?.sent, uris?.decoded].includes(vector.uri)).toBe(vector.accept);
    expect(payloadHead(vector) + vector.body).toBe(vector.payload);
    expect(await sign(vectors.secret, vector, vector.body)).toBe(vector.sign);
  });
});

describe("canonicalUris", () => {
  it.each([
    ["/api/v1/symbols", "/api/v1/symbols"],
    ["/api/v1/orders?b=2&a=1", "/api/v1/orders?a=1&b=2"],
    // Sorted by name: sorted as whole pairs, "a-b=1" would come before "a=1".
    ["/api/v1/orders?a-b=1&a=1", "/api/v1/orders?a=1&a-b=1"],
    ["/api/v1/orders?B=1&a=1", "/api/v1/orders?B=1&a=1"],
    ["/api/v1/orders?flag&a=", "/api/v1/orders?a=&flag"],
    ["/api/v1/orders?a=b=c", "/api/v1/orders?a=b=c"],
    ["/api/v1/orders?a=b?c/d:e@f", "/api/v1/orders?a=b?c/d:e@f"],
  ])("%s", (target, sent) => {
    expect(canonicalUris(target)).toEqual({ sent, decoded: sent });
  });

  it.each([
    ["a space", "?a=x%20y", "?a=x y"],
    ["letters beyond ASCII in a value", "?a=%C3%A9", "?a=é"],
    ["an encoded name", "?%61=1", "?a=1"],
    ["names that change places when decoded", "?b=1&%61=2", "?a=2&b=1"],
  ])("has a decoded form for %s", (_what, query, decoded) => {
    expect(canonicalUris(`/p${query}`)?.decoded).toBe(`/p${decoded}`);
  });

  it.each(["%26", "%3D", "%3d", "%3F", "%23", "%25", "%2B", "%00", "%0A", "%1f"])(
    "has no decoded form where a value or a name holds %s",
    (encoded) => {
      expect(canonicalUris(`/p?a=x${encoded}y`)).toEqual({ sent: `/p?a=x${encoded}y`, decoded: null });
      // A name below 0x20 is refused altogether: names are plain ASCII.
      expect(canonicalUris(`/p?x${encoded}y=a`)?.decoded ?? null).toBeNull();
    },
  );

  it.each([
    ["a raw plus next to an encoded letter", "?a=x+y&b=%20"],
    ["a broken percent-encoding", "?a=%zz"],
    ["a cut percent-encoding", "?a=%2"],
    ["bytes that are no UTF-8", "?a=%ff"],
  ])("takes %s as sent only", (_what, query) => {
    expect(canonicalUris(`/p${query}`)).toEqual({ sent: `/p${query}`, decoded: null });
  });

  it.each([
    ["nothing", ""],
    ["absolute form", "http://host/api/v1/symbols"],
    ["a network path", "//host/api/v1/symbols"],
    ["the asterisk", "*"],
    ["a dot segment", "/api/v1/../v1/symbols"],
    ["a single dot", "/api/v1/./symbols"],
    ["a dot at the end", "/api/v1/."],
    ["two dots at the end", "/api/v1/.."],
    ["an encoded dot segment", "/api/v1/%2e%2e/symbols"],
    ["an encoded slash", "/api/v1/orders%2Ftx"],
    ["an encoded NUL", "/api/v1/orders%00"],
    ["any percent in the path", "/api/v1/ord%65rs"],
    ["a lone question mark", "/api/v1/orders?"],
    ["a fragment", "/api/v1/orders#a"],
    ["a fragment after the query", "/api/v1/orders?a=1#b"],
    ["a backslash", "/api/v1\\orders"],
    ["a space", "/api/v1/orders?a=1 2"],
    ["a newline", "/api/v1/orders\n"],
    ["letters beyond ASCII in the path", "/api/v1/prix/é"],
    ["letters beyond ASCII in the query", "/api/v1/orders?a=é"],
    ["a name beyond ASCII", "/api/v1/orders?%C3%A9=1"],
    ["a name with a broken percent-encoding", "/api/v1/orders?%zz=1"],
    ["a repeated name", "/api/v1/orders?a=1&a=1"],
    ["a name repeated after decoding", "/api/v1/orders?a=1&%61=2"],
    ["an empty pair", "/api/v1/orders?a=1&&b=2"],
    ["an empty pair at the end", "/api/v1/orders?a=1&"],
    ["an empty name", "/api/v1/orders?=1"],
  ])("refuses %s", (_what, target) => {
    expect(canonicalUris(target)).toBeNull();
  });
});

/** Returns a server's reading of a target: its path, and the decoded pairs in any order. */
function meaning(target: string): string {
  const [path = "", ...query] = target.split("?");
  const pairs = query.join("?").split("&");
  return JSON.stringify([path, pairs.map((pair) => pair.split("=").map(decode)).sort()]);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return `not decodable: ${text}`;
  }
}

const character = fc.constantFrom("a", "&", "=", "?", "%", "+", "#", " ", "\n", "é");
const encodings = [
  (text: string) => text,
  (text: string) => encodeURIComponent(text),
  (text: string) =>
    Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
];
const piece = fc
  .array(fc.tuple(character, fc.constantFrom(...encodings)), { maxLength: 2 })
  .map((characters) => characters.map(([text, encode]) => encode(text)).join(""));
const pair = fc.oneof(
  fc.tuple(piece, piece).map(([name, value]) => `${name}=${value}`),
  piece,
);
const target = fc
  .tuple(fc.constantFrom("/p", "/p&a"), fc.option(fc.array(pair, { minLength: 1, maxLength: 2 })))
  .map(([path, pairs]) => (pairs ? `${path}?${pairs.join("&")}` : path));

describe("one canonical form belongs to one request", () => {
  it("whatever two targets mean, they share no form unless they mean the same", () => {
    const seed = Date.now();
    const owners = new Map<string, string>();
    let shared = 0;
    // Compares all with all, because two random targets hardly ever match.
    for (const candidate of fc.sample(target, { numRuns: LONG ? 20_000 : 5_000, seed })) {
      const uris = canonicalUris(candidate);
      for (const form of new Set([uris?.sent, uris?.decoded])) {
        if (!form) continue;
        const owner = owners.get(form) ?? candidate;
        if (owner !== candidate) shared += 1;
        const told = { form, seed, means: meaning(candidate) };
        expect(told).toEqual({ ...told, means: meaning(owner) });
        owners.set(form, owner);
      }
    }
    // Otherwise nothing was compared.
    expect(shared).toBeGreaterThan(0);
  });

  it("no element of a payload can pass for another", () => {
    const token = fc.constantFrom("GET", "POST", "DELETE");
    const parts = fc.record({
      method: token,
      target,
      timestamp: fc.nat().map(String),
      nonce: fc.uuid(),
      body: fc.string(),
    });
    fc.assert(
      fc.property(parts, parts, (one, other) => {
        const payloads = [one, other].map((request) => {
          const uri = canonicalUris(request.target)?.sent ?? "/";
          return { uri, text: payloadHead({ ...request, uri }) + request.body };
        });
        const [first, second] = payloads;
        const same =
          one.method === other.method &&
          first?.uri === second?.uri &&
          one.timestamp === other.timestamp &&
          one.nonce === other.nonce &&
          one.body === other.body;
        expect(first?.text === second?.text).toBe(same);
      }),
    );
  });
});

describe("sign", () => {
  it("is the hex HMAC-SHA256 of the payload, in UTF-8", async () => {
    const parts = { method: "POST", uri: "/api/v1/orders/tx", timestamp: "1", nonce: "n" };
    const body = '{"note":"é漢"}';
    const expected = createHmac("sha256", "sécret").update(`POST\n/api/v1/orders/tx\n1\nn\n${body}`, "utf8");
    expect(await sign("sécret", parts, body)).toBe(expected.digest("hex"));
  });
});
