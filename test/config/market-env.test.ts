import { describe, expect, it } from "@jest/globals";
import { parseEnv } from "../../src/config/env.ts";

const base = {
  DATABASE_URL: "postgresql://127.0.0.1/test",
  DEPLOYMENTS_FILE: "deployments.json",
  MASTER_KEYS: `a:${"0".repeat(64)}`,
  ATTRIBUTION_KEYS: `a:${"0".repeat(64)}`,
  WEBHOOK_KEYS: `a:${"0".repeat(64)}`,
};
const alpaca = { MARKET_DATA_PROVIDER: "alpaca", ALPACA_KEY_ID: "PK1", ALPACA_SECRET_KEY: "the-secret" };

describe("the market data provider's variables", () => {
  it("is named: none is chosen silently, whatever else is set", () => {
    for (const more of [{}, { MARKET_DATA_URL: "http://127.0.0.1:1" }, { MARKET_DATA_PROVIDER: "" }]) {
      expect(() => parseEnv("api", { ...base, ...more })).toThrow("MARKET_DATA_PROVIDER: is required");
    }
  });

  it("asks for what the provider needs, and for nothing of the other", () => {
    const sandbox = { MARKET_DATA_PROVIDER: "sandbox", MARKET_DATA_URL: "http://127.0.0.1:1" };
    expect(parseEnv("api", { ...base, ...sandbox })).toMatchObject(sandbox);
    expect(parseEnv("api", { ...base, ...alpaca })).toMatchObject({
      ALPACA_DATA_URL: "https://data.alpaca.markets",
      ALPACA_TRADING_URL: "https://paper-api.alpaca.markets",
      ALPACA_FEED: "iex",
    });
  });

  it("names what is missing or wrong, and never a value", () => {
    expect(() => parseEnv("api", { ...base, MARKET_DATA_PROVIDER: "sandbox" })).toThrow(
      "MARKET_DATA_URL: is required with MARKET_DATA_PROVIDER=sandbox",
    );
    const wrong = { ...base, ...alpaca, ALPACA_KEY_ID: undefined, ALPACA_FEED: "the-secret" };
    expect(() => parseEnv("api", wrong)).toThrow(/ALPACA_FEED/);
    expect(() => parseEnv("api", wrong)).not.toThrow(/: the-secret/);
    const { ALPACA_SECRET_KEY: _secret, ...half } = alpaca;
    expect(() => parseEnv("api", { ...base, ...half })).toThrow(
      "ALPACA_SECRET_KEY: is required with MARKET_DATA_PROVIDER=alpaca",
    );
  });
});
