import { GraphQLScalarType, Kind, type ObjectValueNode, type ValueNode } from "graphql";
import * as words from "../../protocol/enums.ts";
import { ERROR_CATALOGUE } from "../../protocol/errors.ts";

/** A JSON Schema, draft 2020-12. */
export interface JsonSchema {
  [keyword: string]: unknown;
}

/** Scalars of every schema that is served, with what their results look like in JSON. */
const PLAIN: Readonly<Record<string, JsonSchema>> = {
  Decimal: { type: "string", pattern: "^-?(0|[1-9]\\d*)(\\.\\d*[1-9])?$", examples: ["180.5"] },
  Address: {
    type: "string",
    pattern: "^0x[0-9a-fA-F]{40}$",
    examples: ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8"],
  },
  Hash: {
    type: "string",
    pattern: "^0x[0-9a-f]{64}$",
    examples: ["0x8a7d3f1c5b9e2d4f6a8c0e1b3d5f7a9c2e4b6d8f0a1c3e5b7d9f1a2c4e6b8d0f"],
  },
  Text: { type: "string" },
  // Times and blocks outgrow the 32 bits that generators of clients take an integer for.
  Integer: { type: "integer", format: "int64", examples: [1] },
  UnixSeconds: { type: "integer", format: "int64", minimum: 0, examples: [1_795_226_400] },
  BlockNumber: { type: "integer", format: "int64", minimum: 0, examples: [48_210_377] },
  JSON: {},
};

/** Scalars that only our own schema has. */
const OWN: Readonly<Record<string, JsonSchema>> = {
  Bytes: { type: "string", pattern: "^0x([0-9a-f]{2})*$", examples: ["0x1f6c53a2"] },
  CallArguments: {
    type: "object",
    additionalProperties: { type: "string" },
    examples: [{ amount: "100000000000000000000", deadline: "1924992000" }],
  },
  OrderStatus: oneOf(words.ORDER_STATUSES),
  OperationType: oneOf(words.OPERATION_TYPES),
  ActionType: oneOf(words.ACTION_TYPES),
  SendOperation: oneOf(words.SEND_OPERATIONS),
  ActivityKind: oneOf(words.ACTIVITY_KINDS),
  EventType: oneOf(words.EVENT_TYPES),
  EventResource: oneOf(words.EVENT_RESOURCES),
  ErrCode: oneOf(Object.keys(ERROR_CATALOGUE)),
};

function oneOf(values: readonly string[]): JsonSchema {
  return { type: "string", enum: values };
}

/** Name of the extension of a scalar that has its schema for the OpenAPI document. */
export const JSON_SCHEMA = "jsonSchema";

/**
 * One behaviour for all: arguments pass through untouched, numbers as the text that was sent, so that features check
 * and refuse in their own words, the same over REST and over /graphql. In results a bigint (block numbers, seconds)
 * becomes a number; amounts are strings by then.
 */
export const scalarResolvers = scalars(PLAIN);

/** Resolvers of the scalars of schema/ that other schemas lack. */
export const ownScalarResolvers = scalars(OWN);

function scalars(schemas: Readonly<Record<string, JsonSchema>>): Record<string, GraphQLScalarType> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      new GraphQLScalarType({
        name,
        serialize: present,
        parseValue: takeValue,
        parseLiteral: takeLiteral,
        extensions: { [JSON_SCHEMA]: schema },
      }),
    ]),
  );
}

/** Returns the REST layer sends arguments through here too, so everything but a bigint stays what it is. */
function present(value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError("a bigint in a result must be a safe integer");
  return number;
}

function takeValue(value: unknown): unknown {
  return typeof value === "number" ? String(value) : value;
}

function takeLiteral(node: ValueNode, variables?: Record<string, unknown> | null): unknown {
  switch (node.kind) {
    case Kind.VARIABLE:
      return variables?.[node.name.value];
    case Kind.NULL:
      return null;
    case Kind.LIST:
      return node.values.map((item) => takeLiteral(item, variables));
    case Kind.OBJECT:
      return takeObject(node, variables);
    default:
      return node.value;
  }
}

function takeObject(node: ObjectValueNode, variables?: Record<string, unknown> | null): unknown {
  return Object.fromEntries(
    node.fields.map((field) => [field.name.value, takeLiteral(field.value, variables)]),
  );
}
