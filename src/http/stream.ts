import type { AuthResult } from "../auth/authenticate.ts";
import type { OpenStream } from "../context/stream.ts";
import type { Checkpoints } from "../db/checkpoint-watch.ts";
import { ApiError } from "../protocol/errors.ts";
import { indexedBlock, keyExpiry, quotaHeaders } from "./answer-headers.ts";
import { failure } from "./envelope.ts";
import { openSink } from "./event-sink.ts";
import { send, stampOf } from "./http-exchange.ts";
import { type Call, readArgs, readLastEventId, readMinBlock } from "./request-arguments.ts";

/** Answer of a route that streams: its parameters, and the function that prepares a stream. */
export interface StreamAnswer {
  inputs: ReadonlySet<string>;
  open: OpenStream;
}

interface StreamOptions {
  deps: { now: () => number };
  streams?: Readonly<Record<string, StreamAnswer>>;
  checkpoints: Checkpoints;
  minBlockWaitMs: number;
}

/** Answers with a stream, or with an envelope that says why not. A stream that has begun is no request in flight. */
export async function answerStream(
  call: Call,
  { caller, quota, release, recheck = async () => "key unknown" }: Extract<AuthResult, { ok: true }>,
  options: StreamOptions,
): Promise<void> {
  const { exchange } = call;
  const { request } = exchange;
  const { deps, streams = {}, checkpoints, minBlockWaitMs } = options;
  const headers = {
    ...indexedBlock(caller, null, checkpoints),
    ...keyExpiry(caller, deps),
    ...(quota ? quotaHeaders(quota) : {}),
  };
  try {
    const stream = streams[call.route.path];
    if (!stream) throw new ApiError("ROUTE_NOT_FOUND");
    const args = readArgs(call, stream.inputs);
    const minBlock = readMinBlock(request);
    if (minBlock !== null) await checkpoints.reached(caller.chainId, minBlock, minBlockWaitMs);
    const start = await stream.open({ caller, args, lastEventId: readLastEventId(request), recheck });
    start(openSink(exchange, headers), (cause) => {
      exchange.streamEnd = cause;
    });
  } catch (error) {
    send(exchange, failure(error, stampOf(exchange, deps.now)), headers);
  } finally {
    release?.();
  }
}
