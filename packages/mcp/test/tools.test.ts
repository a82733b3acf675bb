import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import { ROOT } from "../../../src/config/root.ts";
import { operations } from "../../../test/support/http/openapi.ts";
import { TOOLS as tools, toolsOf } from "../src/tools.ts";

const document = JSON.parse(readFileSync(`${ROOT}docs/openapi.json`, "utf8"));

describe("the tools", () => {
  it("are all operations but the streams, and those that answer a secret", () => {
    const named = new Set(tools.map(({ method, path }) => `${method} /api/v1${path}`));
    const missing = operations
      .map(({ method, path }) => `${method} ${path}`)
      .filter((operation) => !named.has(operation));
    expect(missing.sort()).toEqual([
      "GET /api/v1/events/stream",
      "GET /api/v1/prices/stream",
      "POST /api/v1/key/rotate",
      "POST /api/v1/webhooks",
      "POST /api/v1/webhooks/{webhookId}/rotate",
    ]);
  });

  it("have names and descriptions of the document, and its fields", () => {
    const { post } = document.paths["/api/v1/orders/send"];
    const tool = tools.find(({ name }) => name === post.operationId);
    expect(tool).toMatchObject({ title: post.summary, description: post.description, isSend: true });
    const { properties, required } = document.components.schemas.OrdersSendInput;
    expect(tool?.inputSchema.required).toEqual(required);
    expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual([
      "idempotencyKey",
      ...Object.keys(properties),
    ]);
    expect(tool?.inputSchema.properties).toMatchObject({
      side: properties.side,
      deadline: properties.deadline,
      notional: { type: "string", pattern: properties.notional.pattern },
    });
  });

  it("take every amount as a string alone, and refer to nothing", () => {
    const schemas = JSON.stringify(tools.map(({ inputSchema }) => inputSchema));
    expect(schemas).not.toContain('"$ref"');
    expect(schemas).not.toContain('["string","number"]');
    for (const { name, inputSchema } of tools)
      expect({ name, isPlain: !("anyOf" in inputSchema || "oneOf" in inputSchema) }).toEqual({
        name,
        isPlain: true,
      });
  });

  it("refuse an operation two of whose fields share a name", () => {
    const changed = structuredClone(document);
    changed.paths["/api/v1/orders/{orderId}/send"].delete.parameters[0].name = "gasLimit";
    expect(() => toolsOf(changed)).toThrow("two fields of DELETE /orders/{orderId}/send share a name");
  });
});
