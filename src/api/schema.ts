import type { GraphQLSchema } from "graphql";
import type { z } from "zod";
import * as cash from "../cash/index.ts";
import * as dashboard from "../dashboard/index.ts";
import { ownScalarResolvers } from "../http/graphql/scalars.ts";
import { buildSchema, readTypeDefs } from "../http/graphql/sdl.ts";
import * as market from "../market/index.ts";
import * as oneclick from "../oneclick/index.ts";
import * as orders from "../orders/index.ts";
import * as portfolio from "../portfolio/index.ts";
import * as stock from "../stock/index.ts";

const FEATURES = [market, portfolio, orders, cash, stock, oneclick];

/** The one schema that REST and /graphql serve: schema/*.graphql with the features' resolvers. Built once, at start. */
export function buildApiSchema(): GraphQLSchema {
  const resolvers = [...FEATURES, dashboard].map((feature) => feature.resolvers);
  return buildSchema(readTypeDefs(), [ownScalarResolvers, ...resolvers]);
}

/** What the arguments of each root field must be; a field that is not here takes none. */
export const INPUTS: Readonly<Record<string, z.ZodObject>> = Object.assign(
  {},
  ...FEATURES.map(({ inputs }) => inputs),
);
