import { makeExecutableSchema } from "@graphql-tools/schema";
import express, { type Response, Router } from "express";
import { graphql } from "graphql";
import { createApp } from "../../../../src/http/app.ts";
import { readTypeDefs } from "../../../../src/http/graphql/sdl.ts";
import { createMetrics } from "../../../../src/http/metrics.ts";
import { createDashboardPage, DASHBOARD_PATHS } from "../../../../src/http/pages/built.ts";
import { createHttpServer } from "../../../../src/http/server.ts";
import { createLog } from "../../../../src/telemetry/log.ts";
import { dashboardOf, NOW, type World } from "./answers.ts";

export interface PageServer {
  /** The page is at /dashboard below it, and also at /trading/dashboard. */
  baseUrl: string;
  /** Log lines of the server. */
  lines: string[];
  stop(): Promise<void>;
}

/** Serves the page behind the real server, with the other routes it calls. */
export async function servePage(service: Router = Router()): Promise<PageServer> {
  const lines: string[] = [];
  const log = createLog("test", "info", { write: (line) => void lines.push(line) });
  const server = createHttpServer({
    log,
    metrics: createMetrics(() => new Map()),
    now: Date.now,
    prefix: "/trading",
    timeouts: { shutdownDelay: 0 },
    app: createApp([createDashboardPage(log), service], DASHBOARD_PATHS, Date.now),
  });
  return { baseUrl: await server.listen(0, "127.0.0.1"), lines, stop: () => server.stop() };
}

/** Behaviour of the service; tests change it. */
export interface Service {
  token: string;
  /** True where connections end without an answer. */
  isDown: boolean;
  /** Replaces every value of every answer. */
  everyValue: string | null;
  /** The only answer: this error. */
  failure: string | null;
  world: World;
  router: Router;
  /** Leaves queries without an answer until speak() is called. */
  fallSilent(): void;
  /** Has queries answered again, those that wait among them. */
  speak(): void;
  /** Sends an event to every open stream. */
  tell(type: string): void;
  /** Ends every stream. */
  hangUp(): void;
  /** Number of opened streams. */
  opened: number;
}

// The real schema answers from fixtures, so a document or a fixture that does not fit it fails.
const schema = makeExecutableSchema({ typeDefs: readTypeDefs() });

/** Answers the page's queries, with markup in many texts, and only one of its chains ready. */
export function createService(token: string): Service {
  const streams = new Set<Response>();
  let silence = Promise.resolve();
  let endSilence = () => {};
  const service: Service = {
    token,
    isDown: false,
    everyValue: null,
    failure: null,
    router: Router(),
    opened: 0,
    world: { role: "operator", newest: "New" },
    fallSilent: () => {
      silence = new Promise((resolve) => {
        endSilence = resolve;
      });
    },
    speak: () => endSilence(),
    tell: (type) => {
      const event = {
        keyId: "id-of-acme",
        chainId: 31337,
        productType: "Spot",
        event: { type, resource: "orders" },
      };
      for (const stream of streams) stream.write(`id: 7\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`);
    },
    hangUp: () => {
      for (const stream of streams) stream.end();
    },
  };
  const { router } = service;
  const isKnown = (authorization: string | undefined) => authorization === `Bearer ${service.token}`;
  const refusal = { code: 401, errMsg: "Unauthorized", data: null };
  router.use(["/graphql", "/events/stream"], (request, _response, next) => {
    if (service.isDown) request.socket.destroy();
    else next();
  });
  router.get("/events/stream", (request, response) => {
    if (!isKnown(request.headers.authorization)) return void response.status(400).json(refusal);
    service.opened++;
    response.set("content-type", "text/event-stream");
    response.write(`id: 1\nevent: heartbeat\ndata: {"t":${NOW * 1_000}}\n\n`);
    streams.add(response);
    response.on("close", () => void streams.delete(response));
  });
  router.post("/graphql", express.json(), async (request, response) => {
    if (!isKnown(request.headers.authorization)) return void response.status(400).json(refusal);
    await silence;
    if (service.failure !== null) {
      return void response.json({
        errors: [{ message: service.failure, extensions: { retryable: true } }],
        data: null,
      });
    }
    response.json(await answer(service, request.body));
  });
  return service;
}

async function answer(
  { world, everyValue }: Service,
  { query, variables }: { query: string; variables: Record<string, unknown> },
): Promise<unknown> {
  const rootValue = { dashboard: dashboardOf(world) };
  const { data, errors } = await graphql({ schema, source: query, variableValues: variables, rootValue });
  if (errors) return { errors: errors.map(({ message }) => ({ message })), data: null };
  // Without the prototypes of GraphQL's objects.
  const plain = JSON.parse(JSON.stringify(data));
  return { data: everyValue === null ? plain : withEveryValue(plain, everyValue) };
}

/** Returns the name of a query. */
export const nameOf = (query: string): string => /^query (\w+)/.exec(query)?.[1] ?? "";

function withEveryValue(answer: unknown, value: string): unknown {
  if (Array.isArray(answer)) return answer.map((item) => withEveryValue(item, value));
  if (typeof answer !== "object" || answer === null) return value;
  return Object.fromEntries(
    Object.entries(answer).map(([name, item]) => [name, withEveryValue(item, value)]),
  );
}
