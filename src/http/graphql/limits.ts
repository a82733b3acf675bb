import type { ApolloServerPlugin, BaseContext } from "@apollo/server";
import { ApolloArmor } from "@escape.tech/graphql-armor";
import { type ASTVisitor, GraphQLError, type ValidationContext, type ValidationRule } from "graphql";
import { costOf } from "./cost.ts";

/**
 * How large an operation may be. Whatever is larger is refused before a resolver runs, and so before the database.
 * The deepest and widest that the dashboard page asks is well below half of each.
 */
export const GRAPHQL_LIMITS = {
  /** Lexical tokens of a document, counted while it is parsed. */
  tokens: 2_000,
  /** Selections in selections; a fragment counts as one more. The schema itself is eight deep. */
  depth: 12,
  /** Aliases, of __typename too. */
  aliases: 15,
  directives: 10,
  /** Selections, fragments counted wherever they are spread. */
  selections: 2_000,
  /** See graphql-cost.ts: a page of 100 orders with all that is nested in them costs some 20,000. */
  cost: 40_000,
} as const;

/** Limits that validation checks, with the rule that only queries are answered. */
export function createLimitRules(): ValidationRule[] {
  const { depth, aliases, directives } = GRAPHQL_LIMITS;
  const { validationRules } = new ApolloArmor({
    maxDepth: { n: depth },
    // The default lets any number of aliased __typename pass.
    maxAliases: { n: aliases, allowList: [] },
    maxDirectives: { n: directives },
    // Its own count knows neither variables nor the schema: graphql-cost.ts does.
    costLimit: { enabled: false },
    // Apollo does these two itself: parseOptions, hideSchemaDetailsFromClientErrors.
    maxTokens: { enabled: false },
    blockFieldSuggestion: { enabled: false },
  }).protect();
  return [refuseOtherOperations, ...validationRules];
}

/** The schema has no mutations; without this rule a query for one would only fail in execution, as if it were our fault. */
function refuseOtherOperations(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition: (node) => {
      if (node.operation === "query") return;
      context.reportError(new GraphQLError("Only queries are answered here", { nodes: node }));
    },
  };
}

/** Refuses what costs too much, once its variables are known. */
export const costLimit: ApolloServerPlugin<BaseContext> = {
  requestDidStart: async () => ({
    didResolveOperation: async ({ schema, document, operation, request }) => {
      // Where the document has no such operation, Apollo says so.
      if (!operation) return;
      const cost = costOf(schema, document, operation, request.variables ?? {});
      if (cost <= GRAPHQL_LIMITS.cost) return;
      throw new GraphQLError(`The query costs ${cost}; at most ${GRAPHQL_LIMITS.cost} are allowed`, {
        extensions: { code: "GRAPHQL_VALIDATION_FAILED", http: { status: 400 } },
      });
    },
  }),
};
