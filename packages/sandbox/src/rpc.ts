import { http } from "viem";

/** Loading the state of a long chain takes long. */
const TIMEOUT_MS = 120_000;

/**
 * Makes one JSON-RPC call to a development chain, by viem's transport, for methods that its clients lack.
 * @returns the result, of any shape; callers parse it.
 * @throws Error with the node's message.
 */
export async function rpc(rpcUrl: string, method: string, params: unknown[] = []): Promise<unknown> {
  return http(rpcUrl, { retryCount: 0, timeout: TIMEOUT_MS })({}).request({ method, params });
}

/** Makes one JSON-RPC call to a chain, as rpc does. */
export type RpcCall = (method: string, params?: unknown[]) => Promise<unknown>;

/** Returns calls to the chain at a URL. */
export const rpcTo =
  (rpcUrl: string): RpcCall =>
  (method, params) =>
    rpc(rpcUrl, method, params);
