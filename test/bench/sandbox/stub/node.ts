import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { type Hex, isAddress } from "viem";
import { z } from "zod";
import { startAnvil } from "../../../../packages/sandbox/src/anvil.ts";
import { rpc } from "../../../../packages/sandbox/src/rpc.ts";
import { createStubChain, type RpcBlock } from "./chain.ts";
import { createMethods } from "./methods.ts";

/**
 * A node that costs next to nothing: serves a development chain until STUB_START is called, and from then on blocks of its
 * own (chain.ts), a second apart. Reads of contracts are still the development chain's, each asked once a block.
 */
const STUB_START = "stub_start";
const BLOCK_MS = 1_000;

const callShape = z.object({ id: z.unknown(), method: z.string(), params: z.array(z.unknown()).default([]) });
type RpcCall = z.output<typeof callShape>;
const lowerCase = z
  .string()
  .refine((value) => isAddress(value))
  .transform((value) => value.toLowerCase() as Hex);
const startShape = z.tuple([z.object({ address: lowerCase, router: lowerCase })]);

const chainId = Number(process.env.STUB_CHAIN_ID);
const anvil = await startAnvil({ chainId, blockTimeSeconds: 1 });
const forward = (method: string, params: readonly unknown[]) => rpc(anvil.rpcUrl, method, [...params]);
let answer: typeof forward = forward;

async function start(params: unknown): Promise<boolean> {
  const [{ address, router }] = startShape.parse(params);
  await anvil.mining.set(false);
  const base = (await forward("eth_getBlockByNumber", ["latest", true])) as RpcBlock;
  const nonce = Number(await forward("eth_getTransactionCount", [address, "latest"]));
  const chain = createStubChain(base, { address, router, nonce });
  answer = createMethods(chain, address, forward);
  setInterval(() => chain.mine(Math.floor(Date.now() / 1000)), BLOCK_MS);
  return true;
}

async function answerCall({ id, method, params }: RpcCall): Promise<object> {
  try {
    const result = method === STUB_START ? await start(params) : await answer(method, params);
    return { jsonrpc: "2.0", id, result: result ?? null };
  } catch (error) {
    const { code = -32_000, message, data } = causeOf(error);
    return { jsonrpc: "2.0", id, error: { code, message, data } };
  }
}

/** Finds what the node said below viem's own error. */
function causeOf(error: unknown): { code?: number; message: string; data?: unknown } {
  let found = error as { code?: number; details?: string; message: string; data?: unknown; cause?: unknown };
  while (found.cause instanceof Error) found = found.cause as typeof found;
  return { code: found.code, message: found.details ?? found.message, data: found.data };
}

const server = createServer(async (request, response) => {
  if (request.method !== "POST") return void response.end();
  const body: unknown = JSON.parse(await text(request));
  const calls = z.union([callShape, z.array(callShape)]).parse(body);
  const result = Array.isArray(calls) ? await Promise.all(calls.map(answerCall)) : await answerCall(calls);
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result));
});
server.keepAliveTimeout = 65_000;
server.listen(Number(process.env.PORT), "127.0.0.1");
process.once("SIGTERM", async () => {
  await anvil.stop();
  process.exit(0);
});
