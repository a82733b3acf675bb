import { z } from "zod";

/** One JSON-RPC answer of one node. `unreachable` covers time-outs, cut connections, 5xx and garbage alike: whatever was
 * asked may or may not have happened. */
export type RpcAnswer =
  | { kind: "result"; value: unknown }
  | { kind: "error"; code: number; message: string; data: unknown }
  | { kind: "unreachable"; reason: string };

const envelope = z.object({
  jsonrpc: z.string().optional(),
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
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: "error",
    });
    const text = await response.text();
    // Some nodes answer a JSON-RPC error with a 4xx or 5xx status; a proxy's page is no JSON at all.
    return parseAnswer(text) ?? { kind: "unreachable", reason: `HTTP ${response.status}, not JSON-RPC` };
  } catch (error) {
    return { kind: "unreachable", reason: reasonOf(error) };
  }
}

function parseAnswer(text: string): RpcAnswer | null {
  const parsed = envelope.safeParse(parseJson(text));
  if (!parsed.success) return null;
  const { error, result } = parsed.data;
  if (error) return { kind: "error", code: error.code, message: error.message, data: error.data };
  return result === undefined ? null : { kind: "result", value: result };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Without the URL, which may carry a provider's credentials. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const { cause } = error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return code || error.name;
}
