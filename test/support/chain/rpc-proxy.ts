import { Agent, createServer, request as requestOver, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { z } from "zod";

/** An action of the proxy for one call to the node; undefined forwards it. */
export type Fault =
  /** The request does not reach the node. */
  | "lose-request"
  /** The node executes it, and its answer is lost. */
  | "lose-reply"
  | { status: number; body: string }
  | { result: unknown }
  | { error: { code: number; message: string } };

export interface Question {
  method: string;
  params: unknown[];
}

export type Rule = (question: Question) => Fault | undefined | Promise<Fault | undefined>;

export interface RpcProxy {
  url: string;
  /** Every question so far. */
  asked: Question[];
  /** The rule for questions from now on; none passes everything. */
  rule: Rule | null;
  close(): Promise<void>;
}

const questionShape = z.object({
  id: z.unknown(),
  method: z.string(),
  params: z.array(z.unknown()).default([]),
});

/** Less than a node keeps a connection that is idle. */
const IDLE_MS = 4_000;

/** Forwards calls between a program and a node, and applies the rule's fault to each. */
export async function startRpcProxy(target: string): Promise<RpcProxy> {
  // Programs ask some fifty times a second: fetch would take three times the processor time.
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      void answer(Buffer.concat(chunks).toString("utf8"), response).catch(() => response.destroy());
    });
  });

  async function answer(body: string, response: ServerResponse): Promise<void> {
    const parsed: unknown = JSON.parse(body);
    const questions = [parsed].flat().map((each) => questionShape.parse(each));
    const faults: (Fault | undefined)[] = [];
    for (const { id: _id, ...question } of questions) {
      proxy.asked.push(question);
      faults.push(await proxy.rule?.(question));
    }
    // The action for one call of a batch applies to the whole HTTP request.
    if (faults.includes("lose-request")) return void response.destroy();
    const broken = faults.find((fault) => typeof fault === "object" && "status" in fault);
    if (typeof broken === "object" && "status" in broken)
      return void response.writeHead(broken.status).end(broken.body);
    const isWhole = faults.every((fault) => fault === undefined);
    const text = isWhole ? await pass(body) : JSON.stringify(await answerEach(parsed, questions, faults));
    if (faults.includes("lose-reply")) return void response.destroy();
    response.setHeader("content-type", "application/json").end(text);
  }

  /** Passes on the questions of a request that have no fault. */
  async function answerEach(
    parsed: unknown,
    questions: readonly (Question & { id?: unknown })[],
    faults: readonly (Fault | undefined)[],
  ): Promise<unknown> {
    const answers: unknown[] = [];
    for (const [index, question] of questions.entries()) {
      const fault = faults[index];
      if (typeof fault === "object") answers.push({ jsonrpc: "2.0", id: question.id, ...fault });
      else answers.push(JSON.parse((await pass(JSON.stringify({ jsonrpc: "2.0", ...question }))).toString()));
    }
    return Array.isArray(parsed) ? answers : answers[0];
  }

  function pass(body: string): Promise<Buffer> {
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      requestOver(target, { method: "POST", headers, agent }, (answer) =>
        buffer(answer).then(resolve, reject),
      )
        .on("error", reject)
        .end(body);
    });
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    rule: null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        agent.destroy();
      }),
  };
  return proxy;
}
