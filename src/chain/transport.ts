import {
  BaseError,
  createTransport,
  type EIP1193RequestFn,
  HttpRequestError,
  type HttpTransport,
  http,
  RpcRequestError,
} from "viem";
import { z } from "zod";
import { createBatcher } from "../db/batch.ts";
import type { BeginRpc } from "../telemetry/rpc.ts";
import { createBatches, type RpcCall } from "./rpc.ts";

/** Time limit of one answer of one node, milliseconds. With every URL tried twice, a dead chain is an error within seconds. */
const TIMEOUT_MS = 3_000;

/** Methods whose concurrent calls share a batch. Views of contracts share a multicall instead (reads.ts). */
const BATCHED: ReadonlySet<string> = new Set(["eth_estimateGas"]);

const callSchema = z.object({ method: z.string(), params: z.array(z.unknown()) });

/** Each run waits for a node, so few of them gather much. The node is given up long before the time limit. */
const RUNS = { maxItems: 50, maxRunning: 4, timeoutMs: 60_000 };

/** Returns a transport whose every request is observed: without retries of its own, each is asked of the node once. */
export function createNodeTransport(url: string, begin: BeginRpc): HttpTransport {
  const transport = http(url, { timeout: TIMEOUT_MS, retryCount: 0 });
  const requestInBatch = batched(url, begin);
  return (options) => {
    const made = transport(options);
    const request = async (...call: Parameters<typeof made.request>): Promise<unknown> => {
      if (BATCHED.has(call[0].method)) return requestInBatch(...call);
      const end = begin(url, [call[0].method]);
      try {
        const value: unknown = await made.request(...call);
        end(["ok"]);
        return value;
      } catch (error) {
        end([isAnswer(error) ? "error" : "unreachable"]);
        throw error;
      }
    };
    return { ...made, request: request as typeof made.request };
  };
}

/**
 * Returns a request that shares one JSON-RPC batch with concurrent ones, and goes out alone at a node that takes no batches. Each
 * has an answer of its own, and fails as it would alone.
 */
function batched(url: string, begin: BeginRpc) {
  const batches = createBatches(TIMEOUT_MS, begin);
  const ask = createBatcher((calls: RpcCall[]) => batches.ask(url, calls), RUNS);
  const request = async (body: unknown): Promise<unknown> => {
    const { method, params } = callSchema.parse(body);
    const answer = await ask({ method, params });
    if (answer.kind === "result") return answer.value;
    if (answer.kind === "unreachable")
      throw new HttpRequestError({ url, body: { method, params }, details: answer.reason });
    throw new RpcRequestError({ url, body: { method, params }, error: answer });
  };
  return createTransport({
    key: "batch",
    name: "JSON-RPC batch",
    type: "http",
    retryCount: 0,
    request: request as EIP1193RequestFn,
  }).request;
}

/** Returns true where the node itself answered with an error, as it does for a call that reverts. */
const isAnswer = (error: unknown): boolean =>
  error instanceof BaseError && error.walk((link) => link instanceof RpcRequestError) !== null;
