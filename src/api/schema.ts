import type { GraphQLSchema } from "graphql";
import type { Endpoint } from "../context/endpoint.ts";
import type { Args } from "../context/input/fields.ts";
import type { RequestContext } from "../context/request.ts";
import * as dashboard from "../dashboard/index.ts";
import { ownScalarResolvers } from "../http/graphql/scalars.ts";
import { buildSchema, readTypeDefs } from "../http/graphql/sdl.ts";
import { once } from "../http/once.ts";
import { ENDPOINTS } from "./endpoints.ts";

/**
 * Returns the one schema that REST and /graphql serve: schema/*.graphql, resolved by the endpoints and by the dashboard's
 * own resolvers. A process builds it once, also for several servers.
 */
export const buildApiSchema = once(
  (): GraphQLSchema =>
    buildSchema(readTypeDefs(), [ownScalarResolvers, resolversOf(ENDPOINTS), dashboard.resolvers]),
);

type Resolver = (root: unknown, args: Args, context: RequestContext) => unknown;

/** Returns the resolvers of the endpoints' fields. @throws Error where two endpoints name one field */
function resolversOf(endpoints: readonly Endpoint[]): Record<string, Record<string, Resolver>> {
  const resolvers: Record<string, Record<string, Resolver>> = { Query: {}, Mutation: {} };
  for (const { field, resolve } of endpoints) {
    const [root = "", name = ""] = field.split(".");
    const fields = resolvers[root];
    if (!fields || fields[name]) throw new Error(`two endpoints name ${field}`);
    fields[name] = (_root, args, context) => resolve(context, args);
  }
  return resolvers;
}
