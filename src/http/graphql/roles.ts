import type { ApolloServerPlugin } from "@apollo/server";
import {
  type ArgumentNode,
  type ASTVisitor,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  GraphQLIncludeDirective,
  type GraphQLNamedType,
  type GraphQLSchema,
  GraphQLSkipDirective,
  type GraphQLType,
  getDirectiveValues,
  getNamedType,
  getVariableValues,
  type InlineFragmentNode,
  Kind,
  type ValidationContext,
  validate,
} from "graphql";
import { refuseToViewer } from "../../auth/dashboard/user.ts";
import type { RequestContext } from "../../context/request.ts";

/** Roles that may see a field or use an argument, by the directives of schema/dashboard-users.graphql. */
export type Decision = "operator" | "viewer";

/** An element of a schema that may carry a directive of roles. */
interface Element {
  astNode?: { readonly directives?: readonly DirectiveNode[] | undefined } | null | undefined;
}

/** Returns what the schema itself says of a type, field or argument, or null. */
export function decisionOf({ astNode }: Element): Decision | null {
  const names = new Set(astNode?.directives?.map(({ name }) => name.value));
  if (names.has("operator")) return "operator";
  return names.has("viewer") ? "viewer" : null;
}

/** Scalars in which a user's address can stand. Such a field is for operators where the schema does not say otherwise. */
const CLOSED: ReadonlySet<string> = new Set(["Address", "JSON", "Bytes", "CallArguments"]);

export const isClosed = (type: GraphQLNamedType): boolean => CLOSED.has(type.name);

/** Returns true for what a viewer may not have: by its own decision, that of its type, or because its type is a closed one. */
export function isForOperators(element: Element & { type: GraphQLType }): boolean {
  const type = getNamedType(element.type);
  return (decisionOf(element) ?? decisionOf(type) ?? (isClosed(type) ? "operator" : "viewer")) === "operator";
}

/**
 * Creates the plugin that refuses viewers what is for operators: before any resolver runs, whatever resolvers do. It is no
 * validation rule of Apollo's, which keeps documents that were valid once, for everybody.
 */
export function createRoleCheck(schema: GraphQLSchema): ApolloServerPlugin<RequestContext> {
  return {
    requestDidStart: async () => ({
      didResolveOperation: async ({ document, operation, request, contextValue }) => {
        // If the document has no such operation, Apollo refuses it.
        if (!operation || contextValue.user?.role === "operator") return;
        const { coerced } = getVariableValues(
          schema,
          operation.variableDefinitions ?? [],
          request.variables ?? {},
        );
        // If a variable is wrong, execution refuses the operation before it calls a resolver.
        if (!coerced) return;
        const [first, ...others] = findRefused(schema, document, coerced);
        if (!first) return;
        const fields = [...new Set([first, ...others].map(({ message }) => message))];
        contextValue.log.info({ user: contextValue.user?.name, fields }, "refused to a viewer");
        throw refuse(first, fields);
      },
    }),
  };
}

function refuse({ nodes }: GraphQLError, fields: readonly string[]): GraphQLError {
  const originalError = refuseToViewer(fields);
  const extensions = { http: { status: 400 } };
  return new GraphQLError(originalError.message, { nodes, originalError, extensions });
}

/** Returns an error for each field and argument of a document that is for operators, with its name as the message. */
function findRefused(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Record<string, unknown>,
): readonly GraphQLError[] {
  return validate(schema, document, [(context) => createRule(context, variables)]);
}

function createRule(context: ValidationContext, variables: Record<string, unknown>): ASTVisitor {
  return {
    InlineFragment: (node) => (isLeftOut(node, variables) ? false : undefined),
    Field: (node) => {
      if (isLeftOut(node, variables)) return false;
      const [parent, field] = [context.getParentType(), context.getFieldDef()];
      if (!parent || !field) return undefined;
      if (decisionOf(parent) !== "operator" && !isForOperators(field)) return undefined;
      context.reportError(new GraphQLError(`${parent.name}.${field.name}`, { nodes: node }));
      return false;
    },
    Argument: (node) => {
      const argument = context.getArgument();
      if (!argument || !isForOperators(argument) || isUnset(node, variables)) return;
      const name = `${context.getParentType()?.name}.${context.getFieldDef()?.name}(${argument.name})`;
      context.reportError(new GraphQLError(name, { nodes: node }));
    },
  };
}

/** Returns true where execution leaves a selection out: it decides by the same values. */
function isLeftOut(node: FieldNode | InlineFragmentNode, variables: Record<string, unknown>): boolean {
  try {
    if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return true;
    return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if === false;
  } catch {
    // A condition without a value, which execution refuses.
    return false;
  }
}

/** Returns true where execution takes an argument for left out: its variable has no value. */
const isUnset = ({ value }: ArgumentNode, variables: Record<string, unknown>): boolean =>
  value.kind === Kind.VARIABLE && !Object.hasOwn(variables, value.name.value);
