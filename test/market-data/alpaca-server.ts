import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Answer of the server to one request; `hang` never answers. */
export interface Reply {
  status?: number;
  body?: string;
  headers?: Record<string, string>;
  hang?: boolean;
}

export interface AlpacaServer {
  url: string;
  /** Path with query of every request, in order. */
  requests: URL[];
  headers: IncomingMessage["headers"][];
  /** Sets answers for the next requests whose path begins with it, in order; the standing answer follows them. */
  next(path: string, ...replies: Reply[]): void;
  /** Sets the standing answer for a path, a fixture's text or a function of the request. */
  always(path: string, reply: Reply | ((url: URL) => Reply)): void;
  stop(): Promise<void>;
}

export function fixture(name: string): Reply {
  return { body: readFileSync(new URL(`./fixtures/${name}.json`, import.meta.url), "utf8") };
}

/** Feeds that each path takes: those of the past have no delayed one. */
const FEEDS: [path: RegExp, feeds: string[]][] = [
  [/^\/v2\/stocks\/[^/]+\/bars$/, ["iex", "sip", "otc", "boats"]],
  [/^\/v2\/stocks\/snapshots$/, ["iex", "sip", "otc", "boats", "delayed_sip", "overnight"]],
  [/^\/v1\/corporate-actions$/, []],
];

function refusedFeed(url: URL): string | null {
  const feed = url.searchParams.get("feed");
  const known = FEEDS.find(([path]) => path.test(url.pathname));
  return feed === null || !known || known[1].includes(feed) ? null : feed;
}

/** Starts a server that speaks Alpaca's wire format from fixtures. */
export async function startAlpacaServer(): Promise<AlpacaServer> {
  const queues = new Map<string, Reply[]>();
  const standing = new Map<string, Reply | ((url: URL) => Reply)>();
  const requests: URL[] = [];
  const headers: IncomingMessage["headers"][] = [];

  function replyTo(url: URL): Reply {
    if (refusedFeed(url)) return { status: 400, body: `{"message":"invalid feed: ${refusedFeed(url)}"}` };
    const queued = [...queues].find(([path, list]) => url.pathname.startsWith(path) && list.length > 0);
    const reply = queued?.[1].shift();
    if (reply) return reply;
    const found = [...standing].find(([path]) => url.pathname.startsWith(path))?.[1];
    if (!found) return { status: 404, body: '{"message":"not found"}' };
    return typeof found === "function" ? found(url) : found;
  }

  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    requests.push(url);
    headers.push(request.headers);
    const reply = replyTo(url);
    if (reply.hang) return;
    response.writeHead(reply.status ?? 200, { "content-type": "application/json", ...reply.headers });
    response.end(reply.body ?? "{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    headers,
    next: (path, ...replies) => queues.set(path, [...(queues.get(path) ?? []), ...replies]),
    always: (path, reply) => standing.set(path, reply),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
