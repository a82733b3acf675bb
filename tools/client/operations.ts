/** Reads the OpenAPI document for the generator of the client library. */

// biome-ignore lint/suspicious/noExplicitAny: a document whose form its own tests hold (test/http/openapi.test.ts)
export type Json = any;

/** An operation, as the client library offers it. */
export interface ClientOperation {
  /** Segments of its name: `["cash", "deposits", "send"]`. */
  name: readonly string[];
  method: "GET" | "POST" | "DELETE";
  /** Without the prefix of the API: `/orders/{orderId}`. */
  path: string;
  summary: string;
  params: readonly string[];
  query: InputObject | null;
  body: InputObject | null;
  isSend: boolean;
  /** Type of the answer's data. */
  data: string;
  /** Parameter that takes `nextCursor`, of lists with a cursor. */
  cursor: "cursor" | "after" | null;
}

interface InputObject {
  /** Name of its type: `OrdersListQuery`. */
  type: string;
  schema: Json;
  isRequired: boolean;
}

/** Schemas whose name is a global of JavaScript. */
const RENAMED: Readonly<Record<string, string>> = {
  Event: "TradingEvent",
  JSON: "JsonValue",
  Symbol: "StockSymbol",
};
const REF = "#/components/schemas/";
const PREFIX = "/api/v1";

/** Returns the document with schemas under names that hide no global. */
export function renamed(document: Json): Json {
  const nameOf = (name: string) => RENAMED[name] ?? name;
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => [nameOf(name), schema]);
  const text = JSON.stringify({ components: { schemas: Object.fromEntries(schemas) } });
  return JSON.parse(
    text.replaceAll(/"#\/components\/schemas\/(\w+)"/g, (_ref, name) => `"${REF}${nameOf(name)}"`),
  );
}

/** Returns the names of envelopes: a call answers with their data. */
export const envelopesOf = (document: Json): Set<string> => new Set(envelopeRefsOf(document).map(refName));

const envelopeRefsOf = (document: Json): string[] =>
  Object.values<Json>(document.paths).flatMap((methods) =>
    Object.values<Json>(methods).flatMap(
      ({ responses }) => responses["200"].content["application/json"]?.schema.$ref ?? [],
    ),
  );

/** Returns every operation that answers with an envelope: a stream is not a call. */
export function operationsOf(document: Json): ClientOperation[] {
  return Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Json>(methods).flatMap(([method, operation]) => {
      const content = operation.responses["200"].content["application/json"];
      return content ? [operationOf(document, method, path, operation, content.schema)] : [];
    }),
  );
}

function operationOf(
  document: Json,
  method: string,
  path: string,
  operation: Json,
  answer: Json,
): ClientOperation {
  const name: string[] = operation["x-client-method"].split(".");
  const parameters: Json[] = operation.parameters ?? [];
  const query = parameters.filter((parameter) => parameter.in === "query");
  const { data } = document.components.schemas[refName(answer.$ref)].properties;
  return {
    name,
    method: method.toUpperCase() as ClientOperation["method"],
    path: path.slice(PREFIX.length),
    summary: operation.summary,
    params: parameters.filter((parameter) => parameter.in === "path").map((parameter) => parameter.name),
    query: queryOf(name, query),
    body: bodyOf(document, name, operation.requestBody),
    isSend: parameters.some(({ $ref }) => $ref === "#/components/parameters/IdempotencyKey"),
    data: typeOf(data),
    cursor: pagesOf(document, data) ? cursorOf(query) : null,
  };
}

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
/** `["cash", "deposits"]` is CashDeposits. */
export const pascal = (words: readonly string[]) => words.map(capitalized).join("");

function queryOf(name: readonly string[], parameters: readonly Json[]): InputObject | null {
  if (parameters.length === 0) return null;
  const properties = parameters.map(({ name: key, schema, description }) => [
    key,
    { ...inputSchema(schema), description },
  ]);
  const required = parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  return inputObject(`${pascal(name)}Query`, Object.fromEntries(properties), required);
}

function bodyOf(document: Json, name: readonly string[], body: Json): InputObject | null {
  if (!body) return null;
  const { $ref } = body.content["application/json"].schema;
  const { properties, required = [] } = document.components.schemas[refName($ref)];
  const inputs = Object.entries<Json>(properties).map(([key, schema]) => [key, inputSchema(schema)]);
  return inputObject(`${pascal(name)}Input`, Object.fromEntries(inputs), required);
}

const inputObject = (type: string, properties: Json, required: string[]): InputObject => ({
  type,
  schema: { type: "object", properties, required, additionalProperties: false },
  isRequired: required.length > 0,
});

/**
 * Narrows an input with several forms to the one without loss: an amount is a string, since a number would be rounded before it
 * is sent, and a count or time is a number.
 */
function inputSchema({ anyOf, pattern, minimum, maximum, maxLength, ...schema }: Json): Json {
  const types: string[] = [schema.type].flat();
  if (types.includes("integer")) return { ...schema, type: "integer" };
  if (types.includes("number") && types.includes("string")) return { ...schema, type: "string" };
  return anyOf && types[0] === undefined ? { ...schema, anyOf: anyOf.map(inputSchema) } : schema;
}

export const inputSchemasOf = (operations: readonly ClientOperation[]): Json =>
  Object.fromEntries(
    operations.flatMap(({ query, body }) =>
      [query, body].flatMap((input) => (input ? [[input.type, input.schema]] : [])),
    ),
  );

const refName = ($ref: string) => $ref.slice(REF.length);

function typeOf(schema: Json): string {
  if (schema.$ref) return RENAMED[refName(schema.$ref)] ?? refName(schema.$ref);
  if (schema.type === "array") return `${typeOf(schema.items)}[]`;
  throw new Error(`no name for the type of ${JSON.stringify(schema)}`);
}

const pagesOf = (document: Json, data: Json) =>
  data.$ref !== undefined && "nextCursor" in document.components.schemas[refName(data.$ref)].properties;

function cursorOf(query: readonly Json[]): "cursor" | "after" {
  return query.some(({ name }) => name === "cursor") ? "cursor" : "after";
}
