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
  let ready: string[] = [];
  let turn = 0;
  const check = async (): Promise<void> => {
    const isReady = (url: string) =>
      fetch(`${url}/readyz`).then(
        ({ status }) => status === 200,
        () => false,
      );
    const all = [...backends];
    const answers = await Promise.all(all.map(isReady));
    ready = all.filter((_url, index) => answers[index]);
  };
  const timer = setInterval(() => void check(), CHECK_MS);
  const pass = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const backend = ready[turn++ % Math.max(1, ready.length)];
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
