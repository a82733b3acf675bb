import { afterEach, describe, expect, it } from "@jest/globals";
import { PartnerTrading } from "../src/index.ts";
import { success } from "./fake-service.ts";

const VARIABLES = {
  PARTNER_TRADING_BASE_URL: "http://127.0.0.1:3000/api/v1",
  PARTNER_TRADING_API_KEY: "pk_environment",
  PARTNER_TRADING_API_SECRET: "sk_environment",
  PARTNER_TRADING_CHAIN_ID: "31337",
  PARTNER_TRADING_PRODUCT: "Sandbox",
};
afterEach(() => {
  for (const name of Object.keys(VARIABLES)) delete process.env[name];
});

describe("a client", () => {
  it("is made of the environment, and of what the caller gives before that", async () => {
    Object.assign(process.env, VARIABLES);
    const sent: [string, Headers][] = [];
    const fetch = async (url: unknown, init?: RequestInit) => {
      sent.push([String(url), new Headers(init?.headers)]);
      return success({});
    };
    await new PartnerTrading({ fetch, apiKey: "pk_own", chainId: 1 }).config.get();
    const [[url, headers] = []] = sent;
    expect(url).toBe("http://127.0.0.1:3000/api/v1/config");
    const names = ["x-api-key", "x-api-chain-id", "x-api-p"];
    expect(names.map((name) => headers?.get(name))).toEqual(["pk_own", "1", "Sandbox"]);
  });

  it.each(Object.keys(VARIABLES))("is not made without %s, and says so", (missing) => {
    Object.assign(process.env, VARIABLES, { [missing]: "" });
    expect(() => new PartnerTrading()).toThrow(missing);
  });

  it("is not made of null, which is no value", () => {
    Object.assign(process.env, VARIABLES, { PARTNER_TRADING_API_KEY: "" });
    expect(() => new PartnerTrading({ apiKey: null as never })).toThrow("apiKey is missing");
    delete process.env.PARTNER_TRADING_API_KEY;
    expect(() => new PartnerTrading({ apiKey: null as never })).toThrow("apiKey is missing");
    expect(() => new PartnerTrading()).toThrow("apiKey is missing");
  });

  it("keeps a path before the API's own, and takes that off at the end alone", async () => {
    Object.assign(process.env, VARIABLES);
    const urls: string[] = [];
    const fetch = async (url: unknown) => {
      urls.push(String(url));
      return success({});
    };
    for (const path of ["", "/", "/api/v1", "/api/v1/", "/api/v1/proxy"])
      await new PartnerTrading({ fetch, baseUrl: `https://x.example${path}` }).config.get();
    const own = "https://x.example/api/v1/config";
    expect(urls).toEqual([own, own, own, own, "https://x.example/api/v1/proxy/api/v1/config"]);
  });

  it("is not made of what cannot be right", () => {
    Object.assign(process.env, VARIABLES);
    for (const baseUrl of [
      "api.example.com",
      "ftp://x",
      "shttp://x",
      "https://x?y=1",
      "https://x#y",
      "https://u:p@x",
    ]) {
      expect(() => new PartnerTrading({ baseUrl })).toThrow(/baseUrl/);
    }
    for (const chainId of [0, 1.5, -1, Number.NaN])
      expect(() => new PartnerTrading({ chainId })).toThrow(/chainId/);
  });
});
