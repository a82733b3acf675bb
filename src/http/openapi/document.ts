import { readFileSync } from "node:fs";
import { type GraphQLField, type GraphQLSchema, getNamedType, getNullableType, isListType } from "graphql";
import { ROOT } from "../../config/root.ts";
import type { Endpoint } from "../../context/endpoint.ts";
import type { AnswerExamples } from "../../context/examples.ts";
import type { StreamEndpoint } from "../../context/stream.ts";
import { type Cost, costMax } from "../../protocol/costs.ts";
import { API_PREFIX } from "../../protocol/signing.ts";
import type { JsonSchema } from "../graphql/scalars.ts";
import { clientMethodOf } from "./client-method.ts";
import { describeWebhooks, eventExample, eventTypes, WEBHOOK_PARAMETERS } from "./events.ts";
import {
  ENVELOPES,
  FAILURE_EXAMPLES,
  refusals,
  SHARED_BY_STATUS,
  SHARED_RESPONSES,
  successExample,
  successSchema,
} from "./failures.ts";
import { isListField, rootField, tagsOf, templateOf } from "./fields.ts";
import { HEADER_COMPONENTS, HEADER_PARAMETERS, HEADERS } from "./headers.ts";
import { bodySchema, type Input, type Inputs, readInputs } from "./inputs.ts";
import { codeSamples } from "./samples/index.ts";
import { AUTHENTICATION, SECURITY, SECURITY_SCHEMES } from "./security.ts";
import { readStreamInputs, streamResponses } from "./streams.ts";
import { createTypes, describeSchema, type Types } from "./types.ts";

export interface DocumentParts {
  schema: GraphQLSchema;
  endpoints: readonly Endpoint[];
  streams?: readonly StreamEndpoint[];
  /** A deployment's path prefix, empty where it has none. */
  prefix?: string;
}

const { version, license }: { version: string; license: string } = JSON.parse(
  readFileSync(`${ROOT}package.json`, "utf8"),
);

/**
 * Returns the OpenAPI 3.1 document of the partner API, out of what the service itself runs on: routes, arguments and
 * refusals from the endpoints, results and descriptions from the GraphQL schema, errors from the catalogue.
 * @throws Error where these disagree
 */
export function createDocument({ schema, endpoints, streams = [], prefix = "" }: DocumentParts): JsonSchema {
  const types = createTypes(eventTypes(schema));
  const paths: Record<string, JsonSchema> = {};
  for (const endpoint of endpoints) {
    const field = rootField(schema, endpoint);
    const path = `${API_PREFIX}${templateOf(endpoint)}`;
    const operation = describe(endpoint, field, readInputs(field, endpoint.input), types);
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation };
  }
  const event = eventExample(schema, types);
  for (const stream of streams) {
    const path = `${API_PREFIX}${templateOf(stream)}`;
    const { type } = rootField(schema, stream);
    // A page of events has its rows in a field: what is streamed is the event.
    const row = isListType(getNullableType(type)) ? types.exampleOf(getNamedType(type)) : event;
    paths[path] = { ...paths[path], get: describeStream(stream, readStreamInputs(schema, stream), row) };
  }
  const webhooks = describeWebhooks(schema, types);
  return {
    openapi: "3.1.1",
    info: {
      title: "Partner trading API",
      version,
      description: describeApi(prefix),
      license: { name: license, identifier: license },
    },
    externalDocs: { description: "A page for each errCode", url: `${prefix}/docs/errors` },
    servers: [{ url: prefix === "" ? "/" : prefix }],
    security: SECURITY,
    tags: tagsOf(endpoints),
    paths,
    webhooks,
    components: {
      schemas: { ...types.components, ...ENVELOPES },
      responses: SHARED_RESPONSES,
      parameters: { ...HEADER_PARAMETERS, ...WEBHOOK_PARAMETERS },
      examples: FAILURE_EXAMPLES,
      headers: HEADER_COMPONENTS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** Returns the document as it is served and committed. */
export const printDocument = (document: JsonSchema): string => `${JSON.stringify(document, null, 2)}\n`;

/** @param prefix of the deployment, before the addresses of its guides */
const describeApi = (
  prefix: string,
): string => `Trade tokenized stocks, and move cash and stock between a user's wallet and an exchange account.

## Authentication

${AUTHENTICATION}

[Authentication](${prefix}/docs/guides/authentication) has test vectors, keys and what to check when a signature is refused; [clients](${prefix}/docs/guides/clients) sign by themselves. To begin, take the [quick start](${prefix}/docs/guides/quick-start).

## Conventions

- Money, quantities and prices are decimal strings in human units; requests also take JSON numbers.
- Addresses and hashes are taken in any case; answers carry EIP-55 addresses and lower-case hashes.
- Times are Unix seconds; only \`t\` and \`x-api-ts\` are milliseconds.
- Every answer comes in an envelope; \`code\` 200 means success. A failure has an \`errCode\`, each with [a page](${prefix}/docs/errors). Fields may be added to answers, so ignore what you do not know ([versions](${prefix}/docs/guides/versioning)).
- A field that does not apply is null, not absent. Unknown request fields and query parameters are refused.
- A body is at most 64 KiB. POST and DELETE take no query.
- Every request takes cost units of its key's rate limit; each operation says how many. Reads (GET) and writes count apart ([rate limits](${prefix}/docs/guides/rate-limits)).`;

function describe(
  { method, path, title, cost, tag, refusals: own, logged, examples }: Endpoint,
  field: GraphQLField<unknown, unknown>,
  inputs: Inputs,
  types: Types,
): JsonSchema {
  const inPath = inputs.list.filter(({ name }) => path.split("/").includes(`:${name}`));
  const others = inputs.list.filter((input) => !inPath.includes(input));
  const parameters = [
    ...inPath.map((input) => ({ ...parameter(input, "path"), required: true })),
    ...(method === "GET" ? others.map((input) => parameter(input, "query")) : []),
    ...(method === "GET" ? READING.map((name) => ({ $ref: `#/components/parameters/${name}` })) : []),
    ...(isSend(path) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : []),
  ];
  const headers: OwnHeaders = [
    ...(method === "GET" ? (["tagged"] as const) : []),
    ...(logged ? (["logged"] as const) : []),
  ];
  const clientMethod = clientMethodOf({ method, path }, isListField(field));
  const body =
    method === "GET" || others.length === 0 ? null : requestBody(inputs, others, { types, clientMethod });
  return {
    operationId: field.name,
    "x-client-method": clientMethod,
    tags: [tag.name],
    summary: title,
    ...describeSchema([field.description, costText(cost)].join("\n\n")),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: body } : {}),
    responses: {
      200: success(field, types, { headers, examples, names: Object.keys(inputs.examples) }),
      ...(method === "GET" ? { 304: notModified(headers) } : {}),
      400: refusals(own),
      ...SHARED_BY_STATUS,
    },
    "x-codeSamples": codeSamples({
      method,
      path,
      clientMethod,
      inPath,
      others,
      isSend: isSend(path),
      body: body?.required ? firstExample(inputs, others) : null,
    }),
  };
}

function describeStream(stream: StreamEndpoint, { list }: Inputs, row: unknown): JsonSchema {
  const { method, path, operationId, title, tag, summary, description, cost, resumes } = stream;
  const clientMethod = clientMethodOf({ method, path }, false);
  return {
    operationId,
    "x-client-method": clientMethod,
    tags: [tag.name],
    summary: title,
    ...describeSchema([`${summary}.`, description, costText(cost)].join("\n\n")),
    parameters: [
      ...list.map((input) => parameter(input, "query")),
      ...["MinBlock", ...(resumes ? ["LastEventId"] : [])].map((name) => ({
        $ref: `#/components/parameters/${name}`,
      })),
    ],
    responses: streamResponses(stream, row),
    "x-codeSamples": codeSamples({
      method,
      path,
      clientMethod,
      inPath: [],
      others: list,
      body: null,
      isStream: true,
    }),
  };
}

/** Returns what a request takes of its key's rate limit, for people. */
function costText(cost: Cost): string {
  if (typeof cost === "number") return `Costs ${cost} ${cost === 1 ? "unit" : "units"}.`;
  return `Costs 1 unit, and 1 for each ${cost.rowsPerUnit} of \`limit\` begun: at most ${costMax(cost)} units.`;
}

/** Headers that every GET takes. */
const READING = ["MinBlock", "IfNoneMatch"] as const;

/** Returns true for an endpoint that takes an Idempotency-Key. */
const isSend = (path: string) => path.endsWith("/send");

function parameter(
  { name, required, schema, description, example }: Input,
  location: "path" | "query",
): JsonSchema {
  return {
    name,
    in: location,
    ...(required ? { required } : {}),
    ...describeSchema(description),
    schema,
    ...(example === undefined ? {} : { example }),
  };
}

/** Describes the body, and names its schema after the method: generators name a class by it. */
function requestBody(
  inputs: Inputs,
  list: readonly Input[],
  { types, clientMethod }: { types: Types; clientMethod: string },
): JsonSchema {
  const { together, examples } = inputs;
  const name = `${clientMethod.replaceAll(/(?:^|\.)(\w)/g, (_match, letter: string) => letter.toUpperCase())}Input`;
  types.components[name] = bodySchema(list, together);
  return {
    required: list.some((input) => input.required) || Array.isArray(together.required),
    content: {
      "application/json": {
        schema: { $ref: `#/components/schemas/${name}` },
        ...(Object.keys(examples).length > 0
          ? { examples: namedExamples(examples) }
          : { example: firstExample(inputs, list) }),
      },
    },
  };
}

/** Returns the first whole request that the shape names; where it names none, one of each input's example. */
function firstExample({ examples }: Inputs, list: readonly Input[]): Readonly<Record<string, unknown>> {
  return Object.values(examples)[0] ?? Object.fromEntries(list.map(({ name, example }) => [name, example]));
}

/** Headers of an answer beside those of every answer. */
type OwnHeaders = readonly ("tagged" | "logged")[];

const headersOf = (own: OwnHeaders): JsonSchema =>
  Object.assign({}, HEADERS.always, HEADERS.authenticated, ...own.map((name) => HEADERS[name]));

const notModified = (own: OwnHeaders): JsonSchema => ({
  description: "The data is still what If-None-Match names. No body.",
  headers: headersOf(own),
});

interface SuccessParts {
  headers: OwnHeaders;
  examples: AnswerExamples;
  /** Requests that the operation names. */
  names: readonly string[];
}

function success(
  field: GraphQLField<unknown, unknown>,
  types: Types,
  { headers, examples, names }: SuccessParts,
): JsonSchema {
  const shown = (name: string) => successExample(types.exampleOf(field.type, examples[name]));
  const each = Object.fromEntries(names.map((name) => [name, shown(name)]));
  return {
    description: "Success.",
    headers: headersOf(headers),
    content: {
      "application/json": {
        schema: answerSchema(field, types),
        ...(names.length > 0 ? { examples: namedExamples(each) } : { example: shown("default") }),
      },
    },
  };
}

/** Returns a reference to the envelope with a field's data: generators name a class by it. */
function answerSchema({ type }: GraphQLField<unknown, unknown>, types: Types): JsonSchema {
  const name = `${getNamedType(type).name}${isListType(getNullableType(type)) ? "List" : ""}Answer`;
  types.components[name] ??= successSchema(types.schemaOf(type));
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns examples of requests or answers, each with its name in words: `marketBuy` is "Market buy". */
function namedExamples(values: Readonly<Record<string, unknown>>): JsonSchema {
  const words = (name: string) =>
    name
      .replace(/^./, (letter) => letter.toUpperCase())
      .replaceAll(/[A-Z]/g, (letter, at: number) => (at === 0 ? letter : ` ${letter.toLowerCase()}`));
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, { summary: words(name), value }]),
  );
}
