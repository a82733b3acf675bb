import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { type Allowed, corsHeaders, refusalOf } from "./browser-guard.ts";
import { createIpc } from "./ipc.ts";
import type { RpcCall } from "./rpc.ts";
import { serveSockets } from "./rpc-sockets.ts";

/** A chain's RPC URL. Anvil itself checks neither Host nor Origin, so this stands in front of it, and no port bypasses it. */
export interface RpcServer {
  url: string;
  port: number;
  /** Calls the chain without HTTP, for this process itself: several times a second. Observed as a request is. */
  call: RpcCall;
  close(): Promise<void>;
}

export interface RpcServerOptions {
  /** Anvil's unix socket. */
  ipcPath: string;
  /** Address that it listens on; 127.0.0.1 by default. */
  host?: string;
  /** 0 selects a free one. */
  port: number;
  /** Pages of its origins may call methods that real nodes have. */
  allowed: Allowed;
  /** Called with the methods of each request that was answered. */
  onAnswered?: (methods: readonly string[]) => void;
}

/** Anvil's own limit over HTTP. */
const BODY_BYTES_MAX = 2 * 1024 * 1024;
/** Longer than clients keep a connection, so that none is closed while a client reuses it. */
const KEEP_ALIVE_MS = 65_000;

/** @throws Error where the port is taken. */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const ipc = createIpc(options.ipcPath);
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    const refusal = refusalOf(request, options.allowed);
    const cors = refusal?.status === 403 ? {} : corsHeaders(request);
    const answer = (status: number, body: string) =>
      response.writeHead(status, { "content-type": "application/json", ...cors }).end(body);
    if (refusal) return void answer(refusal.status, failure(-32600, refusal.reason));
    handle(request, ipc.call, answer, options.onAnswered).catch((error: unknown) => {
      if (response.headersSent) return void response.destroy();
      answer(502, failure(-32603, error instanceof Error ? error.message : "the chain does not answer"));
    });
  });
  const endSockets = serveSockets(server, {
    ipcPath: options.ipcPath,
    allowed: options.allowed,
    bytesMax: BODY_BYTES_MAX,
    isSubscription: (text) => {
      const calls = parseCalls(text);
      return calls !== null && methodsOf(calls).every((method) => SUBSCRIPTIONS.includes(method));
    },
    answer: async (text) => {
      const calls = parseCalls(text);
      // Not in a batch: anvil's notifications would come between the answers to others.
      if (calls === null || methodsOf(calls).some((method) => SUBSCRIPTIONS.includes(method)))
        return failure(-32600, "Invalid request");
      const result = await ipc.call(text);
      options.onAnswered?.(methodsOf(calls));
      return result;
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, options.host ?? "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    call: async (method, params = []) => {
      const answer = await ipc.call(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }));
      options.onAnswered?.([method]);
      return resultOf(answer);
    },
    close: () =>
      new Promise((resolve) => {
        endSockets();
        ipc.close();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const answerSchema = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** @throws Error with the node's message */
function resultOf(answer: string): unknown {
  const { result, error } = answerSchema.parse(JSON.parse(answer));
  if (error) throw new Error(error.message);
  return result;
}

type Answer = (status: number, body: string) => ServerResponse;

/** Answers a request that passed the guard: one with an Origin comes from a page of an allowed origin. */
async function handle(
  request: IncomingMessage,
  call: (text: string) => Promise<string>,
  answer: Answer,
  onAnswered: RpcServerOptions["onAnswered"],
): Promise<unknown> {
  if (request.method === "OPTIONS") return answer(204, "");
  if (request.method !== "POST") return answer(405, failure(-32600, "only POST is answered"));
  const body = await readBody(request);
  if (body === null) return answer(413, failure(-32600, "the body is too large"));
  const calls = parseCalls(body);
  if (calls === null) return answer(200, failure(-32600, "Invalid request"));
  const isPage = request.headers.origin !== undefined;
  const refused = methodsOf(calls).find((method) => !mayCall(method, isPage));
  if (refused !== undefined) {
    return answer(isPage ? 403 : 200, failure(-32601, `${refused} is not available here`));
  }
  // A page's calls are forwarded as parsed here, so that anvil cannot parse them differently from this check.
  const result = await call(isPage ? JSON.stringify(calls) : body);
  answer(isUnknownBlock(calls, result) ? 404 : 200, result);
  onAnswered?.(methodsOf(calls));
}

/**
 * Returns true for the logs of a block that a reorg removed. Ponder repeats the request for a minute, and indexes nothing of the
 * chain meanwhile, unless the answer is HTTP's "not found".
 */
function isUnknownBlock(calls: Calls, result: string): boolean {
  if (Array.isArray(calls) || calls.method !== "eth_getLogs" || result.length > REFUSAL_CHARS_MAX)
    return false;
  return unknownBlockSchema.safeParse(JSON.parse(result)).success;
}

/** Error in anvil's wording. */
const unknownBlockSchema = z.object({ error: z.object({ message: z.literal("unknown block") }) });
/** Longer answers are lists of logs, which are not parsed here. */
const REFUSAL_CHARS_MAX = 500;

/** A call without an id gets no answer, and would never end. */
const callSchema = z.looseObject({ method: z.string(), id: z.union([z.string(), z.number()]) });
const callsSchema = z.union([callSchema, z.array(callSchema).min(1)]);
type Calls = z.output<typeof callsSchema>;

function parseCalls(body: string): Calls | null {
  try {
    return callsSchema.safeParse(JSON.parse(body)).data ?? null;
  } catch {
    return null;
  }
}

const methodsOf = (calls: Calls): string[] =>
  (Array.isArray(calls) ? calls : [calls]).map(({ method }) => method);

const SUBSCRIPTIONS = ["eth_subscribe", "eth_unsubscribe"];

/**
 * Returns true where a method may be called. Subscriptions need a connection of their own, and anvil's own methods that change a
 * chain are for programs alone.
 */
function mayCall(method: string, isPage: boolean): boolean {
  if (SUBSCRIPTIONS.includes(method)) return false;
  return !isPage || /^(eth|net|web3)_\w+$/.test(method);
}

async function readBody(request: IncomingMessage): Promise<string | null> {
  if (Number(request.headers["content-length"] ?? 0) > BODY_BYTES_MAX) return null;
  const body = await text(request);
  return body.length > BODY_BYTES_MAX ? null : body;
}

const failure = (code: number, message: string): string =>
  JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } });
