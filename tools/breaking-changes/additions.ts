import { operationsOf } from "./documents.ts";
import { asJson, asList, isJson, type Json } from "./json-schema.ts";

/**
 * Returns the names of what an OpenAPI document adds to the released one: operations, parameters, fields, headers and
 * values of enums. An added operation is one name, and an added schema none: what refers to it is added, too.
 */
export function additions(released: Json, current: Json): string[] {
  const [before, after] = [operationsOf(released), operationsOf(current)];
  const [schemas, added] = [schemasOf(released), [...after].filter(([name]) => !before.has(name))];
  const pairs = [
    ...[...before].map(([name, was]) => [was, after.get(name)] as const),
    ...Object.entries(schemas).map(([name, was]) => [was, schemasOf(current)[name]] as const),
  ];
  const parts = pairs.flatMap(([was, is]) => {
    const known = new Set(namesIn(was));
    return namesIn(is).filter((name) => !known.has(name));
  });
  return [...new Set([...added.map(([name]) => titleOf(name)), ...parts])];
}

const schemasOf = (document: Json): Json => asJson(asJson(document.components).schemas);

/** Returns an operation as documents write it: `GET /orders/{orderId}`. */
const titleOf = (name: string): string =>
  name.replace(/^(\w+) (?:\/api\/v1)?/, (_all, method: string) => `${method.toUpperCase()} `);

/** Returns the names of the parameters, fields, headers and values below a part of a document; examples have none. */
function namesIn(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(namesIn);
  if (!isJson(node)) return [];
  const parameter = typeof node.in === "string" ? [String(node.name)] : [];
  const values = asList(node.enum).filter((value) => typeof value === "string");
  const fields = asJson(node.properties);
  const below = Object.entries(node).filter(([key]) => !key.startsWith("example") && key !== "properties");
  return [
    ...parameter,
    ...values,
    ...Object.keys({ ...fields, ...asJson(node.headers) }),
    ...Object.values(fields).flatMap(namesIn),
    ...below.flatMap(([, part]) => namesIn(part)),
  ];
}
