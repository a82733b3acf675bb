import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { API_SECRET, startFakeService, success } from "./fake-service.ts";
import { sentVectors, vectors } from "./vectors.ts";

afterEach(() => {
  jest.restoreAllMocks();
});

describe("a request of the client", () => {
  // The client writes JSON and encodes the query itself, so it can only produce some of the vectors.
  const cases = sentVectors.filter(
    ({ body, query }) => query !== undefined && (body === "" || body === JSON.stringify(JSON.parse(body))),
  );

  it("is signed as the independent vectors say", async () => {
    expect(cases.length).toBeGreaterThan(5);
    for (const { method, path, query, timestamp, nonce, body, uri, sign } of cases) {
      jest
        .spyOn(globalThis.crypto, "randomUUID")
        .mockReturnValue(nonce as ReturnType<typeof crypto.randomUUID>);
      const options = { apiSecret: vectors.secret, clock: () => Number(timestamp) };
      const { trading, sent } = startFakeService([success(null)], options);
      await trading.request(method as "GET", path, {
        query: Object.fromEntries((query ?? []).map(([name, value]) => [name, decodeURIComponent(value)])),
        ...(body && { body: JSON.parse(body) }),
      });
      const [request] = sent;
      expect([request?.url.pathname + (request?.url.search ?? ""), request?.body]).toEqual([uri, body]);
      expect(request?.headers.get("x-api-sign")).toBe(sign);
    }
  });

  it("is sent with the query sorted, exactly as it is signed, and without the deployment's prefix in what is signed", async () => {
    const { trading, sent } = startFakeService([success({ rows: [], nextCursor: null })], {
      baseUrl: "https://api.example.com/trading/api/v1/",
    });
    await trading.orders.list({ status: "Partial filled", limit: 5, symbol: "BRK.B&x", from: undefined });
    const { url, headers, redirect } = sent[0] ?? {};
    expect(redirect).toBe("error");
    const uri = "/api/v1/orders?limit=5&status=Partial%20filled&symbol=BRK.B%26x";
    expect(url?.href).toBe(`https://api.example.com/trading${uri}`);
    const payload = ["GET", uri, headers?.get("x-api-ts"), headers?.get("x-api-nonce"), ""].join("\n");
    expect(headers?.get("x-api-sign")).toBe(createHmac("sha256", API_SECRET).update(payload).digest("hex"));
    expect(Object.fromEntries(headers ?? [])).toMatchObject({
      "x-api-key": "pk_test_1",
      "x-api-chain-id": "31337",
      "x-api-p": "Sandbox",
    });
  });

  it("never leads to another endpoint by an argument", async () => {
    const { trading, sent } = startFakeService([success(null)]);
    for (const value of [
      "../key",
      "..",
      ".",
      "",
      "a/b",
      "a?b=1",
      "a%2fb",
      "é",
      undefined as unknown as string,
    ]) {
      expect(() => trading.orders.get(value)).toThrow(/cannot stand in a path/);
    }
    await expect(trading.request("GET", "/orders/../key")).rejects.toThrow(TypeError);
    await expect(trading.request("GET", "/orders?limit=1", { query: { limit: 2 } })).rejects.toThrow(
      TypeError,
    );
    expect(sent).toEqual([]);
  });
});
