import type { z } from "zod";
import type { Cost } from "../protocol/costs.ts";
import type { ErrCode } from "../protocol/errors.ts";
import type { Deps } from "./deps.ts";
import type { AnswerExamples } from "./examples.ts";
import { type Args, parseInput } from "./input/fields.ts";
import { type BlockRead, type RequestContext, scopeOf, unwrapAtBlock } from "./request.ts";
import type { MutationResolvers, QueryResolvers } from "./schema-types.ts";

/** Method and path of an endpoint, and the root field of the schema that answers it. */
export interface Route {
  method: "GET" | "POST" | "DELETE";
  /** Relative to API_PREFIX; `:name` is a path parameter. */
  path: string;
  field: `Query.${string}` | `Mutation.${string}`;
  /** Cost units of a request; 1 where left out. */
  cost?: Cost;
  /**
   * Parameters of the query, of a GET that reads little with no others, and from the database alone: it may run beside the claim of
   * the request's nonce, and its answer is discarded where that fails.
   */
  readsAhead?: readonly string[] | null;
  /**
   * True for a GET of rows that a key sees, orders or operations, and of nothing else. Its block and version are those of the rows
   * (docs/projection.md#reads), so that its answers are kept and replicas may give them; others are read from the primary, and their
   * block is the index's.
   */
  readsRows?: boolean;
  /** True for a GET that answers with a stream of server-sent events, and by no resolver. */
  streams?: boolean;
  /** Name of a body field that must be sent, be it null. A resolver sees null and a field that was forgotten alike. */
  explicitField?: string;
}

/** A group of endpoints in the OpenAPI document. */
export interface Tag {
  name: string;
  description: string;
}

/** One endpoint: what router, REST, GraphQL, the OpenAPI document, docs/endpoints.md and the tests follow from. */
export interface Endpoint extends Route {
  /** Effect of the request, as a few words in the imperative: `Place an order`. */
  title: string;
  cost: Cost;
  tag: Tag;
  /** True where an answer carries X-Event-Cursor: a list that the log of events goes on from. */
  logged: boolean;
  /** Schema of the arguments; null where there are none. */
  input: z.ZodObject | null;
  /** Error codes of its refusals, beside EVERYWHERE. */
  refusals: readonly ErrCode[];
  /** For the OpenAPI document. */
  examples: AnswerExamples;
  /** Answers with the field's data. `args` are the arguments as sent, which this checks. */
  resolve(context: RequestContext, args: Args): unknown;
}

type QueryName = `Query.${Extract<keyof QueryResolvers, string>}`;
type MutationName = `Mutation.${Extract<keyof MutationResolvers, string>}`;

type ResolverOf<F> = F extends `Query.${infer N extends keyof QueryResolvers}`
  ? QueryResolvers[N]
  : F extends `Mutation.${infer N extends keyof MutationResolvers}`
    ? MutationResolvers[N]
    : never;
type FunctionOf<F> = Extract<ResolverOf<F>, (...args: never[]) => unknown>;
/** The arguments and the result of a field, by the schema. */
type ArgsOf<F> = Parameters<FunctionOf<F>>[1];
type ResultOf<F> = Awaited<ReturnType<FunctionOf<F>>>;

type FieldName = QueryName | MutationName;
/** A check for each argument of the field. */
type ShapeOf<F> = Record<Extract<keyof ArgsOf<F>, string>, z.ZodType>;

/** The input of `resolve`: undefined where the field takes no arguments. */
type InputOf<S extends z.ZodRawShape> = string extends keyof S ? undefined : z.output<z.ZodObject<S>>;

interface Definition<F extends FieldName, S extends ShapeOf<F>> {
  method: F extends QueryName ? "GET" : "POST" | "DELETE";
  path: string;
  field: F;
  /** See Endpoint. */
  title: string;
  cost?: Cost;
  /** See Route. */
  readsAhead?: F extends QueryName ? readonly Extract<keyof S, string>[] : never;
  /** See Route. */
  readsRows?: F extends QueryName ? boolean : never;
  /** See Endpoint. */
  logged?: F extends QueryName ? boolean : never;
  /** See Route. */
  explicitField?: F extends MutationName ? Extract<keyof S, string> : never;
  input?: z.ZodObject<S>;
  refusals?: readonly ErrCode[];
  /** See Endpoint; none where the example of the data's type fits. */
  examples?: AnswerExamples;
  /** Refuses what is refused before the input is checked. `args` are as sent. */
  before?: (context: RequestContext, args: Args) => void | Promise<void>;
  /** Answers with the field's result type. `input` is checked. */
  resolve: (context: RequestContext, input: InputOf<NoInfer<S>>) => ResultOf<F> | Promise<ResultOf<F>>;
}

/** Returns the function that a feature describes its endpoints with. */
export function endpointsOf(tag: Tag) {
  return <F extends FieldName, S extends ShapeOf<F>>(definition: Definition<F, S>): Endpoint => {
    const { method, path, field, title, cost = 1, input = null, refusals = [], examples = {} } = definition;
    const { readsAhead = null, readsRows = false, logged = false, explicitField } = definition;
    return {
      method,
      path,
      field,
      title,
      cost,
      readsAhead,
      readsRows,
      logged,
      explicitField,
      tag,
      input,
      refusals,
      examples,
      resolve: checked(definition),
    };
  };
}

/** Checks the input once, before `resolve`. Without `before`, no promise stands between the two. */
function checked<F extends FieldName, S extends ShapeOf<F>>(
  definition: Definition<F, S>,
): Endpoint["resolve"] {
  const { input, before, resolve } = definition;
  if (!input) return (context) => resolve(context, undefined as InputOf<S>);
  if (before) {
    return async (context, args) => {
      await before(context, args);
      return resolve(context, parseInput(input, args) as InputOf<S>);
    };
  }
  return (context, args) => {
    // Reads the scope for its exception: a dashboard without scope headers is refused before its input is checked.
    scopeOf(context);
    return resolve(context, parseInput(input, args) as InputOf<S>);
  };
}

/** A verb of a feature. @param who in whose name it works: a scope, a viewer or a caller */
type Verb<W, I, R> = (deps: Deps, who: W, input: I) => Promise<R>;
type Who<W> = (context: RequestContext) => W;

/** Resolves by a verb that reads at a block, which goes into X-Indexed-Block. */
export const atBlock =
  <W, I, T>(who: Who<W>, verb: Verb<W, I, BlockRead<T>>) =>
  async (context: RequestContext, input: I): Promise<T> =>
    unwrapAtBlock(context, await verb(context.deps, who(context), input));

/** Resolves by a verb that reads no index. */
export const unindexed =
  <W, I, T>(who: Who<W>, verb: Verb<W, I, T>) =>
  (context: RequestContext, input: I): Promise<T> =>
    verb(context.deps, who(context), input);
