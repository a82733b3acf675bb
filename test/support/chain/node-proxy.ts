import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { z } from "zod";

/** An action of a proxy: forward the request, cut the connection, or answer in the node's place. */
export type Interference = "pass" | "cut" | { code: number; message: string } | { result: unknown };

/** Forwards calls between the code and a chain's node: counts what is asked, and interferes where a test asks for it. */
export interface NodeProxy {
  url: string;
  /** Methods that were asked, in order. */
  methods: string[];
  interfere: (method: string, params: unknown[]) => Interference | Promise<Interference>;
  stop(): Promise<void>;
}

const questionShape = z.object({
  id: z.unknown(),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});
type Question = z.output<typeof questionShape>;

/** Asks the node on a connection of its own: one that was kept may be closed by the node while a question is on its way. */
function pass(target: string, question: Question): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    request(target, { method: "POST", headers, agent: false }, (answer) => resolve(json(answer)))
      .on("error", reject)
      .end(JSON.stringify({ jsonrpc: "2.0", ...question }));
  });
}

const answerOf = ({ id }: Question, interference: Exclude<Interference, string>) => ({
  jsonrpc: "2.0",
  id,
  ...("result" in interference ? interference : { error: interference }),
});

export async function startNodeProxy(target: string): Promise<NodeProxy> {
  const server = createServer({ keepAliveTimeout: 65_000 }, (asked, response) => {
    // A request that the node does not answer is cut, as if the node were down.
    forward(asked, response).catch(() => response.destroy());
  });
  async function forward(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of asked) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const parsed: unknown = JSON.parse(text);
    const answers: unknown[] = [];
    for (const question of [parsed].flat().map((each) => questionShape.parse(each))) {
      proxy.methods.push(question.method);
      const interference = await proxy.interfere(question.method, question.params);
      // The action for one call of a batch applies to the whole HTTP request.
      if (interference === "cut") return void response.destroy();
      answers.push(interference === "pass" ? await pass(target, question) : answerOf(question, interference));
    }
    response.end(JSON.stringify(Array.isArray(parsed) ? answers : answers[0]));
  }
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
