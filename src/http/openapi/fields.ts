import { type GraphQLField, type GraphQLSchema, getNullableType, isListType, isObjectType } from "graphql";
import type { Endpoint, Tag } from "../../context/endpoint.ts";

type Field = GraphQLField<unknown, unknown>;

/** Returns the root field that answers an endpoint. @throws Error where the schema has none of that name */
export function rootField(schema: GraphQLSchema, { field: name }: Pick<Endpoint, "field">): Field {
  const [root, field = ""] = name.split(".");
  const type = root === "Query" ? schema.getQueryType() : schema.getMutationType();
  const found = type?.getFields()[field];
  if (!found) throw new Error(`the schema has no ${name}`);
  return found;
}

/** Returns the path of an endpoint as OpenAPI writes it: /orders/{orderId}. */
export const templateOf = ({ path }: Pick<Endpoint, "path">): string => path.replaceAll(/:(\w+)/g, "{$1}");

/** Returns the groups of endpoints, in the order in which they first appear. */
export function tagsOf(endpoints: readonly Endpoint[]): readonly Tag[] {
  return [...new Set(endpoints.map(({ tag }) => tag))];
}

/** Returns whether a field answers with a list: of values, or of rows with what pages through them. */
export function isListField({ type }: Pick<Field, "type">): boolean {
  const answer = getNullableType(type);
  return isListType(answer) || (isObjectType(answer) && "rows" in answer.getFields());
}
