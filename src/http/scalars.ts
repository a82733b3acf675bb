import { GraphQLScalarType, Kind, type ObjectValueNode, type ValueNode } from "graphql";

/** The scalars of schema/scalars.graphql, which also says what each one means. */
const NAMES = [
  "Decimal",
  "Address",
  "Hash",
  "Text",
  "Integer",
  "UnixSeconds",
  "BlockNumber",
  "JSON",
] as const;

/**
 * One behaviour for all: arguments pass through untouched, numbers as the text that was sent, so that features check
 * and refuse in their own words, the same over REST and over /graphql. In results a bigint (block numbers, seconds)
 * becomes a number; amounts are strings by then.
 */
export const scalarResolvers: Record<string, GraphQLScalarType> = Object.fromEntries(
  NAMES.map((name) => [
    name,
    new GraphQLScalarType({ name, serialize: present, parseValue: takeValue, parseLiteral: takeLiteral }),
  ]),
);

/** The REST layer sends arguments through here too, so everything but a bigint stays what it is. */
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
