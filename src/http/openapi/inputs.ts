import type { GraphQLField } from "graphql";
import { z } from "zod";
import type { JsonSchema } from "../graphql/scalars.ts";
import { describeSchema } from "./types.ts";

/** One argument of an endpoint: what it must be by zod, what it means by the GraphQL schema. */
export interface Input {
  name: string;
  required: boolean;
  schema: JsonSchema;
  description: string;
  example: unknown;
}

export interface Inputs {
  list: readonly Input[];
  /** Constraints of several of them together, such as which are required; without `properties`. */
  together: JsonSchema;
  /** Whole requests by name, where the shape names some. */
  examples: Readonly<Record<string, Record<string, unknown>>>;
}

const objectSchema = z.looseObject({
  properties: z.record(z.string(), z.looseObject({})).default({}),
  required: z.array(z.string()).default([]),
  requests: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});

/**
 * Returns what an endpoint takes: names and meanings of a field's arguments, joined with the shape that checks them.
 * @param shape null where the field takes no argument
 * @throws Error where the two do not name the same arguments
 */
export function readInputs(
  field: Pick<GraphQLField<unknown, unknown>, "name" | "args">,
  shape: z.ZodObject | null,
): Inputs {
  const json = z.toJSONSchema(shape ?? z.object({}), { io: "input", unrepresentable: "any" });
  const { properties, required, requests, ...rest } = objectSchema.parse(json);
  const { $schema: _$schema, type: _type, additionalProperties: _closed, ...together } = rest;
  const named = field.args.map(({ name }) => name);
  const differing = [...new Set([...named, ...Object.keys(properties)])].filter(
    (name) => !named.includes(name) || !properties[name],
  );
  if (differing.length > 0)
    throw new Error(`${field.name}: schema and input disagree on ${differing.join(", ")}`);
  const list = field.args.map(({ name, description }) => {
    const { example: own, ...schema } = properties[name] ?? {};
    return {
      name,
      required: required.includes(name),
      schema: withoutDefaultNull(schema),
      description: description ?? "",
      example: own ?? firstOf(schema.enum),
    };
  });
  return { list, together, examples: requests };
}

/** Returns the schema of a JSON body that carries these inputs. */
export function bodySchema(list: readonly Input[], together: JsonSchema): JsonSchema {
  const required = list.filter((input) => input.required).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(
      list.map(({ name, schema, description }) => [name, { ...schema, ...describeSchema(description) }]),
    ),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
    ...together,
  };
}

function withoutDefaultNull({ default: given, ...schema }: JsonSchema): JsonSchema {
  return given === undefined || given === null ? schema : { ...schema, default: given };
}

function firstOf(words: unknown): unknown {
  return Array.isArray(words) ? words[0] : undefined;
}
