import type { Caller } from "../auth/caller.ts";
import type { Deps } from "../context/deps.ts";
import type { RequestContext } from "../context/request.ts";
import type { Blocks, Checkpoints } from "../db/checkpoint-watch.ts";
import { ApiError } from "../protocol/errors.ts";
import { inSpan } from "../telemetry/tracing.ts";
import { type Answer, failure, success } from "./envelope.ts";
import { type HttpExchange, stampOf } from "./http-exchange.ts";
import { type Call, readArgs, readMinBlock } from "./request-arguments.ts";
import type { Rest } from "./rest/sofa.ts";

export interface ReadOptions {
  deps: Deps;
  rest: Rest;
  /** The indexed block. */
  checkpoints: Checkpoints;
  /** The block of keys' rows. */
  shown: Blocks;
  /** Timeout of a GET with x-min-block for its block, milliseconds. */
  minBlockWaitMs?: number;
}

export const MIN_BLOCK_WAIT_MS = 5_000;

/** An answer that was read, and what its resolver said of it. */
export interface ReadAnswer {
  answer: Answer;
  context: RequestContext;
}

/** Answers an authenticated request by its resolver. Never rejects. @param deps where it reads from */
export async function readAnswer(
  call: Call,
  caller: Caller,
  deps: Deps,
  options: ReadOptions,
): Promise<ReadAnswer> {
  const { exchange } = call;
  const context = createContext(exchange, caller, deps);
  const read = async (): Promise<Answer> => {
    try {
      return success(await resolve(call, context, options), stampOf(exchange, deps.now));
    } catch (error) {
      return failure(error, stampOf(exchange, deps.now));
    }
  };
  // A read that begins ahead is no part of the span of the authentication that it runs beside.
  return { answer: await (exchange.span ? exchange.span.run(read) : read()), context };
}

function createContext({ uuid, log, request }: HttpExchange, caller: Caller, deps: Deps): RequestContext {
  const scope = { chainId: caller.chainId, productType: caller.productType };
  const sent = request.headers["idempotency-key"];
  const idempotencyKey = typeof sent === "string" ? sent : null;
  return { deps, caller, scope, uuid, log, indexedBlock: null, idempotencyKey };
}

async function resolve(call: Call, context: RequestContext, options: ReadOptions): Promise<string> {
  const { exchange, route } = call;
  const { rest, checkpoints, shown, minBlockWaitMs = MIN_BLOCK_WAIT_MS } = options;
  const blocks = route.readsRows ? shown : checkpoints;
  const args = readArgs(call, rest.inputs(route));
  const minBlock = route.method === "GET" ? readMinBlock(exchange.request) : null;
  if (minBlock !== null) await blocks.reached(context.scope.chainId, minBlock, minBlockWaitMs);
  const data = await inSpan(route.field, {}, () => rest.call({ route, args, context }));
  // A reorg in between may have taken the block away again.
  if (minBlock !== null && context.indexedBlock !== null && context.indexedBlock < minBlock) {
    throw new ApiError("INDEXER_BEHIND");
  }
  return data;
}
