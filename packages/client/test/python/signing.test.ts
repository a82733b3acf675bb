import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { describeWhere } from "../../../../test/support/program/describe-where.ts";
import { sentVectors, targetOf, vectors } from "../vectors.ts";
import { type Python, startPython } from "./driver.ts";

describeWhere("python3", "the Python client, without a server", () => {
  let python: Python;
  beforeAll(() => {
    python = startPython();
  });
  afterAll(() => python.close());

  it("signs as the vectors do", async () => {
    for (const { method, uri, timestamp, nonce, body, sign } of vectors.cases)
      expect(await python.ask("sign", vectors.secret, method, uri, timestamp, nonce, body)).toEqual({
        value: sign,
      });
  });

  it("makes the canonical URI of every vector that a server takes in the form in which it is sent", async () => {
    expect(sentVectors.length).toBeGreaterThan(8);
    for (const vector of sentVectors) {
      const query = targetOf(vector).split("?")[1];
      expect(await python.ask("canonical_uri", vector.path, query)).toEqual({ value: vector.uri });
    }
  });

  it.each([
    ["/orders", { status: "Partial filled", limit: 5 }, "/api/v1/orders?limit=5&status=Partial%20filled"],
    // By name: as whole pairs, "a-b=1" would come before "a=1".
    ["/api/v1/orders", { "a-b": "1", a: "1" }, "/api/v1/orders?a=1&a-b=1"],
    ["/events", { types: ["order.*", "send.*"], after: null }, "/api/v1/events?types=order.%2A%2Csend.%2A"],
    ["/orders", { from: "é&=+" }, "/api/v1/orders?from=%C3%A9%26%3D%2B"],
    ["/symbols", {}, "/api/v1/symbols"],
  ])("canonical_uri(%j, %j)", async (path, query, uri) => {
    expect(await python.ask("canonical_uri", path, query)).toEqual({ value: uri });
  });

  it.each([
    "/orders/../key",
    "/orders?limit=1",
    "orders",
    "/orders/a b",
    "/orders/%2e%2e",
    "//orders",
    "/orders#x",
  ])("refuses the path %j, so that no value can lead to another endpoint", async (path) => {
    expect(await python.ask("canonical_uri", path, null)).toMatchObject({ error: "ValueError" });
  });

  const SECRET = `whsec_${Buffer.from("a secret of twenty-four b").toString("base64")}`;
  const body = '{"type":"order.filled","data":{"price":180.5,"note":"é漢"}}';
  const nowS = () => Math.floor(Date.now() / 1000);
  const headersOf = (secret: string, timestampS: number, signed = body) => ({
    "Webhook-Id": "d-1",
    "Webhook-Timestamp": String(timestampS),
    "Webhook-Signature": new Webhook(secret).sign("d-1", new Date(timestampS * 1000), signed),
  });
  const OTHER = `whsec_${Buffer.from("another secret of twenty").toString("base64")}`;
  const verify = (secret: unknown, headers: object, sent = body) =>
    python.ask("verify_webhook", secret, headers, Buffer.from(sent).toString("base64"));

  it("verifies what the library of Standard Webhooks signs, and reads numbers exactly", async () => {
    expect(await verify(SECRET, headersOf(SECRET, nowS()))).toEqual({
      value: { type: "order.filled", data: { price: "180.5", note: "é漢" } },
    });
    // While a secret is rotated: several signatures, or several secrets.
    const headers = headersOf(OTHER, nowS());
    const both = { ...headers, "Webhook-Signature": `v1a,AAAA ${headers["Webhook-Signature"]} v1,` };
    expect(await verify([SECRET, OTHER], both)).toHaveProperty("value.type", "order.filled");
  });

  it("refuses a webhook with another secret, body, time, version or without a header", async () => {
    const good = headersOf(SECRET, nowS());
    const refused = { error: "WebhookVerificationError" };
    expect(await verify(OTHER, good)).toMatchObject(refused);
    expect(await verify(SECRET, good, `${body} `)).toMatchObject(refused);
    for (const seconds of [nowS() - 301, nowS() + 305])
      expect({ seconds, answer: await verify(SECRET, headersOf(SECRET, seconds)) }).toMatchObject({
        seconds,
        answer: refused,
      });
    for (const value of ["", "v1,", "v2,AAAA", good["Webhook-Signature"].replace("v1,", "v1a,")])
      expect({ value, answer: await verify(SECRET, { ...good, "Webhook-Signature": value }) }).toMatchObject({
        value,
        answer: refused,
      });
    for (const timestamp of ["soon", "-1", "1e9", "٣"])
      expect({
        timestamp,
        answer: await verify(SECRET, { ...good, "Webhook-Timestamp": timestamp }),
      }).toMatchObject({ timestamp, answer: refused });
    expect(await verify(SECRET, { ...good, "Webhook-Id": "d-2" })).toMatchObject(refused);
    // An empty secret would verify any signature.
    for (const secret of ["", "whsec_", "whsec_not base64"])
      expect({ secret, answer: await verify(secret, good) }).toMatchObject({
        secret,
        answer: { error: "ValueError" },
      });
  });

  it("names the environment variable of a setting that is missing", async () => {
    const script = "from partner_trading import PartnerTrading; PartnerTrading()";
    const environment = {
      PATH: process.env.PATH,
      PYTHONPATH: "packages/client/python",
      PYTHONDONTWRITEBYTECODE: "1",
      PARTNER_TRADING_BASE_URL: "https://api.example.com",
    };
    await expect(promisify(execFile)("python3", ["-c", script], { env: environment })).rejects.toThrow(
      "api_key is missing: pass it, or set the environment variable PARTNER_TRADING_API_KEY",
    );
  });
});
