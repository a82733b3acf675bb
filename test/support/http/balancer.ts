import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A load balancer as operators run one: sends requests in turn to those backends whose /readyz says 200. */
export interface Balancer {
  url: string;
  /** Base URLs of the backends. */
  backends: Set<string>;
  close(): Promise<void>;
}

const CHECK_MS = 100;

export async function startBalancer(): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const backends = new Set<string>();
  const ready = new Set<string>();
  const asking = new Set<string>();
  let turn = 0;
  /** Checks one backend: a slow one delays no others, and its checks do not overlap. */
  const check = async (url: string): Promise<void> => {
    if (asking.has(url)) return;
    asking.add(url);
    const isReady = await fetch(`${url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
    asking.delete(url);
    if (isReady && backends.has(url)) ready.add(url);
    else ready.delete(url);
  };
  const timer = setInterval(() => {
    for (const url of new Set([...backends, ...ready])) void check(url);
  }, CHECK_MS);
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const backend = [...ready][turn++ % Math.max(1, ready.size)];
    if (!backend) return void outgoing.writeHead(503).end();
    const { method, headers } = incoming;
    const passed = request(`${backend}${incoming.url}`, { method, headers, agent }, (answer) => {
      const { connection: _hop, ...rest } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, rest);
      answer.pipe(outgoing);
    });
    passed.on("error", () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
    incoming.pipe(passed);
  };
  // Idle callers are not cut while they may be about to ask.
  const server = createServer({ keepAliveTimeout: 65_000 }, pass);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    backends,
    close: () =>
      new Promise((resolve) => {
        clearInterval(timer);
        agent.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
