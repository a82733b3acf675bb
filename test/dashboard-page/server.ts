import express, { Router } from "express";
import { createDashboardPage, DASHBOARD_PATHS } from "../../src/dashboard-page/serve.ts";
import { createApp } from "../../src/http/app.ts";
import { createMetrics } from "../../src/http/metrics.ts";
import { createHttpServer } from "../../src/http/server.ts";
import { createLog } from "../../src/log/log.ts";
import { present } from "../support/assert/until.ts";

export interface PageServer {
  /** The page is at /dashboard below it, and also at /trading/dashboard. */
  baseUrl: string;
  /** What the server logged. */
  lines: string[];
  stop(): Promise<void>;
}

/** The page behind the real server, and beside it what else there is to be asked. */
export async function servePage(service: Router = Router()): Promise<PageServer> {
  const lines: string[] = [];
  const routers = [["/", createDashboardPage()] as const, ["/", service] as const];
  const server = createHttpServer({
    log: createLog("test", "info", { write: (line) => void lines.push(line) }),
    metrics: createMetrics(() => new Map()),
    now: Date.now,
    prefix: "/trading",
    timeouts: { shutdownDelay: 0 },
    other: createApp(routers, DASHBOARD_PATHS, Date.now),
  });
  return { baseUrl: await server.listen(0, "127.0.0.1"), lines, stop: () => server.stop() };
}

/** A text that is an element wherever it is read as markup. */
export const MARKUP = '<img src=x onerror="alert(1)">';
export const USER = `0x${"ab".repeat(20)}`;

/** What the service is like; tests change it. */
export interface Service {
  token: string;
  /** Connections end without an answer. */
  isDown: boolean;
  /** Stands in the place of every value of every answer. */
  everyValue: string | null;
  /** Answers nothing but this error. */
  failure: string | null;
  router: Router;
}

/** Answers what the page asks, with markup in many a text, and only one of its chains ready. */
export function createService(token: string): Service {
  const service: Service = { token, isDown: false, everyValue: null, failure: null, router: Router() };
  const filled = (answer: unknown) =>
    service.everyValue === null ? answer : withEveryValue(answer, service.everyValue);
  service.router.use(["/graphql", "/readyz"], (request, _response, next) => {
    if (service.isDown) request.socket.destroy();
    else next();
  });
  service.router.get("/readyz", (_request, response) => {
    response.status(503).json({ status: "not ready", missing: filled(["indexer of chain 31338"]) });
  });
  service.router.post("/graphql", express.json(), (request, response) => {
    if (request.headers.authorization !== `Bearer ${service.token}`) {
      response.status(400).json({ code: 401, errMsg: "Unauthorized", data: null });
      return;
    }
    if (service.failure !== null) {
      response.json({ errors: [{ message: service.failure }], data: null });
      return;
    }
    const panel = panelOf(request.body.query);
    const answer = present(ANSWERS[panel], panel)(request.body.variables);
    response.json({ data: { dashboard: filled(answer) } });
  });
  return service;
}

/** The panel that a query is of. */
export const panelOf = (query: string): string => /^query (\w+)/.exec(query)?.[1] ?? "";

function withEveryValue(answer: unknown, value: string): unknown {
  if (Array.isArray(answer)) return answer.map((item) => withEveryValue(item, value));
  if (typeof answer !== "object" || answer === null) return value;
  return Object.fromEntries(
    Object.entries(answer).map(([name, item]) => [name, withEveryValue(item, value)]),
  );
}

const connection = (nodes: unknown[], after: unknown) => ({
  edges: nodes.map((node) => ({ node })),
  pageInfo: { hasNextPage: after === undefined, endCursor: "cursor-1" },
});
const mapping = {
  chainId: 31337,
  productType: "Spot",
  userAddress: null,
  source: "recorded",
  createdAt: 1_700_000_000,
};
const key = {
  keyId: "id-of-acme",
  name: MARKUP,
  apiKey: "pk",
  access: "WRITABLE",
  status: "revoked",
  ips: [],
};
const QUEUE = {
  wallet: USER,
  state: "halted",
  stateReason: MARKUP,
  depth: { accepted: 2, signed: 0, broadcast: 1, mined: 0 },
  oldestSeconds: 7_300,
  failures: {},
  balanceWei: "1500000000000000001",
  nextNonce: 9,
  chainNonce: 7,
};
const ANSWERS: Record<string, (variables: Record<string, unknown>) => unknown> = {
  Chains: () => ({
    chains: [
      {
        chainId: 31337,
        products: ["Spot", MARKUP],
        indexedBlock: 7,
        lagSeconds: 3.14,
        lagBlocks: 0,
        headBlock: 7,
      },
      {
        chainId: 31338,
        products: ["Spot"],
        indexedBlock: null,
        lagSeconds: null,
        lagBlocks: null,
        headBlock: null,
      },
    ],
  }),
  Queues: () => ({ chains: [{ chainId: 31337, sendQueues: [QUEUE] }] }),
  Sends: ({ after }) => ({
    sendRequests: connection(
      [{ requestId: MARKUP, state: "failed", key, attempts: [{}], errCode: "X", reason: MARKUP }],
      after,
    ),
  }),
  Orders: ({ after }) => ({
    orders: connection(
      [
        {
          order: {
            status: "New",
            mapping,
            txHash: after ? "0xolder" : "0xnewer",
            openOrder: { symbol: MARKUP },
          },
          key,
        },
      ],
      after,
    ),
  }),
  Operations: ({ after }) => ({
    operations: connection(
      [{ kind: "deposit", operation: { mapping, depositOperation: { amount: "1.5" } }, key }],
      after,
    ),
  }),
  Balances: ({ after }) => ({
    balances: connection(
      [{ chainId: 31337, mUsdBalance: "250.5", stocks: [{ symbol: MARKUP }], keys: [key] }],
      after,
    ),
  }),
  Keys: ({ after }) => ({
    keys: connection([{ ...key, scopes: [mapping], expiresAt: null, policy: { killed: true } }], after),
  }),
};
