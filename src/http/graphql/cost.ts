import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from "graphql";

/** What a root field or a page costs before anything is selected of it: it asks the database, or a chain node. */
const STATEMENT_COST = 100;
/** How many items a list is taken to have that no argument bounds. */
const LIST_SIZE = 10;
/** Of a page whose size is not said. */
const PAGE_SIZE = 20;

interface Walk {
  schema: GraphQLSchema;
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  variables: Record<string, unknown>;
  /** Costs of fragments that were met, so that fragments of fragments are walked once. */
  known: Map<string, number>;
}

/**
 * What an operation may cost at most: one for each value that may be answered, and STATEMENT_COST for each field that
 * asks the database. It counts pages by `first` and `limit`, also where they come in variables, which is why this is no
 * validation rule: those do not see variables.
 * The document must be valid for the schema: fragments without cycles, fields that exist.
 */
export function costOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): number {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  }
  const walk = { schema, fragments, variables: withDefaults(operation, variables), known: new Map() };
  return costOfSelections(walk, operation.selectionSet, schema.getQueryType() ?? undefined, false);
}

function withDefaults(
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const defaults = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...given };
}

/** @param isPaged whether a page's size has been counted already, so that the list of its rows counts once */
function costOfSelections(
  walk: Walk,
  { selections }: SelectionSetNode,
  parent: GraphQLNamedType | undefined,
  isPaged: boolean,
): number {
  let cost = 0;
  for (const node of selections) {
    if (node.kind === Kind.FIELD) cost += costOfField(walk, node, parent, isPaged);
    else if (node.kind === Kind.FRAGMENT_SPREAD) cost += costOfFragment(walk, node.name.value, isPaged);
    else {
      const type = node.typeCondition ? walk.schema.getType(node.typeCondition.name.value) : parent;
      cost += costOfSelections(walk, node.selectionSet, type, isPaged);
    }
  }
  return cost;
}

function costOfFragment(walk: Walk, name: string, isPaged: boolean): number {
  const key = `${name} ${isPaged}`;
  const known = walk.known.get(key);
  if (known !== undefined) return known;
  const fragment = walk.fragments.get(name);
  if (!fragment) return 0;
  const type = walk.schema.getType(fragment.typeCondition.name.value);
  const cost = costOfSelections(walk, fragment.selectionSet, type, isPaged);
  walk.known.set(key, cost);
  return cost;
}

function costOfField(
  walk: Walk,
  node: FieldNode,
  parent: GraphQLNamedType | undefined,
  isPaged: boolean,
): number {
  const field = isObjectType(parent) ? parent.getFields()[node.name.value] : undefined;
  // The meta fields: what they may cost is for introspection being on, and for the limit of recursive selections.
  if (!field) return 1;
  const page = pageSizeOf(walk, field, node);
  const asks = page !== null || parent === walk.schema.getQueryType();
  const size = page ?? (isList(field.type) && !isPaged ? LIST_SIZE : 1);
  const inner = node.selectionSet
    ? costOfSelections(walk, node.selectionSet, getNamedType(field.type), page !== null)
    : 0;
  return 1 + (asks ? STATEMENT_COST : 0) + size * inner;
}

/** Null where the field is no page. */
function pageSizeOf(
  { variables }: Walk,
  { args }: GraphQLField<unknown, unknown>,
  { arguments: given = [] }: FieldNode,
): number | null {
  const name = args.find((arg) => arg.name === "first" || arg.name === "limit")?.name;
  if (!name) return null;
  const node = given.find((argument) => argument.name.value === name);
  const size = Number(node ? (valueFromASTUntyped(node.value, variables) ?? PAGE_SIZE) : PAGE_SIZE);
  // What is no number is refused by the field's own check.
  return Number.isNaN(size) ? 1 : Math.max(size, 1);
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type);
}
