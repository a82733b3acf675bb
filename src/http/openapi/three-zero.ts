import type { JsonSchema } from "../graphql/scalars.ts";

/**
 * Returns the form of the document in OpenAPI 3.0, which more generators of clients read than 3.1. It says what that version can
 * say, and is meant for reading answers written later than the client: an enum that may get values is a string, and all failures are
 * one schema. Inputs that may be text or a number have the one form that loses nothing. Webhooks are left out, their schemas are there.
 */
export function toOpenApi30({ webhooks: _webhooks, ...released }: JsonSchema): JsonSchema {
  const document = withoutNew(released);
  const { info, components, paths } = document as Record<"info" | "components" | "paths", Json>;
  const { license, ...otherInfo } = info;
  const { identifier, ...named } = license;
  const { Unauthorized: _unauthorized, ...schemas } = components.schemas;
  const known = { ...schemas, Failure: anyFailure(schemas.Failure) };
  const nullable = nullableTargets(known);
  // Those of webhooks alone are left out with them.
  const used = usedBy({ paths, responses: components.responses }, known, new Set(["Failure"]));
  const convert = (schema: Json): Json => toSchema30(schema, known);
  const parts = { ...components, parameters: withoutWebhooks(components.parameters) };
  const { schemas: _schemas, ...others } = parts;
  return {
    ...document,
    openapi: "3.0.3",
    info: { ...otherInfo, license: { ...named, url: `https://spdx.org/licenses/${identifier}` } },
    paths: mapValues(paths, (item) => mapValues(item, (operation) => withSchemas(operation, convert))),
    components: {
      ...withSchemas(others, convert),
      schemas: Object.fromEntries(
        Object.entries<Json>(known)
          .filter(([name, schema]) => !isPlain(schema) && used.has(name))
          .map(([name, schema]) => [
            name,
            { ...convert(schema), ...(nullable.has(name) ? { nullable: true } : {}) },
          ]),
      ),
    },
  };
}

/**
 * Returns the document with no schema NewX: a type X of generated Go has a constructor of that name. A NewWebhook is a CreatedWebhook.
 */
const withoutNew = (document: JsonSchema): JsonSchema =>
  JSON.parse(
    JSON.stringify(document).replaceAll(
      /"(#\/components\/schemas\/)?New([A-Z]\w+)"(?=[:,}])/g,
      '"$1Created$2"',
    ),
  );

/** Returns the names of schemas that a part of the document uses, also by way of others, beside those that are found. */
function usedBy(node: Json, schemas: Json, found: Set<string>): Set<string> {
  for (const [, name = ""] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name) || schemas[name] === undefined) continue;
    found.add(name);
    usedBy(schemas[name], schemas, found);
  }
  return found;
}

/** Returns the names of schemas that are null somewhere: a type of 3.0 cannot take null where it is referred to, but where it is defined. */
function nullableTargets(schemas: Json): Set<string> {
  const texts = [
    ...JSON.stringify(schemas).matchAll(
      /"anyOf":\[\{"\$ref":"#\/components\/schemas\/(\w+)"\},\{"type":"null"\}\]/g,
    ),
  ];
  return new Set(texts.map(([, name = ""]) => name));
}

// biome-ignore lint/suspicious/noExplicitAny: a document of this module's own neighbours, held by the tests of both forms
type Json = any;

const REF = "#/components/schemas/";

const mapValues = (object: Json, map: (value: Json, key: string) => Json): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));

const withoutWebhooks = (parameters: Json): Json =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => !name.startsWith("Webhook")));

/** Returns the one schema of all failures: unauthorized ones lack what says the cause. */
const anyFailure = (failure: Json): Json => ({
  ...failure,
  description: "The envelope of every failure. An unauthorized request has no errCode.",
  required: failure.required.filter((name: string) => !["errCode", "param", "retryable"].includes(name)),
});

/** Converts each schema below a part of the document; examples are data and stay. */
function withSchemas(node: Json, convert: (schema: Json) => Json, isFailure = false): Json {
  if (Array.isArray(node)) return node.map((each) => withSchemas(each, convert, isFailure));
  if (typeof node !== "object" || node === null) return node;
  return mapValues(node, (value, key) => {
    if (key.startsWith("example") || key.startsWith("x-")) return value;
    if (key === "schema") return isFailure ? { $ref: `${REF}Failure` } : convert(value);
    if (key === "responses")
      return mapValues(value, (each, status) => withSchemas(each, convert, isFailureOf(status)));
    return withSchemas(value, convert, isFailure);
  });
}

/** Statuses of operations, and names of shared responses, which all are failures. Their headers have schemas of their own. */
const isFailureOf = (status: string): boolean => !/^[123]/.test(status);

/** Returns whether a schema is a value without a name in generated code: it stands where it is used. */
function isPlain(schema: Json): boolean {
  if (schema.oneOf) return false;
  if (schema.enum) return schema["x-extensible"] === true;
  return schema.type !== "object" || schema.properties === undefined;
}

function toSchema30(schema: Json, known: Json): Json {
  const convert = (each: Json): Json => toSchema30(each, known);
  const { $ref, anyOf, ...own } = schema;
  if ($ref !== undefined) return reference($ref, own, known);
  const alternatives: Json[] = (anyOf ?? []).filter((each: Json) => each.required === undefined);
  if (alternatives.some(({ type }) => type === "null")) {
    const [present] = alternatives.filter(({ type }) => type !== "null");
    const converted = toSchema30({ ...present, ...own }, known);
    // A reference takes null where its target does: see nullableTargets.
    return converted.$ref || converted.allOf ? converted : { ...converted, nullable: true };
  }
  return {
    ...plainOf(own),
    ...(own.properties ? { properties: mapValues(own.properties, convert) } : {}),
    ...(own.items ? { items: convert(own.items) } : {}),
  };
}

function reference($ref: string, own: Json, known: Json): Json {
  const target = known[$ref.slice(REF.length)];
  if (isPlain(target)) return toSchema30({ ...target, ...own }, known);
  return Object.keys(own).length > 0 ? { allOf: [{ $ref }], ...own } : { $ref };
}

/** Returns a schema's own keywords in the words of 3.0. */
function plainOf({ const: only, examples, ...given }: Json): Json {
  const schema = examples ? { ...given, example: examples[0] } : given;
  const { type, pattern, maxLength, ...rest } = schema;
  const types: string[] = [type ?? []].flat();
  if (type === "null") return { ...rest, type: "object", nullable: true };
  if (schema["x-extensible"] && schema.enum) {
    const { enum: values, ...text } = schema;
    return { ...text, description: `${text.description}\n\nAt present: ${values.join(", ")}.` };
  }
  if (typeof only === "string" && only !== "") return { ...schema, enum: [only] };
  if (types.length < 2) return schema;
  const nullable = types.includes("null") ? { nullable: true } : {};
  // A number would be rounded before it is sent; a count or a time is none that could be.
  if (types.includes("integer")) return { ...rest, ...nullable, type: "integer", format: "int64" };
  return { ...schema, ...nullable, type: "string" };
}
