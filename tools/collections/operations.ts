import { readFileSync } from "node:fs";

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
  /** Its tag, or the folder of what a run of all others would undo. */
  folder: string;
  parameters: Parameter[];
  /** Example of its body as sent, or null. */
  body: string | null;
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

/** What ends something that other requests need. It is last: whoever runs all folders but this one changes nothing for good. */
const DESTRUCTIVE = "Destructive";
const DESTROYS = new Set([
  "DELETE /api/v1/orders/{orderId}/send",
  "DELETE /api/v1/webhooks/{webhookId}",
  "POST /api/v1/1ct/disable",
  "POST /api/v1/key/rotate",
  "POST /api/v1/webhooks/{webhookId}/rotate",
]);

/** Returns the document with its operations. Streams are left out: a run of a collection would never end. */
export function readOperations(document = readDocument()): { document: Document; operations: Operation[] } {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !isStream(operation))
      .map(([method, operation]) => toOperation(document, method.toUpperCase(), path, operation)),
  );
  const isDestructive = ({ folder }: Operation) => Number(folder === DESTRUCTIVE);
  return {
    document,
    operations: operations.toSorted((one, other) => isDestructive(one) - isDestructive(other)),
  };
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
  return {
    method,
    path,
    summary,
    folder: DESTROYS.has(`${method} ${path}`) ? DESTRUCTIVE : (tags[0] ?? "Other"),
    documentation: description,
    parameters: resolved.map((parameter) => ({ ...parameter, example: String(parameter.example) })),
    body: requestBody ? JSON.stringify(exampleOf(requestBody), null, 2) : null,
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

/** Variables of an environment; the values are a sandbox's, except for its port and its secrets. */
export const VARIABLES = [
  { name: "baseUrl", value: "http://127.0.0.1:3000", isSecret: false },
  { name: "apiKey", value: "", isSecret: false },
  { name: "apiSecret", value: "", isSecret: true },
  { name: "chainId", value: "31337", isSecret: false },
  { name: "productType", value: "Sandbox", isSecret: false },
] as const;

/** Introduction for readers of a collection. */
export const INTRODUCTION = `Every operation of the API but the stream of events, with its example. A script signs each request.

Set the variables baseUrl, apiKey, apiSecret, chainId and productType in the environment. A sandbox prints its own when it starts, and
\`node examples/sandbox-env.mjs\` prints them again. The folder "${DESTRUCTIVE}" cancels, disables, deletes and rotates: run it by hand. After
a rotation, set apiSecret to the new secret. Query parameters are disabled: enable what you need.`;

/** Returns the text of a script of this folder. */
export const readScript = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8").trimEnd();
