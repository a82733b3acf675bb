import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { ROOT } from "../../../../src/config/root.ts";
import { environmentOf, partnerCommand } from "../../../../test/support/program/partner-command.ts";
import { signRequest } from "../../src/cli/signed-request.ts";

const KEY = {
  apiKey: "pk_test",
  apiSecret: "sk_test_5f1d9c0b7e2a4c6d",
  chainId: 31337,
  productType: "Sandbox",
};
/** Nothing listens there: the clock is unknown, and the command reports that. */
const env = environmentOf("http://127.0.0.1:9", KEY);
const TS = "1795226400000";
const NONCE = "3f2b8a4e-6c1d-4b7a-9e5f-00000000000a";
const GET = ["GET", "/orders", "status=New", "limit=5"];
const GET_URI = "/api/v1/orders?limit=5&status=New";
const BODY = '{"symbol":"AAPL","side":"Buy"}';
const POST = ["POST", "/orders/send", "-"];
const right = (method: string, uri: string, body = "") => [method, uri, TS, NONCE, body];
const rightGet = right("GET", GET_URI);
const hmac = (payload: string, secret = KEY.apiSecret) => createHmac("sha256", secret).update(payload);

const sign = (request: string[], ...options: string[]) =>
  partnerCommand(["sign", ...request, ...options], { env, stdin: BODY });

const withUri = (uri: string) => right("GET", uri).join("\n");
const withBody = (body: string) => right("POST", "/api/v1/orders/send", body).join("\n");

const WRONG_GETS: [string, string][] = [
  ["the two characters \\ and n", rightGet.join("\\n")],
  ["another order than by name", withUri("/api/v1/orders?status=New&limit=5")],
  ["without /api/v1", withUri("/orders?limit=5&status=New")],
  ["leaves out the newline before an empty body", rightGet.slice(0, 4).join("\n")],
  ["timestamp in seconds", ["GET", GET_URI, TS.slice(0, 10), NONCE, ""].join("\n")],
  ["method in lower case", ["get", ...rightGet.slice(1)].join("\n")],
  ["path without its query", withUri("/api/v1/orders")],
  ["the whole URL", withUri(`http://127.0.0.1:9${GET_URI}`)],
  ["carriage return and newline", rightGet.join("\r\n")],
  ["newline at the end", `${rightGet.join("\n")}\n`],
  ["something else between them", rightGet.join("|")],
  ["nonce before the timestamp", ["GET", GET_URI, NONCE, TS, ""].join("\n")],
  ["nonce otherwise than it is sent", ["GET", GET_URI, TS, NONCE.toUpperCase(), ""].join("\n")],
  ["a body where none is sent", ["GET", GET_URI, TS, NONCE, "{}"].join("\n")],
];
const WRONG_POSTS: [string, string][] = [
  ["serializes the body again", withBody('{"symbol": "AAPL", "side": "Buy"}')],
  ["serializes the body again", withBody('{"side":"Buy","symbol":"AAPL"}')],
  ["signs no body", withBody("")],
  ["a hash of the body", withBody(createHash("sha256").update(BODY).digest("hex"))],
];
const known = ["--timestamp", TS, "--nonce", NONCE];

describe.each([
  ["a GET", GET, WRONG_GETS],
  ["a POST", POST, WRONG_POSTS],
])("the typical mistakes of %s", (_what, request, cases) => {
  it.each(cases)("are named by what was signed, with the first difference: %s", async (mistake, payload) => {
    const { code, err } = await sign(request, "--payload", payload, ...known);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(mistake) });
    expect(err).toContain("The first difference is at character");
    expect(err.match(/The mistake: /g)).toHaveLength(1);
  });

  it.each(cases)("are named by the signature alone: %s", async (mistake, payload) => {
    const { code, err } = await sign(request, "--signature", hmac(payload).digest("hex"), ...known);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(mistake) });
  });
});

it.each([
  ["whitespace behind it", hmac(rightGet.join("\n"), `${KEY.apiSecret}\n`).digest("hex")],
  [
    "decodes the secret as base64",
    createHmac("sha256", Buffer.from(KEY.apiSecret, "base64")).update(rightGet.join("\n")).digest("hex"),
  ],
  ["API key in place of the secret", hmac(rightGet.join("\n"), KEY.apiKey).digest("hex")],
  ["in base64", hmac(rightGet.join("\n")).digest("base64")],
  [
    "plain SHA-256",
    createHash("sha256")
      .update(KEY.apiSecret + rightGet.join("\n"))
      .digest("hex"),
  ],
  ["exchanges the secret and the string", hmac(KEY.apiSecret, rightGet.join("\n")).digest("hex")],
])("names what is wrong with secret or digest: %s", async (mistake, signature) => {
  const { code, err } = await sign(GET, "--signature", signature, ...known);
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(mistake) });
  expect(await sign(GET, "--signature", signature, "--payload", rightGet.join("\n"))).toMatchObject({
    err: expect.stringContaining(mistake),
  });
});

it("names two mistakes at once", async () => {
  const payload = ["GET", "/orders?status=New&limit=5", TS, NONCE, ""].join("\n");
  const { err } = await sign(GET, "--signature", hmac(payload).digest("hex"), ...known);
  expect(err).toContain("another order than by name");
  expect(err).toContain("without /api/v1");
});

it("shows where a string differs that no typical mistake explains", async () => {
  const payload = withUri("/api/v1/orders?limit=6&status=New");
  const { code, err } = await sign(GET, "--payload", payload);
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining("The first difference is at character 26, in line 2 (URI):"),
  });
  expect(err).toContain("No typical mistake");
});

it("says that string and signature are right, in the decoded form as well, and of which case the digits are", async () => {
  const decoded = ["GET", "/api/v1/orders", "status=New,Filled"];
  for (const [request, payload] of [
    [GET, rightGet.join("\n")],
    [decoded, withUri("/api/v1/orders?status=New,Filled")],
  ] as const) {
    const signature = hmac(payload).digest("hex").toUpperCase();
    const { code, out } = await sign([...request], "--payload", payload, "--signature", signature);
    expect({ request, code, out }).toEqual({
      request,
      code: 0,
      out: expect.stringContaining("Your signature is right"),
    });
  }
});

it("wants timestamp and nonce where nothing else tells them", async () => {
  const { code, err } = await sign(GET, "--signature", "00");
  expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("--timestamp and --nonce") });
});

it("shows the string line by line, the query before and after sorting, and what is unknown of the clock", async () => {
  const { code, out } = await sign(GET, "--explain", ...known);
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringContaining("Query as typed   status=New&limit=5\n  sorted by name limit=5&status=New"),
  });
  expect(out).toContain(
    `  2 URI        ${GET_URI}↵\n  3 timestamp  ${TS}↵\n  4 nonce      ${NONCE}↵\n  5 body       (empty`,
  );
  expect(out).toContain(`x-api-sign: ${hmac(rightGet.join("\n")).digest("hex")}`);
  expect(out).toContain("This machine's clock: unknown.");
});

it("never shows the secret, whatever is asked", async () => {
  const outcomes = await Promise.all([
    sign(GET, "--explain"),
    sign(GET, "--signature", hmac("x").digest("hex"), ...known),
    sign(POST, "--payload", `POST\n${KEY.apiSecret.slice(0, 5)}`),
    partnerCommand(["call", "GET", "/key", "--verbose"], { env }),
  ]);
  for (const { out, err } of outcomes) expect(out + err).not.toContain(KEY.apiSecret);
});

const vectors = z
  .object({
    secret: z.string(),
    cases: z.array(
      z.looseObject({
        method: z.enum(["GET", "POST", "DELETE"]),
        path: z.string(),
        query: z.array(z.tuple([z.string(), z.string()])).default([]),
        timestamp: z.string(),
        nonce: z.string(),
        body: z.string(),
        payload: z.string(),
        sign: z.string(),
        accept: z.boolean(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(ROOT, "docs/signing-vectors.json"), "utf8")));

it("signs as the vectors do, wherever they encode the query as the command does", async () => {
  let same = 0;
  for (const { path, sign: expected, payload, accept, ...parts } of vectors.cases) {
    const target = { ...parts, path: path.replace("/api/v1", ""), textFields: [] };
    const signed = await signRequest(
      { ...KEY, apiSecret: vectors.secret, baseUrl: "http://unused", userAddress: null },
      target,
      parts,
    );
    if (signed.payload !== payload || !accept) continue;
    expect(signed.headers["x-api-sign"]).toBe(expected);
    same += 1;
  }
  expect(same).toBeGreaterThan(5);
});
