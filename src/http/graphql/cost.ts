import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  type OperationDefinitionNode,
} from "graphql";
import { type ComplexityEstimator, getComplexity } from "graphql-query-complexity";

/** The cost of a root field or a page without its selections: it asks the database, or a chain node. */
const STATEMENT_COST = 100;
/** The cost of a series: its statement reads up to 31 days of rows. */
const SERIES_COST = 10 * STATEMENT_COST;
/** Steps of a series, about (src/dashboard/overview/span.ts). */
const SERIES_POINTS = 100;
/** Assumed number of items of a list that no argument bounds. */
const LIST_SIZE = 10;
/** Of a page whose size is not said. */
const PAGE_SIZE = 20;

/**
 * Returns the highest cost of an operation: one for each value that may be answered, and STATEMENT_COST for each field that
 * asks the database. Pages count by `first` and `limit`, also where they come in variables, which validation rules do not
 * see.
 * The document must be valid for the schema, and its fragments bounded: each is counted wherever it is spread.
 * @throws GraphQLError where an argument cannot be read
 */
export type CostOf = (
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
) => number;

/** Creates the rule of costs for a schema. */
export function createCostOf(schema: GraphQLSchema): CostOf {
  const estimators = [createEstimator(schema)];
  return (query, operation, variables) => {
    const operationName = operation.name?.value;
    const named = operationName === undefined ? {} : { operationName };
    return getComplexity({ schema, query, variables, estimators, ...named });
  };
}

function createEstimator(schema: GraphQLSchema): ComplexityEstimator {
  const fields = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()));
  const pages = new Set(fields.filter(hasPageSize).map(({ type }) => getNamedType(type)));
  return ({ type, field, args, childComplexity }) => {
    // The server's setting decides if introspection is answered at all.
    if (field.name.startsWith("__")) return 1;
    const isPage = hasPageSize(field);
    if (isSeries(getNamedType(field.type))) return 1 + SERIES_COST + childComplexity;
    if (isSeries(type) && field.name === "points") return 1 + SERIES_POINTS * childComplexity;
    const statement = isPage || type === schema.getQueryType() ? STATEMENT_COST : 0;
    // The size of a page is counted where it is asked for: the list of its rows counts once.
    const isUnbounded = isList(field.type) && !pages.has(type);
    const size = isPage ? pageSizeOf(args) : isUnbounded ? LIST_SIZE : 1;
    return 1 + statement + size * childComplexity;
  };
}

const isSeries = (type: GraphQLNamedType): boolean => isObjectType(type) && "stepSeconds" in type.getFields();

function hasPageSize({ args }: GraphQLField<unknown, unknown>): boolean {
  return args.some(({ name }) => name === "first" || name === "limit");
}

function pageSizeOf({ first, limit }: Record<string, unknown>): number {
  const size = Number(first ?? limit ?? PAGE_SIZE);
  // The field's own check refuses a text that is no number.
  return Number.isNaN(size) ? 1 : Math.max(size, 1);
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}
