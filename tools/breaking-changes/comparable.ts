import { asJson, isJson, type Json } from "./json-schema.ts";

/** Fields that no client's code depends on; they are two thirds of the document. */
const FOR_PEOPLE = new Set([
  "description",
  "summary",
  "example",
  "examples",
  "externalDocs",
  "tags",
  "info",
  "servers",
  "x-codeSamples",
]);

/** Returns the part of an OpenAPI document that clients depend on. */
export const comparable = (document: Json): Json => asJson(withoutTexts(document));

function withoutTexts(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item));
  if (!isJson(value)) return value;
  // A map's keys are names of fields, which may equal those of texts for people.
  const kept = Object.entries(value).filter(([name]) => isMap || !FOR_PEOPLE.has(name));
  return Object.fromEntries(kept.map(([name, each]) => [name, withoutTexts(each, MAPS.has(name) && !isMap)]));
}

const MAPS = new Set(["properties", "paths", "schemas", "headers", "parameters", "responses"]);
