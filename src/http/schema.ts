import type { GraphQLSchema } from "graphql";
import { resolvers as cash } from "../cash/index.ts";
import { resolvers as market } from "../market/index.ts";
import { resolvers as orders } from "../orders/index.ts";
import { resolvers as portfolio } from "../portfolio/index.ts";
import { buildSchema, readTypeDefs } from "./sdl.ts";

/** The one schema that REST and /graphql serve: schema/*.graphql with the features' resolvers. Built once, at start. */
export function buildApiSchema(): GraphQLSchema {
  return buildSchema(readTypeDefs(), [market, portfolio, orders, cash]);
}
