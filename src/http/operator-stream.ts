import express, { type RequestHandler, type Router } from "express";
import type { OpenStream } from "../context/stream.ts";
import { parseQuery } from "./arguments.ts";
import { openSink } from "./event-sink.ts";
import { getExchange } from "./http-exchange.ts";
import { readLastEventId } from "./request-arguments.ts";
import { type DashboardSession, getSession } from "./require-dashboard.ts";

/** A stream for the operator: its parameters, and the function that opens it. */
export interface OperatorStream {
  inputs: ReadonlySet<string>;
  open: (
    asked: DashboardSession & { args: Record<string, unknown>; lastEventId: string | null },
  ) => ReturnType<OpenStream>;
}

/** Serves a stream of the logs of all keys to dashboards. What is refused becomes an envelope like any other failure. */
export function createOperatorStream(
  path: string,
  { inputs, open }: OperatorStream,
  requireDashboard: RequestHandler,
): Router {
  const router = express.Router({ caseSensitive: true, strict: true });
  return router.get(path, requireDashboard, async (request, _response) => {
    const exchange = getExchange(request);
    const mark = request.url.indexOf("?");
    const args = mark < 0 ? {} : parseQuery(request.url.slice(mark + 1), inputs);
    const start = await open({ ...getSession(request), args, lastEventId: readLastEventId(request) });
    start(openSink(exchange, {}), (cause) => {
      exchange.streamEnd = cause;
    });
  });
}
