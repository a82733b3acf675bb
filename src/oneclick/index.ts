import { requireCaller } from "../auth/viewer.ts";
import type { RequestContext } from "../context/request.ts";
import { disable } from "./disable.ts";
import { enable } from "./enable.ts";
import { enableShape, prepareShape } from "./input.ts";
import { prepare } from "./prepare.ts";
import { readSendQueues } from "./queues.ts";
import { readStatus } from "./status.ts";

type Args = Record<string, unknown>;

/** GraphQL fields of schema/oneclick.graphql, and the queue's of schema/sends.graphql. */
export const resolvers = {
  Query: {
    delegation: (_root: unknown, _args: Args, context: RequestContext) =>
      readStatus(context.deps, requireCaller(context)),
    sendQueues: (_root: unknown, _args: Args, context: RequestContext) =>
      readSendQueues(context.deps, context.caller, context.scope.chainId),
  },
  Mutation: {
    delegationPrepare: (_root: unknown, args: Args, context: RequestContext) =>
      prepare(context.deps, requireCaller(context), args),
    delegationEnable: (_root: unknown, args: Args, context: RequestContext) =>
      enable(context.deps, requireCaller(context), args),
    delegationDisable: (_root: unknown, _args: Args, context: RequestContext) =>
      disable(context.deps, requireCaller(context)),
  },
};

/** What the fields' arguments must be, for the OpenAPI document. */
export const inputs = { delegationPrepare: prepareShape, delegationEnable: enableShape };
