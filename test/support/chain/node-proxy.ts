import { createServer } from "node:http";

/** What a proxy does with a request: pass it on, cut the connection, or answer in the node's place. */
export type Interference = "pass" | "cut" | { code: number; message: string } | { result: unknown };

/** Stands between the code and a chain's node: counts what is asked, and interferes where a test wants it. */
export interface NodeProxy {
  url: string;
  /** The methods that were asked, in order. */
  methods: string[];
  interfere: (method: string, params: unknown[]) => Interference | Promise<Interference>;
  stop(): Promise<void>;
}

export async function startNodeProxy(target: string): Promise<NodeProxy> {
  const server = createServer({ keepAliveTimeout: 65_000 }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { id, method, params } = JSON.parse(text);
    proxy.methods.push(method);
    const interference = await proxy.interfere(method, params);
    if (interference === "cut") {
      response.destroy();
    } else if (interference === "pass") {
      const headers = { "content-type": "application/json" };
      response.end(await (await fetch(target, { method: "POST", body: text, headers })).text());
    } else {
      const answer = "result" in interference ? interference : { error: interference };
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("the proxy does not listen");
  const proxy: NodeProxy = {
    url: `http://127.0.0.1:${address.port}`,
    methods: [],
    interfere: () => "pass",
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return proxy;
}
