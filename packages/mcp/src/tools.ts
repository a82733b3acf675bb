import document from "../../../docs/openapi.json" with { type: "json" };
import type { McpTool } from "./tool.ts";

// biome-ignore lint/suspicious/noExplicitAny: the OpenAPI document, whose form its own tests hold (test/http/openapi.test.ts)
type Json = any;

const PREFIX = "/api/v1";
/** Names of fields that are secrets: what answers one is no tool, because a model would read it. */
const SECRET = /secret$/i;
/** Headers that are arguments of a tool, by their names. */
const HEADERS: Readonly<Record<string, string>> = {
  "x-min-block": "minBlock",
  "Idempotency-Key": "idempotencyKey",
};

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

/** The tools of the API. A build has them in place of the document (build.mjs). */
export const TOOLS: readonly McpTool[] = toolsOf(document);
