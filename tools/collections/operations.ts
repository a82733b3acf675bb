import { readFileSync } from "node:fs";
import { LINKS, SECOND_CANCEL } from "./chain.ts";

/** A parameter of a request, with an example. */
interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  description: string;
  example: string;
}

/** An operation of the OpenAPI document, for collections. */
export interface Operation {
  method: string;
  path: string;
  summary: string;
  /** Its description, in Markdown. */
  documentation: string;
  /** Its tag, or the folder of what ends something. */
  folder: string;
  parameters: Parameter[];
  /** Example of its body as sent, or null. */
  body: string | null;
  /** Variable of each parameter of the path that an earlier request keeps. */
  variables: Readonly<Record<string, string>>;
  /** Script that runs after the answer (chain.ts), or null. */
  after: string | null;
  /** True where a run of all requests leaves it out, unless the variable "destructive" is "yes". */
  isGuarded: boolean;
  /** Of the second request of one operation. */
  suffix: string;
}

interface DocumentOperation {
  tags: string[];
  summary: string;
  description: string;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: { "application/json": { example?: unknown; examples?: object } } };
  responses: { 200: { content?: object } };
}

/** Part of docs/openapi.json that collections are made of. */
export interface Document {
  info: { title: string };
  paths: Record<string, Record<string, DocumentOperation>>;
  components: { parameters: Record<string, Parameter> };
}

const readDocument = (): Document =>
  JSON.parse(readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"));

/** Requests that end something, in this order. They come last: a run ends what it began itself. */
const DESTRUCTIVE = "Destructive";
const DESTROYS = [
  "DELETE /api/v1/orders/{orderId}/send",
  "POST /api/v1/orders/cancel/send",
  "POST /api/v1/orders/cancel-after",
  "POST /api/v1/webhooks/{webhookId}/rotate",
  "DELETE /api/v1/webhooks/{webhookId}",
  "POST /api/v1/1ct/disable",
  "POST /api/v1/key/rotate",
];
/** Requests that no run could take back: they need the user's wallet, change the secret that signs, or cancel what others placed. */
const GUARDED = new Set([
  "POST /api/v1/orders/cancel/send",
  "POST /api/v1/orders/cancel-after",
  "POST /api/v1/1ct/disable",
  "POST /api/v1/key/rotate",
]);

/** Returns the document with its operations. Streams are left out: a run of a collection would never end. */
export function readOperations(document = readDocument()): { document: Document; operations: Operation[] } {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !isStream(operation))
      .flatMap(([method, operation]) => toOperations(document, method.toUpperCase(), path, operation)),
  );
  const rank = ({ method, path }: Operation) => DESTROYS.indexOf(`${method} ${path}`);
  return { document, operations: operations.toSorted((one, other) => rank(one) - rank(other)) };
}

/** Returns an operation as a request, or as two. */
function toOperations(
  document: Document,
  method: string,
  path: string,
  described: DocumentOperation,
): Operation[] {
  const operation = toOperation(document, method, path, described);
  const { of, suffix, path: variables } = SECOND_CANCEL;
  return `${method} ${path}` === of ? [operation, { ...operation, suffix, variables }] : [operation];
}

const isStream = ({ responses }: DocumentOperation) => "text/event-stream" in (responses[200].content ?? {});

function toOperation(
  document: Document,
  method: string,
  path: string,
  { tags, summary, description, parameters = [], requestBody }: DocumentOperation,
): Operation {
  const resolved = parameters.map((parameter) =>
    "$ref" in parameter ? shared(document, parameter.$ref) : parameter,
  );
  const name = `${method} ${path}`;
  const link = LINKS.get(name) ?? {};
  const body = requestBody && (link.body ?? exampleOf(requestBody));
  return {
    method,
    path,
    summary,
    folder: DESTROYS.includes(name) ? DESTRUCTIVE : (tags[0] ?? "Other"),
    documentation: description,
    parameters: resolved.map((parameter) => ({ ...parameter, example: String(parameter.example) })),
    body: body ? JSON.stringify(body, null, 2) : null,
    variables: link.path ?? {},
    after: link.after ?? null,
    isGuarded: GUARDED.has(name),
    suffix: "",
  };
}

function shared({ components }: Document, reference: string): Parameter {
  const parameter = components.parameters[reference.split("/").at(-1) ?? ""];
  if (!parameter) throw new Error(`the document has no ${reference}`);
  return parameter;
}

function exampleOf({ content }: NonNullable<DocumentOperation["requestBody"]>): unknown {
  const { example, examples = {} } = content["application/json"];
  const [first] = Object.values(examples);
  return example ?? (first as { value: unknown } | undefined)?.value;
}

/** Returns the headers that a request carries by default, so that a send does not act twice. */
export function defaultHeaders({ parameters }: Operation): { name: string; value: string }[] {
  const sends = parameters.some(({ name }) => name === "Idempotency-Key");
  return sends ? [{ name: "Idempotency-Key", value: "{{$guid}}" }] : [];
}

/** Returns what a parameter of the path is at first: a variable that an earlier request keeps, or the example. */
export const pathValueOf = ({ variables }: Operation, { name, example }: Parameter): string =>
  variables[name] === undefined ? example : `{{${variables[name]}}}`;

/** Returns the variables that requests keep, with what they are before: the examples of the document. */
export function keptVariables(operations: readonly Operation[]): { name: string; value: string }[] {
  const examples = operations.flatMap(({ variables, parameters }) =>
    Object.entries(variables).map(([parameter, name]): [string, string] => [
      name,
      parameters.find((each) => each.name === parameter)?.example ?? "",
    ]),
  );
  const ofBodies = operations.flatMap(({ body }) =>
    [...(body ?? "").matchAll(/\{\{(\w+)\}\}/g)].map(([, name = ""]): [string, string] => [name, ""]),
  );
  const settings = new Set<string>(VARIABLES.map(({ name }) => name));
  const all = new Map([...ofBodies, ...examples].filter(([name]) => !settings.has(name)));
  return [...all].map(([name, value]) => ({ name, value }));
}

/** Variables of an environment; the values are a sandbox's, except for its port and its secrets. */
export const VARIABLES = [
  { name: "baseUrl", value: "http://127.0.0.1:3000", isSecret: false },
  { name: "apiKey", value: "", isSecret: false },
  { name: "apiSecret", value: "", isSecret: true },
  { name: "chainId", value: "31337", isSecret: false },
  { name: "productType", value: "Sandbox", isSecret: false },
  { name: "webhookUrl", value: "http://127.0.0.1:3000/hooks", isSecret: false },
  { name: "destructive", value: "no", isSecret: false },
] as const;

/** Introduction for readers of a collection. */
export const INTRODUCTION = `Every operation of the API but the stream of events, with its example. A script signs each request.

Set the variables baseUrl, apiKey, apiSecret, chainId and productType in the environment. A sandbox prints its own when it starts, and
\`node examples/sandbox-env.mjs\` prints them again. Query parameters are disabled: enable what you need.

A run of the whole collection uses its own ids: it places two orders that rest, reads and cancels them, moves cash and stock there and back, and
deletes the webhook that it made. The folder "${DESTRUCTIVE}", the last one, cancels and deletes. It disables one click and rotates the secret only where
the variable destructive is "yes": enabling again takes the user's wallet, and apiSecret must be set to the new secret.`;

/** Returns the text of a script of this folder. */
export const readScript = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8").trimEnd();
