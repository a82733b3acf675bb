import { type DocumentNode, type GraphQLSchema, Kind, parse, print, printSchema, visit } from "graphql";
import { comparable } from "./comparable.ts";
import { isJson, type Json } from "./json-schema.ts";

/** Returns the part of an OpenAPI document that breakingChanges compares: a line for each operation and component. */
export function printReleased(document: Json): string {
  const { paths = {}, components = {}, ...rest } = comparable(document);
  const section = (entries: Json, depth: number): string => {
    const lines = Object.entries(entries).map(([name, value]) =>
      depth > 0 && isJson(value)
        ? `${JSON.stringify(name)}:${section(value, depth - 1)}`
        : `${JSON.stringify(name)}:${JSON.stringify(value)}`,
    );
    return `{\n${lines.join(",\n")}\n}`;
  };
  return `${section({ ...rest, paths, components }, 2)}\n`;
}

/** Returns a GraphQL schema without its descriptions. */
export function printReleasedSchema(schema: GraphQLSchema): string {
  const document: DocumentNode = visit(parse(printSchema(schema)), {
    [Kind.STRING]: (_node, key) => (key === "description" ? null : undefined),
  });
  return `${print(document)}\n`;
}
