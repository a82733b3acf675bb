import { expect, it } from "@jest/globals";
import { parseEnv } from "../../src/config/env.ts";
import { formatRange } from "../../src/config/ip-range.ts";

const KEY = `a:${"0".repeat(64)}`;
const API = {
  DATABASE_URL: "postgresql://127.0.0.1/test",
  DEPLOYMENTS_FILE: "deployments.json",
  MASTER_KEYS: KEY,
  ATTRIBUTION_KEYS: KEY,
  WEBHOOK_KEYS: KEY,
  MARKET_DATA_PROVIDER: "sandbox",
  MARKET_DATA_URL: "http://127.0.0.1:1",
};

it("takes an empty variable for one that is not set", () => {
  const empty = Object.fromEntries(
    [
      "HOST",
      "PORT",
      "LOG_LEVEL",
      "RATE_LIMIT_READS",
      "RATE_LIMIT_WRITES",
      "RATE_LIMIT_IN_FLIGHT",
      "RATE_LIMIT_FAILURES",
      "TRUSTED_PROXIES",
      "DATABASE_POOL_MAX",
      "DASHBOARD_TOKENS",
      "PATH_PREFIX",
      "ALPACA_KEY_ID",
      "ALPACA_FEED",
      "NODE_ENV",
    ].map((name) => [name, ""]),
  );
  expect(parseEnv("api", { ...API, ...empty })).toEqual(parseEnv("api", API));
  expect(parseEnv("api", { ...API, ...empty })).toMatchObject({ HOST: "127.0.0.1", RATE_LIMIT_READS: 5_000 });
  const worker = { ...API, SENDER_KEYS: "", SENDER_KEYS_FILE: "keys" };
  expect(parseEnv("worker", worker)).not.toHaveProperty("SENDER_KEYS");
});

it("says of each missing variable that it is required, and of a wrong one what it must be", () => {
  expect(() => parseEnv("api", { DATABASE_URL: "mysql://h", MASTER_KEYS: "" })).toThrow(
    [
      "the environment of api is not valid:",
      "  DATABASE_URL: must be a postgresql:// URL",
      "  DEPLOYMENTS_FILE: is required",
      "  MASTER_KEYS: is required",
      "  ATTRIBUTION_KEYS: is required",
      "  WEBHOOK_KEYS: is required",
      "  MARKET_DATA_PROVIDER: is required",
    ].join("\n"),
  );
});

it("takes the public URL of the documentation, with or without its last slash", () => {
  const docsUrl = (DOCS_URL: string) => parseEnv("api", { ...API, DOCS_URL }).DOCS_URL;
  expect(docsUrl("https://api.example.com/docs/")).toBe("https://api.example.com/docs");
  expect(docsUrl("https://api.example.com/docs")).toBe("https://api.example.com/docs");
  expect(docsUrl("")).toBeUndefined();
  expect(() => docsUrl("javascript:alert(1)")).toThrow("DOCS_URL: must be an http or https URL");
});

it("takes a short name and one of some colours for dashboards", () => {
  const environment = (variables: object) => parseEnv("api", { ...API, ...variables });
  expect(environment({})).toMatchObject({ ENVIRONMENT_NAME: "", ENVIRONMENT_COLOUR: "grey" });
  expect(environment({ ENVIRONMENT_NAME: "staging 2", ENVIRONMENT_COLOUR: "red" })).toMatchObject({
    ENVIRONMENT_NAME: "staging 2",
    ENVIRONMENT_COLOUR: "red",
  });
  expect(() => environment({ ENVIRONMENT_NAME: "<b>" })).toThrow("ENVIRONMENT_NAME: has at most 24 letters");
  expect(() => environment({ ENVIRONMENT_COLOUR: "pink" })).toThrow("ENVIRONMENT_COLOUR");
});

it("asks a command for nothing that it does not use", () => {
  const { DATABASE_URL, DEPLOYMENTS_FILE } = API;
  expect(parseEnv("cli", { DATABASE_URL })).toEqual({ DATABASE_URL });
  expect(parseEnv("cli wallets", { DATABASE_URL, DEPLOYMENTS_FILE })).toEqual({
    DATABASE_URL,
    DEPLOYMENTS_FILE,
  });
  expect(() => parseEnv("cli keys", { DATABASE_URL, DEPLOYMENTS_FILE })).toThrow("MASTER_KEYS: is required");
});

it("takes proxies by address, range or name, and says what to write where they are counted", () => {
  const proxiesOf = (TRUSTED_PROXIES: string) =>
    parseEnv("api", { ...API, TRUSTED_PROXIES }).TRUSTED_PROXIES.ranges.map(formatRange);
  expect(proxiesOf("10.0.0.5, 10.1.0.0/16,2001:db8::/32,")).toEqual([
    "10.0.0.5",
    "10.1.0.0/16",
    "2001:db8::/32",
  ]);
  expect(parseEnv("api", API).TRUSTED_PROXIES).toEqual({ ranges: [], names: [] });
  expect(
    parseEnv("api", { ...API, TRUSTED_PROXIES: "proxies.ingress.svc,proxy" }).TRUSTED_PROXIES.names,
  ).toEqual(["proxies.ingress.svc", "proxy"]);
  for (const count of ["0", "1", "2"]) {
    expect(() => proxiesOf(count)).toThrow(
      "TRUSTED_PROXIES: names the proxies by address, CIDR range or host name",
    );
  }
  // The last two would trust whoever connects.
  for (const wrong of ["10.0.0.256", "10.0.0.5:80", "proxy:80", "10.0.0.5/8", "0.0.0.0/0", "::/0"]) {
    expect(() => proxiesOf(`10.0.0.1,${wrong}`)).toThrow(
      "TRUSTED_PROXIES: must be addresses, CIDR ranges or host names",
    );
  }
});

it.each(["api", "deliverer"] as const)("takes WEBHOOK_LOOPBACK of a development's %s alone", (program) => {
  const loopback = { ...API, WEBHOOK_LOOPBACK: "on" };
  expect(parseEnv(program, API).WEBHOOK_LOOPBACK).toBe(false);
  expect(parseEnv(program, { ...loopback, NODE_ENV: "development" }).WEBHOOK_LOOPBACK).toBe(true);
  for (const NODE_ENV of ["production", ""]) {
    expect(() => parseEnv(program, { ...loopback, NODE_ENV })).toThrow(
      "WEBHOOK_LOOPBACK: is for a sandbox alone",
    );
  }
});

it("takes several URLs of replicas, and shows none of them where one is wrong", () => {
  const parse = (urls: string) => parseEnv("api", { ...API, DATABASE_READ_URLS: urls }).DATABASE_READ_URLS;
  expect({ empty: parse(""), comma: parse(" , ") }).toEqual({ empty: [], comma: [] });
  const one = "postgresql://reader:secret@one:5432/trading";
  expect(parse(`${one}, postgres://two/trading,`)).toEqual([one, "postgres://two/trading"]);
  for (const wrong of [`${one},https://two`, `${one},two`, `${one},${one}`]) {
    expect(() => parse(wrong)).toThrow(/DATABASE_READ_URLS: must (?!.*secret)/);
  }
});

it("takes the ids of chains that an indexer follows, and nothing else in their place", () => {
  const parse = (ids: string) => parseEnv("indexer", { ...API, INDEXER_CHAINS: ids }).INDEXER_CHAINS;
  expect({ none: parse(""), one: parse("1"), two: parse("1,31337") }).toEqual({
    none: undefined,
    one: [1],
    two: [1, 31337],
  });
  for (const wrong of ["1,", "1, 2", "mainnet", "-1", "1.5"])
    expect(() => parse(wrong)).toThrow("INDEXER_CHAINS: must be chain ids, comma separated");
});

it("gives the deliverer keys of webhooks, and no other: it needs neither chains nor their nodes", () => {
  const { DATABASE_URL, WEBHOOK_KEYS } = API;
  const env = parseEnv("deliverer", { ...API, SENDER_KEYS: "0x1" });
  expect(parseEnv("deliverer", { DATABASE_URL, WEBHOOK_KEYS })).toMatchObject({ PORT: 8084 });
  for (const name of ["MASTER_KEYS", "ATTRIBUTION_KEYS", "SENDER_KEYS"]) expect(env).not.toHaveProperty(name);
  expect(parseEnv("worker", API)).not.toHaveProperty("WEBHOOK_KEYS");
  const sandbox = { DATABASE_URL, WEBHOOK_KEYS, WEBHOOK_LOOPBACK: "on", NODE_ENV: "development" };
  expect(() => parseEnv("deliverer", sandbox)).toThrow(
    "DEPLOYMENTS_FILE: is required with WEBHOOK_LOOPBACK=on",
  );
});
