import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";

/**
 * Holds what went over the wire against the committed OpenAPI document: every answer must be one that the document
 * describes for its operation and status, to the last field and header, and a request that succeeded must be one that
 * the document allows.
 */
export interface Seen {
  method: string;
  /** The URI as sent: with the query, without a deployment's prefix. */
  uri: string;
  status: number;
  headers: Headers;
  body: unknown;
  /** The request's body; undefined where it has none, or it is not checked. */
  sent?: unknown;
}

interface Json {
  [key: string]: unknown;
}

export const openApi: Json = JSON.parse(
  readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8"),
);

export interface Operation {
  method: string;
  /** The document's template: /api/v1/orders/{orderId} */
  path: string;
  segments: readonly string[];
  /** JSON pointer of the operation in the document. */
  pointer: string;
  spec: Json;
}

const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const children = (value: unknown): [string, Json][] =>
  isJson(value) ? Object.entries(value).filter((entry): entry is [string, Json] => isJson(entry[1])) : [];
const escaped = (segment: string) => segment.replaceAll("~", "~0").replaceAll("/", "~1");

/** Every operation, those with literal segments first. */
export const operations: readonly Operation[] = children(openApi.paths)
  .flatMap(([path, item]) =>
    children(item).map(([method, spec]) => ({
      method: method.toUpperCase(),
      path,
      segments: path.split("/"),
      pointer: `#/paths/${escaped(path)}/${method}`,
      spec,
    })),
  )
  .sort((a, b) => literals(b.path) - literals(a.path));

function literals(path: string): number {
  return path.split("/").filter((segment) => !segment.startsWith("{")).length;
}

/** Keeps what a function of a pointer returned: the document does not change, and every answer is held against it. */
function kept<T>(find: (pointer: string) => T): (pointer: string) => T {
  const known = new Map<string, T>();
  return (pointer) => {
    const found = known.get(pointer) ?? find(pointer);
    known.set(pointer, found);
    return found;
  };
}

/** Returns the target of a JSON pointer of the document, or of a reference in it. */
export const at = kept((pointer: string): unknown =>
  pointer
    .slice(2)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (value, key) => (isJson(value) || Array.isArray(value) ? Object(value)[key] : undefined),
      openApi,
    ),
);

/** Returns the pointer itself, or the one that it refers to. */
function resolved(pointer: string): string {
  const value = at(pointer);
  return isJson(value) && typeof value.$ref === "string" ? value.$ref : pointer;
}

const DOCUMENT = "openapi";
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(closed(), DOCUMENT);
const validators = new Map<string, ValidateFunction>();

/** Returns the document with every object closed: a field that it does not name is an error here, though not to partners. */
function closed(): Json {
  const open = new Set<unknown>();
  walk(openApi, (node) => {
    for (const part of Array.isArray(node.allOf) ? node.allOf : []) {
      open.add(part);
      if (isJson(part) && typeof part.$ref === "string") open.add(at(part.$ref));
    }
  });
  const close = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(close);
    if (!isJson(node)) return node;
    const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, close(value)]));
    const isObject = isJson(node.properties) || Array.isArray(node.allOf);
    return isObject && !open.has(node) ? { ...copy, unevaluatedProperties: false } : copy;
  };
  return close(openApi) as Json;
}

function walk(node: unknown, visit: (node: Json) => void): void {
  if (Array.isArray(node)) for (const item of node) walk(item, visit);
  if (!isJson(node)) return;
  visit(node);
  for (const value of Object.values(node)) walk(value, visit);
}

/** Returns what is wrong with a value by the schema at a pointer of the document, each with its JSON pointer. */
export function faultsOf(schemaPointer: string, value: unknown): string[] {
  const $ref = `${DOCUMENT}${encodeURI(schemaPointer)}`;
  const validate = validators.get($ref) ?? ajv.compile({ $ref });
  validators.set($ref, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || "/"} ${message} ${JSON.stringify(params)}`,
  );
}

/** Returns the operation that a request meets, and the values of its path. */
export function operationOf(
  method: string,
  path: string,
): { operation: Operation; values: Record<string, string> } | null {
  const sent = path.split("/");
  for (const operation of operations) {
    const pattern = operation.segments;
    if (operation.method !== method || pattern.length !== sent.length) continue;
    const matches = pattern.every((part, index) =>
      part.startsWith("{") ? sent[index] !== "" : part === sent[index],
    );
    if (!matches) continue;
    const values = pattern.flatMap((part, index) =>
      part.startsWith("{") ? [[part.slice(1, -1), sent[index] ?? ""] as const] : [],
    );
    return { operation, values: Object.fromEntries(values) };
  }
  return null;
}

/**
 * Checks an exchange against the document.
 * @throws Error naming method, path, operation and JSON pointers, where the document does not describe it
 */
export function checkAgainstDocument(seen: Seen): void {
  const [path = "", query] = seen.uri.split("?");
  const met = operationOf(seen.method, path);
  const where = `${seen.method} ${seen.uri} (${met ? String(met.operation.spec.operationId) : "no operation"})`;
  const faults = met
    ? [...answerFaults(met.operation, seen), ...requestFaults(met, query, seen)]
    : faultsOf("#/components/responses/NotFound/content/application~1json/schema", seen.body);
  if (faults.length === 0) return;
  throw new Error(
    `${where} answered HTTP ${seen.status} against docs/openapi.json:\n  ${faults.slice(0, 12).join("\n  ")}\n${JSON.stringify(seen.body)}`,
  );
}

/** Returns true where a response of the document, by its pointer, is a stream of server-sent events. */
export const isStream = (response: string): boolean =>
  at(`${response}/content/text~1event-stream`) !== undefined;

function answerFaults({ pointer }: Operation, { status, headers, body }: Seen): string[] {
  const response = resolved(`${pointer}/responses/${status}`);
  if (at(response) === undefined) return [`HTTP ${status} is not described`];
  // A 304 has no body, and a stream no end.
  const hasBody = at(`${response}/content`) !== undefined && !isStream(response);
  return [
    ...(hasBody ? faultsOf(`${response}/content/application~1json/schema`, body) : []),
    ...headerFaults(response, headers),
  ];
}

const headersOf = kept(
  (response: string) =>
    new Map(
      children(at(`${response}/headers`)).map(([name]) => {
        const pointer = resolved(`${response}/headers/${escaped(name)}`);
        return [name.toLowerCase(), { pointer, header: at(pointer) }];
      }),
    ),
);

/** Headers that speak of this API, as opposed to HTTP's own. */
const OURS = /^(x-(?!content-type-options$)|ratelimit|retry-after)/;

function headerFaults(response: string, headers: Headers): string[] {
  const described = headersOf(response);
  const missing = [...described].flatMap(([name, { pointer, header }]) => {
    const value = headers.get(name);
    if (value === null) return isJson(header) && header.required ? [`header ${name} is missing`] : [];
    return faultsOf(`${pointer}/schema`, value).map((fault) => `header ${name}: ${fault}`);
  });
  const unknown = [...headers.keys()].filter((name) => OURS.test(name) && !described.has(name));
  return [...missing, ...unknown.map((name) => `header ${name} is not described`)];
}

/** Returns an operation's parameters in path and query, by its pointer. */
const parametersOf = kept((operation: string) => {
  const list = at(`${operation}/parameters`);
  return (Array.isArray(list) ? list : []).flatMap((_item, index) => {
    const pointer = resolved(`${operation}/parameters/${index}`);
    const spec = at(pointer);
    return isJson(spec) && (spec.in === "path" || spec.in === "query") ? [{ pointer, spec }] : [];
  });
});

function requestFaults(
  { operation, values }: { operation: Operation; values: Record<string, string> },
  query: string | undefined,
  { status, sent }: Seen,
): string[] {
  if (status !== 200) return [];
  const given = new Map([...Object.entries(values), ...new URLSearchParams(query ?? "")]);
  const parameters = parametersOf(operation.pointer);
  const wrong = parameters.flatMap(({ pointer, spec }) => {
    const value = given.get(String(spec.name));
    if (value === undefined) return spec.required ? [`parameter ${String(spec.name)} is missing`] : [];
    return faultsOf(`${pointer}/schema`, value).map((fault) => `parameter ${String(spec.name)}: ${fault}`);
  });
  const names = new Set(parameters.map(({ spec }) => spec.name));
  const unknown = [...given.keys()].filter((name) => !names.has(name));
  return [
    ...wrong,
    ...unknown.map((name) => `parameter ${name} is not described`),
    ...bodyFaults(operation, sent),
  ];
}

/** Returns the faults of a request's body. Null counts as absent (src/context/input/fields.ts), which the document leaves out. */
function bodyFaults({ pointer, spec }: Operation, sent: unknown): string[] {
  if (!isJson(sent)) return [];
  const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));
  if (Object.keys(given).length === 0) return [];
  if (!isJson(spec.requestBody)) return ["a body is not described"];
  const schema = `${pointer}/requestBody/content/application~1json/schema`;
  return faultsOf(schema, given).map((fault) => `request ${fault}`);
}
