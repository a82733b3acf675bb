import { z } from "zod";

const answerSchema = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string() }).optional(),
});

/**
 * Makes one JSON-RPC call to a development chain.
 * @returns the result, of whatever shape; callers parse it.
 * @throws Error with the node's message.
 */
export async function rpc(rpcUrl: string, method: string, params: unknown[] = []): Promise<unknown> {
  const response = await fetch(rpcUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = answerSchema.parse(await response.json());
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}
