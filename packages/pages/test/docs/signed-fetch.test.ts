import { describe, expect, it } from "@jest/globals";
import { payloadHead, sign } from "../../../../src/protocol/signing.ts";
import { hintFor } from "../../src/docs/hint.ts";
import { signedFetch } from "../../src/docs/signed-fetch.ts";

const CREDENTIALS = { apiKey: "pk_1", apiSecret: "sk_1", chainId: "1", productType: "Stocks" };
const base = new URL("https://api.example/trading/");

/** Returns a fetch that answers everything with an empty object, and its requests. */
function watchedFetch(credentials: typeof CREDENTIALS | null = CREDENTIALS) {
  const sent: Request[] = [];
  const send = async (input: RequestInfo | URL, init?: RequestInit) => {
    sent.push(new Request(input, init));
    return Response.json({});
  };
  const fetchSigned = signedFetch({ send, base, credentials: () => credentials });
  return { sent, fetchSigned };
}

/** Returns the signature that a request must have. */
async function expected(request: Request, uri: string, body = "") {
  const { headers, method } = request;
  const parts = {
    method,
    uri,
    timestamp: headers.get("x-api-ts") ?? "",
    nonce: headers.get("x-api-nonce") ?? "",
  };
  expect(payloadHead(parts)).toMatch(/^[A-Z]+\n\/api\/v1\/\S+\n\d{13}\n[0-9a-f-]{36}\n$/);
  return sign(CREDENTIALS.apiSecret, parts, body);
}

describe("a request to the API", () => {
  it("is signed by its query in sorted order and without the deployment's prefix", async () => {
    const { sent, fetchSigned } = watchedFetch();
    await fetchSigned(new Request(`${base}api/v1/orders?status=New&limit=5`));
    const [request] = sent;
    if (!request) throw new Error("nothing was sent");
    expect(request.url).toBe(`${base}api/v1/orders?status=New&limit=5`);
    expect(request.headers.get("x-api-sign")).toBe(
      await expected(request, "/api/v1/orders?limit=5&status=New"),
    );
    expect(Object.fromEntries(request.headers)).toMatchObject({
      "x-api-key": "pk_1",
      "x-api-chain-id": "1",
      "x-api-p": "Stocks",
    });
    expect(JSON.stringify([request.url, [...request.headers]])).not.toContain(CREDENTIALS.apiSecret);
  });

  it("is signed by its body as it is sent", async () => {
    const { sent, fetchSigned } = watchedFetch();
    const body = '{"notional":"1.10",  "symbol":"é"}';
    await fetchSigned(`${base}api/v1/orders/calldata`, { method: "POST", body });
    const [request] = sent;
    if (!request) throw new Error("nothing was sent");
    expect(await request.clone().text()).toBe(body);
    expect(request.headers.get("x-api-sign")).toBe(await expected(request, "/api/v1/orders/calldata", body));
  });

  it("is not sent without credentials", async () => {
    const { sent, fetchSigned } = watchedFetch(null);
    await expect(fetchSigned(`${base}api/v1/key`)).rejects.toThrow("Enter your API key");
    expect(sent).toEqual([]);
  });
});

it.each([
  `${base}openapi.json`,
  "https://elsewhere.example/trading/api/v1/key",
  "https://api.example/api/v1/key",
])("anything else is passed on unsigned: %s", async (url) => {
  const { sent, fetchSigned } = watchedFetch();
  await fetchSigned(url);
  expect([...(sent[0]?.headers.keys() ?? [])].filter((name) => name.startsWith("x-api-"))).toEqual([]);
});

describe("the hint", () => {
  const unauthorized = { code: 401, errMsg: "Unauthorized", data: null, t: 1_000_000 };

  it("is the sandbox's cause, where there is one", async () => {
    const headers = { "x-sandbox-auth-cause": "nonce used" };
    expect(await hintFor(Response.json(unauthorized, { headers }), 0)).toContain("nonce used");
  });

  it("elsewhere lists what to check, with the difference of the clocks", async () => {
    expect(await hintFor(Response.json(unauthorized), 1_050_000)).toContain("50000 ms from the service's");
  });

  it.each([
    ["a success", Response.json({ code: 200, data: {} })],
    ["another failure", Response.json({ code: 10000 })],
    ["what is no JSON", new Response("event: x\n\n")],
  ])("is none for %s", async (_what, response) => {
    expect(await hintFor(response, 0)).toBeNull();
  });
});
