import type { JsonSchema } from "../../graphql/scalars.ts";

/** Parts of the OpenAPI document that the reference shows. */
export interface ApiDocument {
  info: { title: string; version: string; description: string };
  tags: readonly { name: string; description: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: { schemas: Readonly<Record<string, Schema>> };
}

export interface Operation {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description?: string;
  parameters?: readonly (Parameter | Reference)[];
  requestBody?: { content: Readonly<Record<string, Media>> };
  responses: Readonly<Record<string, Response | Reference>>;
  "x-codeSamples"?: readonly { label: string; source: string }[];
}

/** An operation with its place in the document. */
export interface Endpoint {
  method: string;
  path: string;
  operation: Operation;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

interface Response {
  content?: Readonly<Record<string, Media>>;
}

export interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Readonly<Record<string, { summary?: string; value?: unknown }>>;
}

export interface Reference {
  $ref: string;
}

export interface Schema {
  $ref?: string;
  description?: string;
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  required?: readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
}

export const readDocument = (document: JsonSchema): ApiDocument => document as unknown as ApiDocument;

/** Returns what a reference leads to, or the value itself. @throws Error where nothing is there */
export function follow<Value extends object>(document: ApiDocument, value: Value | Reference): Value {
  if (!("$ref" in value) || typeof value.$ref !== "string") return value as Value;
  const found = value.$ref
    .slice(2)
    .split("/")
    .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], document);
  if (found === undefined) throw new Error(`the OpenAPI document has no ${value.$ref}`);
  return found as Value;
}

/** Returns the name of the schema that a reference leads to; null where it is none. */
export const nameOf = ({ $ref }: Schema): string | null =>
  $ref?.startsWith("#/components/schemas/") ? $ref.slice($ref.lastIndexOf("/") + 1) : null;
