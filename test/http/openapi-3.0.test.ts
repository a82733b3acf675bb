import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { z } from "zod";
import { ROOT } from "../../src/config/root.ts";
import { printDocument } from "../../src/http/openapi/document.ts";
import { toOpenApi30 } from "../../src/http/openapi/three-zero.ts";
import { openApi } from "../support/http/openapi.ts";

/** The document in OpenAPI 3.0: the same operations, in words that its schemas may use. */
const FILE = `${ROOT}docs/openapi-3.0.json`;
const text = readFileSync(FILE, "utf8");
const operationsOf = (document: unknown) => {
  const operation = z.object({ operationId: z.string(), summary: z.string() });
  const { paths } = z
    .object({ paths: z.record(z.string(), z.record(z.string(), operation)) })
    .parse(document);
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { operationId, summary }]) => [method, path, operationId, summary]),
  );
};

it("is what `npm run openapi` writes now", () => {
  expect(text === printDocument(toOpenApi30(openApi)) ? "current" : "run `npm run openapi`").toBe("current");
});

it("has the operations of the document in 3.1, and meets Redocly's recommended rules, with its examples", async () => {
  expect(operationsOf(JSON.parse(text))).toEqual(operationsOf(openApi));
  const config = await createConfig({
    extends: ["recommended"],
    rules: { "no-invalid-media-type-examples": "error", "no-ambiguous-paths": "off" },
  });
  const found = await lintFromString({ source: text, absoluteRef: FILE, config });
  expect(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
});

it("has no keyword that 3.0 lacks, and no enum that may get values", () => {
  const lacking = ["const", "examples", "unevaluatedProperties", "$defs"];
  const found: string[] = [];
  walk(
    z.object({ components: z.object({ schemas: z.looseObject({}) }) }).parse(JSON.parse(text)).components
      .schemas,
    (node) => {
      found.push(...lacking.filter((keyword) => keyword in node && typeof node.properties !== "object"));
      if (Array.isArray(node.type) || node.type === "null") found.push(JSON.stringify(node.type));
      if (node["x-extensible"] === true && node.enum !== undefined) found.push(JSON.stringify(node.enum));
    },
  );
  expect(found).toEqual([]);
});

function walk(node: unknown, visit: (node: Record<string, unknown>) => void): void {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) visit({ ...node });
  for (const value of Object.values(node)) walk(value, visit);
}
