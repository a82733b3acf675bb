import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "@jest/globals";
import { operations } from "../../../test/support/http/openapi.ts";
import { generateClient } from "../../../tools/generate-client.ts";
import { PartnerTrading } from "../src/index.ts";
import { prepare } from "../src/request.ts";

const DIRECTORY = fileURLToPath(new URL("../src/generated/", import.meta.url));
const client = new PartnerTrading({
  baseUrl: "http://127.0.0.1",
  apiKey: "pk",
  apiSecret: "sk",
  chainId: 1,
  productType: "Sandbox",
});

describe("the generated part of the client library", () => {
  it("is what `npm run client:generate` writes now", async () => {
    for (const [name, written] of Object.entries(await generateClient())) {
      const isCurrent = readFileSync(DIRECTORY + name, "utf8") === written;
      expect(isCurrent ? "current" : "run `npm run client:generate`").toBe("current");
    }
  });

  it("takes no amount as a number, which would have been rounded before it is sent", () => {
    const types = readFileSync(`${DIRECTORY}types.ts`, "utf8");
    expect(types).toMatch(/notional\?: string;/);
    expect(types).not.toMatch(/string \| number|number \| string/);
  });

  it("has a method for every operation of the document in Python, too", () => {
    const module = readFileSync(`${DIRECTORY}../../python/partner_trading.py`, "utf8");
    for (const { method, path, spec } of operations) {
      // A stream has a class of its own.
      if (path.endsWith("/stream")) continue;
      expect(module).toContain(`"""${spec.summary}. ${method} ${path.slice("/api/v1".length)}"""`);
    }
  });

  it("has a method for every operation of the document", () => {
    expect(operations.length).toBeGreaterThan(40);
    for (const { spec } of operations) {
      const names: string[] = String(spec["x-client-method"]).split(".");
      const found = names.reduce<unknown>((object, name) => Reflect.get(Object(object), name), client);
      expect([names, typeof found]).toEqual([names, "function"]);
    }
  });

  it("gives an Idempotency-Key to exactly the operations that take one", () => {
    const parameter = "#/components/parameters/IdempotencyKey";
    for (const { method, path, spec } of operations) {
      const takesKey = JSON.stringify(spec.parameters ?? []).includes(parameter);
      const { idempotencyKey } = prepare(method as "GET", path.replaceAll(/\{\w+\}/g, "0x1"), {}, {});
      expect([method, path, idempotencyKey !== null]).toEqual([method, path, takesKey]);
    }
  });
});
