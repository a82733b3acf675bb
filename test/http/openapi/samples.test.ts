import { describe, expect, it } from "@jest/globals";
import { curlSample } from "../../../src/http/openapi/samples/curl.ts";
import { codeSamples } from "../../../src/http/openapi/samples/index.ts";
import { operations } from "../../support/http/openapi.ts";
import { type Language, samplesIn } from "../../support/samples/samples.ts";

const LANGUAGES: readonly Language[] = ["TypeScript", "Python", "curl"];

describe("the samples of the document", () => {
  it.each(LANGUAGES)("are there for every operation in %s, each another", (language) => {
    const samples = samplesIn(language);
    expect(samples.map(({ id }) => id)).toEqual(operations.map(({ spec }) => spec["x-client-method"]));
    expect(new Set(samples.map(({ source }) => source)).size).toBe(operations.length);
  });

  it("call the operation that they are of, with no parameter left open", () => {
    const lines = operations.map(({ method, path, spec }) => {
      const [typescript, python, curl] = LANGUAGES.map((language) =>
        String(samplesIn(language).find(({ id }) => id === spec["x-client-method"])?.source),
      );
      const target = /^uri='([^'?]*)/m.exec(curl ?? "")?.[1] ?? "";
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[\\w-]+")}$`);
      const [group, called] = String(spec["x-client-method"]).split(".");
      const isStream = called === "stream";
      const verb = isStream ? group : method.toLowerCase();
      return {
        target: pattern.test(target) ? path : target,
        curl: curl?.includes(`-X ${method} `),
        typescript: typescript?.includes(`await trading.${spec["x-client-method"]}(`) || isStream,
        python: python?.includes(` trading.${verb}(`),
      };
    });
    expect(lines).toEqual(
      operations.map(({ path }) => ({ target: path, curl: true, typescript: true, python: true })),
    );
  });

  it("name variables of the environment where credentials belong", () => {
    for (const { source } of LANGUAGES.flatMap(samplesIn)) {
      expect(source).toContain("PARTNER_TRADING_BASE_URL");
      expect(source).not.toMatch(/\b[ps]k_|undefined|\[object|NaN/);
    }
  });
});

const input = (name: string, example: unknown) => ({
  name,
  example,
  required: true,
  schema: {},
  description: "",
});
const parts = {
  method: "GET",
  path: "/things/:thingId/parts",
  clientMethod: "things.parts",
  inPath: [input("thingId", "t-1")],
  others: [input("types", "x"), input("cursor", "c"), input("limit", 1)],
  body: null,
};

it("a sample shows what is given often, in the order that is signed, and nothing that narrows by an id", () => {
  const [typescript, python, curl] = codeSamples(parts).map(({ source }) => String(source));
  expect(typescript).toContain('trading.things.parts("t-1", { limit: 20, types: "order.*" })');
  expect(python).toContain('trading.get("/things/t-1/parts", {"limit": 20, "types": "order.*"})');
  expect(curl).toContain("uri='/api/v1/things/t-1/parts?limit=20&types=order.*'\n");
});

it("a send by curl has its Idempotency-Key, and sends the body that it signs", () => {
  const call = {
    method: "POST",
    path: "/things",
    clientMethod: "things.send",
    isStream: false,
    isSend: true,
  };
  const source = curlSample({ ...call, pathValues: [], query: {}, body: { amount: "1" } });
  expect(source).toContain("-H 'idempotency-key: things.send-1'");
  expect(source).toContain('body=\'{"amount":"1"}\'\n');
  expect(source).toContain('--data-raw "$body"');
});
