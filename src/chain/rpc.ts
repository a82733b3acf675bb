import pLimit from "p-limit";
import { HttpRequestError, http } from "viem";
import { getHttpRpcClient } from "viem/utils";
import { z } from "zod";
import { type BeginRpc, type RpcResult, UNOBSERVED } from "../telemetry/rpc.ts";

/**
 * One JSON-RPC answer of one node. `unreachable` covers time-outs, cut connections, 5xx and garbage alike: the request may or may
 * not have taken effect.
 */
export type RpcAnswer =
  | { kind: "result"; value: unknown }
  | { kind: "error"; code: number; message: string; data: unknown }
  | { kind: "unreachable"; reason: string };

export interface RpcCall {
  method: string;
  params: readonly unknown[];
}

const responseShape = z.object({
  id: z.unknown().optional(),
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
  begin: BeginRpc = UNOBSERVED,
): Promise<RpcAnswer> {
  const end = begin(url, [method]);
  const answer = await post(url, method, params, timeoutMs);
  end([resultOf(answer)]);
  return answer;
}

const resultOf = (answer: RpcAnswer | null): RpcResult =>
  answer?.kind === "result" ? "ok" : (answer?.kind ?? "unreachable");

async function post(
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

/** Calls of one request: nodes limit how many they take. */
const BATCH_MAX = 100;
/** Calls under way at once, at a node that takes no batches. */
const CONCURRENT = 16;
/** Time for which a node that refused a batch gets no other. */
const REFUSED_MS = 60_000;

const UNASKED: RpcAnswer = { kind: "unreachable", reason: "not asked" };

/** Asks nodes several questions at once. */
export interface Batches {
  /** Asks in one request where the node takes batches, else side by side. @returns an answer to each. Never throws */
  ask(url: string, calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
  /**
   * Asks in one request where the node takes batches, else one after the other until one gets no answer, so that the node
   * receives them in this order.
   * @returns an answer to each; null where it was not asked. Never throws
   */
  askInOrder(url: string, calls: readonly RpcCall[]): Promise<(RpcAnswer | null)[]>;
}

export function createBatches(timeoutMs: number, begin: BeginRpc = UNOBSERVED): Batches {
  const refusedUntil = new Map<string, number>();

  /** Returns null for calls that the node did not answer itself, as one that takes no batches does. */
  async function askBatch(url: string, calls: readonly RpcCall[]): Promise<(RpcAnswer | null)[]> {
    if (calls.length < 2 || (refusedUntil.get(url) ?? 0) > Date.now()) return calls.map(() => null);
    const end = begin(
      url,
      calls.map(({ method }) => method),
    );
    const answers = await postBatch(url, calls, timeoutMs);
    end(answers.map(resultOf));
    if (answers.includes(null)) refusedUntil.set(url, Date.now() + REFUSED_MS);
    return answers;
  }

  return {
    ask: async (url, calls) => {
      const parts = await Promise.all(chunksOf(calls).map((part) => askBatch(url, part)));
      const limit = pLimit(CONCURRENT);
      const one = ({ method, params }: RpcCall) => limit(() => ask(url, method, params, timeoutMs, begin));
      return Promise.all(parts.flat().map((answer, index) => answer ?? one(calls[index] as RpcCall)));
    },
    askInOrder: async (url, calls) => {
      const answers: (RpcAnswer | null)[] = [];
      const isCut = () => answers.length > 0 && (answers.at(-1) ?? UNASKED).kind === "unreachable";
      for (const part of chunksOf(calls)) {
        const together = isCut() ? part.map(() => null) : await askBatch(url, part);
        for (const [index, answer] of together.entries()) {
          const { method, params } = part[index] as RpcCall;
          answers.push(answer ?? (isCut() ? null : await ask(url, method, params, timeoutMs, begin)));
        }
      }
      return answers;
    },
  };
}

function chunksOf(calls: readonly RpcCall[]): RpcCall[][] {
  const parts: RpcCall[][] = [];
  for (let start = 0; start < calls.length; start += BATCH_MAX)
    parts.push(calls.slice(start, start + BATCH_MAX));
  return parts;
}

/** Error code by which nodes refuse the form of a batch as a whole. */
const INVALID_REQUEST = -32_600;
/** HTTP statuses by which a server refuses the form of a request; others are about the caller or the moment. */
const FORM_STATUSES: ReadonlySet<number> = new Set([400, 404, 405, 413, 415, 422]);

/** @returns an answer to each call; null where the node left it without one */
async function postBatch(
  url: string,
  calls: readonly RpcCall[],
  timeoutMs: number,
): Promise<(RpcAnswer | null)[]> {
  const body = calls.map((call, id) => ({ ...call, id }));
  const fetchOptions = { redirect: "error", signal: AbortSignal.timeout(timeoutMs) } as const;
  try {
    const response: unknown = await getHttpRpcClient(url).request({ body, fetchOptions, timeout: 0 });
    // By their ids: the specification leaves the order of answers to the node.
    const answers = new Map(
      (Array.isArray(response) ? response : []).map((each: unknown) => [
        responseShape.safeParse(each).data?.id,
        parseResponse(each),
      ]),
    );
    return calls.map((_, id) => {
      const answer = answers.get(id) ?? null;
      return answer?.kind === "error" && answer.code === INVALID_REQUEST ? null : answer;
    });
  } catch (error) {
    if (error instanceof HttpRequestError && FORM_STATUSES.has(error.status ?? 0))
      return calls.map(() => null);
    const reason = reasonOf(error);
    return calls.map(() => ({ kind: "unreachable", reason }));
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
