import type { IncomingMessage } from "node:http";
import type { Route } from "../context/endpoint.ts";
import { ApiError } from "../protocol/errors.ts";
import { parseBody, parseQuery, refuseQuery, refuseUnknownFields, requireField } from "./arguments.ts";
import type { HttpExchange } from "./http-exchange.ts";

/** A request that met a route. */
export interface Call {
  exchange: HttpExchange;
  route: Route;
  /** Values of the path's parameters. */
  values: Readonly<Record<string, string>>;
  /** The target as callers sign it: without the deployment's path prefix. */
  uri: string;
  /** The text behind the first `?`, exactly as sent; null where there is none. */
  query: string | null;
  body: Buffer;
}

/** Returns the route's arguments: out of the path, and of the query on GET or the body on POST and DELETE. */
export function readArgs(
  { route, values, query, body }: Call,
  inputs: ReadonlySet<string>,
): Record<string, unknown> {
  if (route.method === "GET") {
    if (body.length > 0) throw new ApiError("VALIDATION_FAILED", { message: "A GET takes no body" });
    return query === null ? values : { ...parseQuery(query, inputs), ...values };
  }
  if (query !== null) refuseQuery(query);
  const fields = parseBody(body);
  refuseUnknownFields(fields, inputs);
  requireField(fields, route.explicitField);
  return { ...fields, ...values };
}

/** Enough for any chain's block number, and few enough for a JSON number. */
const BLOCK_NUMBER = /^\d{1,15}$/;

export function readMinBlock(request: IncomingMessage): bigint | null {
  const sent = request.headers["x-min-block"];
  if (sent === undefined) return null;
  if (typeof sent === "string" && BLOCK_NUMBER.test(sent)) return BigInt(sent);
  throw new ApiError("VALIDATION_FAILED", {
    message: "x-min-block must be a block number",
    param: "x-min-block",
  });
}

/** Returns the event id that a client of server-sent events names when it connects again; null where it has none. */
export function readLastEventId({ headers }: IncomingMessage): string | null {
  const sent = headers["last-event-id"];
  return typeof sent === "string" && sent !== "" ? sent : null;
}
