import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests of one connection that are answered at a time. An answer counts until the system has taken all of it. */
const ANSWERING_MAX = 8;
/** Requests of one connection that are answered or wait for it. */
const PIPELINED_MAX = 100;

interface Waiting {
  response: ServerResponse;
  answer: () => void;
}

interface Pipeline {
  /** A few at most. The former tables of a Set would keep them alive until V8 collects all garbage, not the young alone. */
  answering: ServerResponse[];
  waiting: Waiting[];
}

export interface Pipelines {
  /** Calls `answer` as soon as the request's connection has room for it, in order of arrival. */
  admit(request: IncomingMessage, response: ServerResponse, answer: () => void): void;
  /** Answers of a connection that are not out yet, in order. */
  pending(socket: Socket): ServerResponse[];
  /** Returns true where an answer is being made; an unread answer or an incomplete request does not count. */
  isBusy(socket: Socket): boolean;
}

/**
 * Bounds how many requests of one connection are answered at a time. Node reads on until 64 KiB are parsed, some two
 * thousand requests, and holds all their answers for a caller that reads none. A connection with more requests than
 * PIPELINED_MAX is closed: already parsed, they cost memory even where they are not answered.
 */
export function createPipelines(onOverflow: (socket: Socket) => void): Pipelines {
  const pipelines = new WeakMap<Socket, Pipeline>();

  function open(socket: Socket): Pipeline {
    const pipeline: Pipeline = { answering: [], waiting: [] };
    pipelines.set(socket, pipeline);
    socket.once("close", () => abandon(pipeline));
    return pipeline;
  }

  function start(pipeline: Pipeline, { response, answer }: Waiting): void {
    const { answering } = pipeline;
    answering.push(response);
    response.once("close", () => {
      answering.splice(answering.indexOf(response), 1);
      if (response.req.socket.destroyed) return;
      const next = pipeline.waiting.shift();
      if (next) start(pipeline, next);
    });
    answer();
  }

  return {
    admit: ({ socket }, response, answer) => {
      // Requests that were parsed together with the one that closed the connection still arrive here.
      if (socket.destroyed) return;
      const pipeline = pipelines.get(socket) ?? open(socket);
      const { answering, waiting } = pipeline;
      if (answering.length + waiting.length >= PIPELINED_MAX) onOverflow(socket);
      else if (answering.length >= ANSWERING_MAX) waiting.push({ response, answer });
      else start(pipeline, { response, answer });
    },
    isBusy: (socket) =>
      pipelines.get(socket)?.answering.some((response) => response.req.complete && !response.writableEnded) ??
      false,
    pending: (socket) => {
      const pipeline = pipelines.get(socket);
      return pipeline ? [...pipeline.answering, ...pipeline.waiting.map(({ response }) => response)] : [];
    },
  };
}

/**
 * Closes the answers behind it: Node closes only the answer whose turn it is; those behind it would be held, and never
 * logged.
 */
function abandon({ answering, waiting }: Pipeline): void {
  waiting.length = 0;
  for (const response of [...answering]) {
    if (response.closed || response.destroyed) continue;
    response.destroy();
    response.emit("close");
  }
}
