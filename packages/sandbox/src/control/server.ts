import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from "express";
import { z } from "zod";
import { parseBody } from "../../../../src/http/arguments.ts";
import { ApiError } from "../../../../src/protocol/errors.ts";
import { corsHeaders, refusalOf, withCallersName } from "../browser-guard.ts";
import { MiningOff, SettlerRevert } from "../settler/desk.ts";
import { cashRoutes } from "./cash.ts";
import { chainRoutes } from "./chain.ts";
import { type ControlContext, ControlError } from "./context.ts";
import { marketRoutes } from "./market.ts";
import { orderRoutes } from "./orders.ts";
import type { Route } from "./route.ts";
import { sandboxRoutes } from "./sandbox.ts";

export const ROUTES: readonly Route[] = [
  ...sandboxRoutes,
  ...marketRoutes,
  ...orderRoutes,
  ...cashRoutes,
  ...chainRoutes,
];

export interface ControlServer {
  url: string;
  close(): Promise<void>;
}

/** Longer than clients keep a connection, so that none is closed while a script reuses it. */
const KEEP_ALIVE_MS = 65_000;

/**
 * Serves the control: programs may script the sandbox; pages in this machine's browsers may not, except those of the allowed origins.
 * @param host the address to listen on: the loopback interface's, save in a container
 * @throws Error where the port is taken.
 */
export async function startControl(
  port: number,
  host: string,
  context: ControlContext,
): Promise<ControlServer> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, controlApp(context));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { port: listening } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${listening}`, close: () => close(server) };
}

export function controlApp(context: ControlContext): Express {
  const app = express();
  app.disable("x-powered-by");
  app.use(guard(context));
  app.use(express.raw({ type: () => true, limit: "64kb" }));
  app.get("/", (_request, response) => {
    const routes = ROUTES.map(({ method, path, fields, does }) => ({ method, path, fields, does }));
    response.json({ routes });
  });
  for (const { method, path, handle } of ROUTES) {
    app[method === "GET" ? "get" : "post"](path, async (request, response) => {
      const answer = await handle(context, request.params, bodyOf(request));
      if (method === "POST") context.log.info({ path: request.path }, "scripted");
      response.json(withCallersName(request, answer));
    });
  }
  app.use((_request, response) => {
    response.status(404).json({ error: "there is no such route; GET / lists them" });
  });
  app.use(answerError(context));
  return app;
}

function guard({ allowed }: ControlContext): RequestHandler {
  return (request, response, next) => {
    const refusal = refusalOf(request, allowed);
    if (refusal) return void response.status(refusal.status).json({ error: refusal.reason });
    response.set(corsHeaders(request));
    if (request.method === "OPTIONS") return void response.status(204).end();
    next();
  };
}

/** Returns the fields of a call: a GET's are its query. */
function bodyOf({ method, query, body }: Request): unknown {
  if (method === "GET") return { ...query };
  return Buffer.isBuffer(body) ? parseBody(body) : {};
}

function answerError({ log }: ControlContext): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const { status, body } = describe(error);
    if (status === 500) log.error({ err: error, path: request.path }, "a script's call failed");
    response.status(status).json(body);
  };
}

function describe(error: unknown): { status: number; body: Record<string, unknown> } {
  if (error instanceof z.ZodError) {
    const issues = error.issues.map(({ path, message }) => ({ field: path.join(".") || null, message }));
    const texts = issues.map(({ field, message }) => (field ? `${field}: ${message}` : message));
    return { status: 400, body: { error: texts.join("; "), issues } };
  }
  if (error instanceof ControlError) {
    return { status: error.status, body: { error: error.message, ...error.detail } };
  }
  if (error instanceof SettlerRevert) {
    return { status: 409, body: { error: error.message, revert: error.revert } };
  }
  if (error instanceof MiningOff) return { status: 409, body: { error: error.message } };
  if (error instanceof ApiError) return { status: 400, body: { error: error.message, field: error.param } };
  const status = clientErrorStatus(error);
  if (status)
    return { status, body: { error: error instanceof Error ? error.message : "the request is bad" } };
  return { status: 500, body: { error: error instanceof Error ? error.message : "the sandbox failed" } };
}

/** Express marks its own refusals (a body too large, a path that cannot be decoded) with their status. */
function clientErrorStatus(error: unknown): number | null {
  const status =
    typeof error === "object" && error !== null && "status" in error ? Number(error.status) : 500;
  return status >= 400 && status < 500 ? status : null;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
