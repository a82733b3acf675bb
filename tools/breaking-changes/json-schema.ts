/** JSON Schemas of the OpenAPI document: the keywords that it uses, references resolved, alternatives separate. */
export interface Json {
  [key: string]: unknown;
}

export const isJson = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const asJson = (value: unknown): Json => (isJson(value) ? value : {});
export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Follows a reference within a document. @throws Error where it leads nowhere */
export function resolve(document: Json, value: unknown): Json {
  const { $ref } = asJson(value);
  if (typeof $ref !== "string") return asJson(value);
  const found = $ref
    .slice(2)
    .split("/")
    .reduce<unknown>((node, key) => asJson(node)[key], document);
  if (!isJson(found)) throw new Error(`${$ref} leads nowhere`);
  return resolve(document, found);
}

/** Returns a schema as alternatives without $ref, allOf, anyOf and oneOf: a value fits it where it fits one of them. */
export function alternativesOf(document: Json, schema: unknown): Json[] {
  const { allOf, anyOf, oneOf, ...own } = resolve(document, schema);
  return [allOf, [{ anyOf }], [{ anyOf: oneOf }]]
    .flatMap(asList)
    .reduce<Json[]>((merged, part) => combine(merged, partAlternatives(document, part)), [own]);
}

function partAlternatives(document: Json, part: unknown): Json[] {
  const { anyOf, ...rest } = asJson(part);
  if (Object.keys(rest).length > 0) return alternativesOf(document, part);
  return anyOf === undefined ? [{}] : asList(anyOf).flatMap((each) => alternativesOf(document, each));
}

const combine = (left: Json[], right: Json[]): Json[] => left.flatMap((a) => right.map((b) => merge(a, b)));

/** Returns a schema whose values fit both. Properties are merged on access. */
function merge(a: Json, b: Json): Json {
  const merged: Json = { ...a, ...b };
  if (a.type && b.type) merged.type = typesOf(a)?.filter((type) => typesOf(b)?.includes(type));
  if (a.required || b.required)
    merged.required = [...new Set([...asList(a.required), ...asList(b.required)])];
  if (a.enum && b.enum) merged.enum = asList(a.enum).filter((value) => asList(b.enum).includes(value));
  if (a.properties && b.properties)
    merged.properties = mergeProperties(asJson(a.properties), asJson(b.properties));
  return merged;
}

function mergeProperties(a: Json, b: Json): Json {
  const shared = Object.keys(a).filter((name) => name in b);
  return { ...a, ...b, ...Object.fromEntries(shared.map((name) => [name, { allOf: [a[name], b[name]] }])) };
}

/** Returns the types that a schema names; null where it takes any. A number may be an integer. */
export function typesOf({ type }: Json): unknown[] | null {
  if (type === undefined) return null;
  const types = Array.isArray(type) ? type : [type];
  return types.includes("number") ? [...types, "integer"] : types;
}

/** Returns the values that a schema names; null where it names none. */
export function valuesOf(schema: Json): unknown[] | null {
  if ("const" in schema) return [schema.const];
  return Array.isArray(schema.enum) ? schema.enum : null;
}
