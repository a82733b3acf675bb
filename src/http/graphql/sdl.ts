import { readdirSync, readFileSync } from "node:fs";
import { makeExecutableSchema } from "@graphql-tools/schema";
import type { IResolvers } from "@graphql-tools/utils";
import type { GraphQLSchema } from "graphql";
import { ROOT } from "../../config/root.ts";
import type { RequestContext } from "../../context/request.ts";
import { scalarResolvers } from "./scalars.ts";

const SCHEMA_DIR = `${ROOT}schema/`;

/** Returns the text of every file in schema/. */
export function readTypeDefs(): string[] {
  const files = readdirSync(SCHEMA_DIR).filter((name) => name.endsWith(".graphql"));
  return files.sort().map((name) => readFileSync(`${SCHEMA_DIR}${name}`, "utf8"));
}

/**
 * Joins type definitions and resolvers, and adds the scalars' behaviour.
 * @throws Error where a resolver has no field in the type definitions
 */
export function buildSchema(
  typeDefs: string[],
  resolvers: IResolvers<unknown, RequestContext>[],
): GraphQLSchema {
  return makeExecutableSchema({
    typeDefs,
    resolvers: [scalarResolvers, ...resolvers],
    resolverValidationOptions: { requireResolversToMatchSchema: "error" },
    // Nobody else has the schema yet: a copy with the resolvers would take a third of the time.
    updateResolversInPlace: true,
  });
}
