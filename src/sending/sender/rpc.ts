import { HttpRequestError, http } from "viem";
import { z } from "zod";

/** One JSON-RPC answer of one node. `unreachable` covers time-outs, cut connections, 5xx and garbage alike: whatever was
 * asked may or may not have happened. */
export type RpcAnswer =
  | { kind: "result"; value: unknown }
  | { kind: "error"; code: number; message: string; data: unknown }
  | { kind: "unreachable"; reason: string };

const responseShape = z.object({
  result: z.unknown().optional(),
  error: z
    .object({ code: z.number().catch(0), message: z.string().catch(""), data: z.unknown().optional() })
    .nullish(),
});

/** Asks a node once. Never throws. */
export async function ask(
  url: string,
  method: string,
  params: readonly unknown[],
  timeoutMs: number,
): Promise<RpcAnswer> {
  // viem's own time limit covers the headers of an answer alone, so it is off: the signal covers the body too.
  const signal = AbortSignal.timeout(timeoutMs);
  const transport = http(url, {
    raw: true,
    retryCount: 0,
    timeout: 0,
    fetchOptions: { redirect: "error" },
  });
  try {
    return parseResponse(await transport({}).request({ method, params }, { signal }));
  } catch (error) {
    return { kind: "unreachable", reason: reasonOf(error) };
  }
}

function parseResponse(response: unknown): RpcAnswer {
  const { data: { error, result } = {} } = responseShape.safeParse(response);
  if (error) return { kind: "error", code: error.code, message: error.message, data: error.data };
  if (result === undefined) return { kind: "unreachable", reason: "not JSON-RPC" };
  return { kind: "result", value: result };
}

/** Leaves out the messages: they contain the URL, which may carry a provider's credentials. */
function reasonOf(error: unknown): string {
  if (error instanceof HttpRequestError && error.status !== undefined) return `HTTP ${error.status}`;
  const failure = error instanceof HttpRequestError ? error.cause : error;
  if (!(failure instanceof Error)) return "unknown";
  const { cause } = failure;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return code || failure.name;
}
