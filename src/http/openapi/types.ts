import {
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLScalarType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  valueFromASTUntyped,
} from "graphql";
import { JSON_SCHEMA, type JsonSchema } from "../graphql/scalars.ts";

/** GraphQL's own scalars. */
const BUILT_IN: Readonly<Record<string, JsonSchema>> = {
  String: { type: "string", examples: ["text"] },
  Boolean: { type: "boolean", examples: [true] },
  Int: { type: "integer", examples: [1] },
  Float: { type: "number", examples: [0.5] },
};

/** Enums of answers that may get values without a new version of the API (docs/versioning.md); all others stay as they are. */
export const EXTENSIBLE: ReadonlySet<string> = new Set([
  "ActionType",
  "ActivityKind",
  "ErrCode",
  "EventResource",
  "EventType",
  "PreflightCheckName",
  "SearchKind",
  "SendOperation",
  "WebhookDisabledReason",
]);

/** Marks the schema of an extensible enum, for people and for generators of clients. */
export function markExtensible(name: string, schema: JsonSchema): JsonSchema {
  if (!EXTENSIBLE.has(name)) return schema;
  const description = [schema.description, "Values may be added."].filter(Boolean).join("\n\n");
  return { ...schema, description, "x-extensible": true };
}

/** The types of the schema as JSON Schemas: what a field's result looks like in JSON, and an example of it. */
export interface Types {
  schemaOf(type: GraphQLOutputType): JsonSchema;
  /** @param part what differs from the example of the type; undefined: nothing */
  exampleOf(type: GraphQLOutputType, part?: unknown): unknown;
  /**
   * Returns the schema of an object type by its fields, also of a special one.
   * @param own fields with a schema of their own
   */
  objectOf(type: GraphQLObjectType, own?: Readonly<Record<string, JsonSchema>>): JsonSchema;
  /** Returns the example of an object type by its fields, also of a special one. */
  plainExampleOf(type: GraphQLObjectType): unknown;
  /** Every named type that schemaOf met, for `components.schemas`. */
  components: Record<string, JsonSchema>;
}

/** Object types that the document describes otherwise than by their fields, by name. */
export type SpecialTypes = Readonly<
  Record<
    string,
    {
      schemaOf(type: GraphQLObjectType, types: Types): JsonSchema;
      exampleOf(type: GraphQLObjectType, types: Types): unknown;
    }
  >
>;

/** @throws Error where a scalar does not say what it looks like */
export function createTypes(special: SpecialTypes = {}): Types {
  const components: Record<string, JsonSchema> = {};
  const types: Types = {
    schemaOf,
    exampleOf,
    objectOf: object,
    plainExampleOf: (type) => objectExample(type, {}),
    components,
  };

  function schemaOf(type: GraphQLOutputType): JsonSchema {
    if (isNonNullType(type)) return present(type.ofType);
    return { anyOf: [present(type), { type: "null" }] };
  }

  function present(type: GraphQLOutputType): JsonSchema {
    if (isListType(type)) return { type: "array", items: schemaOf(type.ofType) };
    if (isScalarType(type))
      return BUILT_IN[type.name] ? plain(type.name) : component(type.name, () => custom(type));
    if (isEnumType(type)) return component(type.name, () => words(type));
    if (isObjectType(type))
      return component(type.name, () => special[type.name]?.schemaOf(type, types) ?? object(type));
    throw new Error(`${String(type)} has no JSON form here`);
  }

  function component(name: string, make: () => JsonSchema): JsonSchema {
    if (!components[name]) {
      components[name] = {};
      components[name] = markExtensible(name, make());
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  function object(type: GraphQLObjectType, own: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
    const fields = Object.values(type.getFields());
    return {
      type: "object",
      ...describeSchema(type.description),
      required: fields.map(({ name }) => name),
      properties: Object.fromEntries(
        fields.map((field) => [
          field.name,
          own[field.name] ?? { ...schemaOf(field.type), ...describeSchema(field.description) },
        ]),
      ),
    };
  }

  function exampleOf(type: GraphQLOutputType, part?: unknown): unknown {
    if (isNonNullType(type)) return exampleOf(type.ofType, part);
    if (part === null) return null;
    if (isListType(type)) return listExample(type.ofType, part);
    if (isObjectType(type)) return special[type.name]?.exampleOf(type, types) ?? objectExample(type, part);
    if (part !== undefined) return part;
    if (isScalarType(type)) return scalarExample(type);
    if (isEnumType(type)) return namesOf(type)[0];
    throw new Error(`${String(type)} has no example`);
  }

  function listExample(type: GraphQLOutputType, part: unknown): unknown[] {
    return Array.isArray(part) ? part.map((each) => exampleOf(type, each)) : [exampleOf(type)];
  }

  function objectExample(type: GraphQLObjectType, part: unknown = {}): unknown {
    const fields = type.getFields();
    const given = Object.entries(Object(part));
    const unknown = given.find(([name]) => !(name in fields));
    if (unknown) throw new Error(`an example has ${unknown[0]}, which ${type.name} lacks`);
    const own = new Map(given);
    return Object.fromEntries(
      Object.values(fields).map((field) => [
        field.name,
        own.has(field.name) ? exampleOf(field.type, own.get(field.name)) : fieldExample(field),
      ]),
    );
  }

  function fieldExample(field: GraphQLField<unknown, unknown>): unknown {
    const given = field.astNode?.directives?.find(({ name }) => name.value === "example");
    const value = given?.arguments?.find(({ name }) => name.value === "value")?.value;
    return value ? valueFromASTUntyped(value) : exampleOf(field.type);
  }

  return types;
}

function plain(name: string): JsonSchema {
  const { examples: _examples, ...schema } = BUILT_IN[name] ?? {};
  return schema;
}

const namesOf = (type: GraphQLEnumType): string[] => type.getValues().map(({ name }) => name);

function words(type: GraphQLEnumType): JsonSchema {
  return { type: "string", enum: namesOf(type), ...describeSchema(type.description) };
}

function custom(type: GraphQLScalarType): JsonSchema {
  return { ...jsonSchemaOf(type), ...describeSchema(type.description) };
}

function jsonSchemaOf(type: GraphQLScalarType): JsonSchema {
  const found = BUILT_IN[type.name] ?? type.extensions[JSON_SCHEMA];
  if (typeof found !== "object" || found === null) throw new Error(`${type.name} has no JSON form`);
  return { ...found };
}

function scalarExample(type: GraphQLScalarType): unknown {
  const { examples, enum: words } = jsonSchemaOf(type);
  const list = examples ?? words;
  if (!Array.isArray(list)) throw new Error(`${type.name} has no example`);
  return list[0];
}

export function describeSchema(description: string | null | undefined): { description?: string } {
  return description ? { description } : {};
}
