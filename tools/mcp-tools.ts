import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { McpTool } from "../packages/mcp/src/tool.ts";
import type { Json } from "./client/operations.ts";

/** `npm run mcp:generate`: writes the tools of packages/mcp from docs/openapi.json. */
const DOCUMENT = fileURLToPath(new URL("../docs/openapi.json", import.meta.url));
const FILE = fileURLToPath(new URL("../packages/mcp/src/generated/tools.json", import.meta.url));
const PREFIX = "/api/v1";
/** Names of fields that are secrets: what answers one is no tool, because a model would read it. */
const SECRET = /secret$/i;
/** Headers that are arguments of a tool, by their names. */
const HEADERS: Readonly<Record<string, string>> = {
  "x-min-block": "minBlock",
  "Idempotency-Key": "idempotencyKey",
};

/** Returns the text of the file. */
export function toolsFile(): string {
  const document: Json = JSON.parse(readFileSync(DOCUMENT, "utf8"));
  return `${JSON.stringify(toolsOf(document), null, 2)}\n`;
}

/** Returns a tool for every operation that answers at once, and no secret. */
export function toolsOf(document: Json): McpTool[] {
  return Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods)
      .filter(([, operation]) => isTool(document, operation))
      .map(([method, operation]) =>
        toolOf(document, method.toUpperCase(), path.slice(PREFIX.length), operation),
      ),
  );
}

function isTool(document: Json, { responses }: Json): boolean {
  const answer = responses["200"].content["application/json"]?.schema;
  return answer !== undefined && !hasSecret(inlined(document, answer));
}

const hasSecret = (schema: Json): boolean =>
  Object.entries<Json>(schema?.properties ?? {}).some(
    ([name, field]) => SECRET.test(name) || hasSecret(field),
  ) || [schema?.items, ...(schema?.anyOf ?? [])].some((part) => part && hasSecret(part));

function toolOf(document: Json, method: string, path: string, operation: Json): McpTool {
  const parameters: Json[] = (operation.parameters ?? []).map((parameter: Json) =>
    parameter.$ref ? document.components.parameters[parameter.$ref.split("/").at(-1)] : parameter,
  );
  const namesOf = (place: string): string[] =>
    parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
  const body = inlined(document, operation.requestBody?.content["application/json"].schema ?? {});
  const sent = parameters.filter(({ in: place, name }) => place !== "header" || HEADERS[name]);
  const fields: [string, Json][] = [
    ...sent.map(({ name, description, schema }): [string, Json] => [
      HEADERS[name] ?? name,
      { ...inlined(document, schema), description },
    ]),
    ...Object.entries<Json>(body.properties ?? {}),
  ];
  if (new Set(fields.map(([name]) => name)).size < fields.length)
    throw new Error(`two fields of ${method} ${path} share a name`);
  return {
    name: operation.operationId,
    title: operation.summary,
    description: operation.description,
    method: method as McpTool["method"],
    path,
    query: namesOf("query"),
    isSend: namesOf("header").includes("Idempotency-Key"),
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(fields.map(([name, schema]) => [name, exactAmount(schema)])),
      required: [
        ...sent.filter(({ required }) => required).map(({ name }) => name),
        // Clients of models refuse alternatives at the top of a schema: the service checks those.
        ...(body.required ?? []),
      ],
      additionalProperties: false,
    },
  };
}

/** An amount may be a number in JSON. Here it is a string alone, since programs in between may round a number. */
function exactAmount({ minimum, ...schema }: Json): Json {
  const isAmount = Array.isArray(schema.type) && schema.type.includes("number");
  return isAmount
    ? { ...schema, type: "string" }
    : { ...schema, ...(minimum === undefined ? {} : { minimum }) };
}

/** Returns a schema with what it refers to in its place. */
function inlined(document: Json, schema: Json): Json {
  if (Array.isArray(schema)) return schema.map((part) => inlined(document, part));
  if (typeof schema !== "object" || schema === null) return schema;
  const { $ref, ...rest } = schema;
  const own = Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, inlined(document, part)]));
  return $ref ? { ...inlined(document, document.components.schemas[$ref.split("/").at(-1)]), ...own } : own;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(FILE, toolsFile());
