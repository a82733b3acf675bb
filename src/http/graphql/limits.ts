import type { ApolloServerPlugin, BaseContext } from "@apollo/server";
import { ApolloArmor } from "@escape.tech/graphql-armor";
import {
  type ASTVisitor,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  type ValidationContext,
  type ValidationRule,
} from "graphql";
import { createCostOf } from "./cost.ts";

/**
 * Limits of an operation's size. A larger one is refused before a resolver runs, and so before the database.
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
  /** See cost.ts: a page of 100 orders with all that is nested in them costs some 20,000. */
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
    // It counts neither pages whose size comes in a variable, nor `limit`, nor what the schema says: cost.ts does.
    costLimit: { enabled: false },
    // Apollo does these two itself: parseOptions, hideSchemaDetailsFromClientErrors.
    maxTokens: { enabled: false },
    blockFieldSuggestion: { enabled: false },
  }).protect();
  return [refuseOtherOperations, ...validationRules];
}

/** Refuses other operations than queries. The schema has none; without this rule they would only fail in execution, as INTERNAL. */
function refuseOtherOperations(context: ValidationContext): ASTVisitor {
  return {
    OperationDefinition: (node) => {
      if (node.operation === "query") return;
      context.reportError(new GraphQLError("Only queries are answered here", { nodes: node }));
    },
  };
}

/** Creates the plugin that refuses what costs too much, once its variables are known. */
export function createCostLimit(schema: GraphQLSchema): ApolloServerPlugin<BaseContext> {
  const costOf = createCostOf(schema);
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ document, operation, request: { variables = {} } }) => {
        // If the document has no such operation, Apollo refuses it.
        if (!operation) return;
        // If a variable is wrong, execution refuses the operation before it calls a resolver.
        if (getVariableValues(schema, operation.variableDefinitions ?? [], variables).errors) return;
        const cost = countCost(() => costOf(document, operation, variables));
        if (cost <= GRAPHQL_LIMITS.cost) return;
        throw refuse(`The query costs ${cost}; at most ${GRAPHQL_LIMITS.cost} are allowed`);
      },
    }),
  };
}

/** Refuses what cannot be counted: other fields of the operation may cost anything. */
function countCost(count: () => number): number {
  try {
    return count();
  } catch (error) {
    if (error instanceof GraphQLError) throw refuse(error.message);
    throw error;
  }
}

function refuse(message: string): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code: "GRAPHQL_VALIDATION_FAILED", http: { status: 400 } },
  });
}
