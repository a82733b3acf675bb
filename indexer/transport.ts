// How the indexer asks the nodes of a chain. Ponder takes every answer for the truth: a node that is behind looks like a
// reorg to it, and an empty list of logs like a block without any. This stands between, so that a node which is down,
// behind or forgetful costs time and never a row.
import { custom, HttpRequestError, http, TimeoutError, type Transport } from "viem";
import { z } from "zod";
import { blockSchema, chainMemory } from "./chain-memory.ts";

const COOL_DOWN_MS = 30_000;
/**
 * JSON-RPC's "not supported", after which Ponder does not ask again. After other errors it does, nine times in 64 s, and
 * indexes nothing of the chain meanwhile. It has a viem of its own, so it knows errors from here by their code alone.
 */
const FINAL_CODE = -32004;

export type Send = (request: { method: string; params?: unknown }) => Promise<unknown>;

/** Told when an answer is not believed. */
export type Warn = (warning: { msg: string; method: string; node: number }) => void;

/** A node answered what cannot be true: the next one is asked, as if this one had failed. */
class Disbelieved extends Error {}

/** A reorg took the block back whose logs were asked for: Ponder goes on with the next head. */
class TakenBack extends Error {
  readonly code = FINAL_CODE;
}

const logRange = z.tuple([z.object({ toBlock: z.string().startsWith("0x") })]);
const logBlock = z.tuple([z.object({ blockHash: z.string() })]);
const latest = z.tuple([z.literal("latest"), z.boolean()]);

/** All RPC URLs of one chain as one transport for Ponder, by the rules of `steadyRequest`. */
export function steadyTransport(urls: readonly string[], warn: Warn): Transport {
  return (options) => {
    const nodes = urls.map((url): Send => {
      const node = http(url, { retryCount: 0 })(options);
      return ({ method, params }) => node.request({ method, params });
    });
    return custom({ request: steadyRequest(nodes, Date.now, warn) }, { retryCount: 0 })(options);
  };
}

/**
 * Asks the nodes in their order:
 * - on an error, or null for a block, the next one; one that cannot be reached is asked last for the next 30 s;
 * - a head below a known one of the same chain is not believed, and where all nodes say so the known one is repeated;
 * - logs up to a block are taken only from a node that has this block, and that there are none in a range of blocks is
 *   believed when no other node has any: nodes that have pruned them say so, too;
 * - no logs at all are not believed of a block whose bloom filter has some;
 * - logs of a block that no node has any more, where another block stands in its place, are not asked for again.
 * @param now Unix milliseconds.
 * @throws the last node's error, where none answers.
 */
export function steadyRequest(nodes: readonly Send[], now: () => number, warn: Warn): Send {
  const failedAt = new Map<Send, number>();
  const cools = (node: Send) =>
    Number(now() - (failedAt.get(node) ?? Number.NEGATIVE_INFINITY) < COOL_DOWN_MS);
  const ask = believer();

  return async (request) => {
    let answer: unknown;
    let failure: unknown;
    for (const node of nodes.toSorted((a, b) => cools(a) - cools(b))) {
      try {
        answer = await ask(node, request);
        if (answer !== null && !isEmptyRange(request, answer)) return answer;
      } catch (error) {
        failure = error;
        if (isUnreachable(error)) failedAt.set(node, now());
        if (error instanceof Disbelieved)
          warn({ msg: error.message, method: request.method, node: nodes.indexOf(node) });
      }
    }
    const known = failure instanceof Disbelieved ? ask.knownHead(request) : undefined;
    if (known !== undefined) return known;
    if (answer !== undefined) return answer;
    if (isUnreachable(failure)) throw failure;
    throw (await ask.takenBack(nodes, request)) ?? failure;
  };
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof HttpRequestError || error instanceof TimeoutError;

const isEmptyRange = ({ method, params }: Parameters<Send>[0], answer: unknown): boolean =>
  method === "eth_getLogs" &&
  logRange.safeParse(params).success &&
  Array.isArray(answer) &&
  answer.length === 0;

/** Asks one node and checks what it says against what is known of the chain. */
function believer() {
  const chain = chainMemory();
  const heads = new Map<boolean, unknown>();

  const checkBlock = (params: unknown, answer: unknown) => {
    const seen = blockSchema.safeParse(answer);
    if (!seen.success) return;
    const head = latest.safeParse(params);
    if (!head.success) return chain.record(seen.data);
    if (!chain.recordHead(seen.data))
      throw new Disbelieved(`a node is behind: its head is ${seen.data.number}`);
    heads.set(head.data[1], answer);
  };

  // Asked anew each time: behind one URL there may be many nodes.
  const requireBlock = async (node: Send, number: string) => {
    const answer = await node({ method: "eth_getBlockByNumber", params: [number, false] });
    if (answer === null) throw new Disbelieved(`a node is behind: it has no block ${Number(number)}`);
  };

  const ask = async (node: Send, request: Parameters<Send>[0]): Promise<unknown> => {
    const { method, params } = request;
    const range = method === "eth_getLogs" ? logRange.safeParse(params) : undefined;
    if (range?.success) await requireBlock(node, range.data[0].toBlock);
    const answer = await node(request);
    if (method === "eth_getBlockByNumber" || method === "eth_getBlockByHash") checkBlock(params, answer);
    const ofBlock = method === "eth_getLogs" ? logBlock.safeParse(params) : undefined;
    if (
      ofBlock?.success &&
      Array.isArray(answer) &&
      answer.length === 0 &&
      chain.hasLogs(ofBlock.data[0].blockHash)
    ) {
      throw new Disbelieved(`a node has lost logs: none in block ${ofBlock.data[0].blockHash}`);
    }
    return answer;
  };
  const knownHead = ({ method, params }: Parameters<Send>[0]) => {
    const head = method === "eth_getBlockByNumber" ? latest.safeParse(params) : undefined;
    return head?.success ? heads.get(head.data[1]) : undefined;
  };
  /** A node that lags has no block at all at that height, and is asked again. */
  const takenBack = async (nodes: readonly Send[], { method, params }: Parameters<Send>[0]) => {
    const ofBlock = method === "eth_getLogs" ? logBlock.safeParse(params) : undefined;
    const hash = ofBlock?.data?.[0].blockHash;
    const number = hash === undefined ? undefined : chain.numberOf(hash);
    if (number === undefined) return undefined;
    const request = { method: "eth_getBlockByNumber", params: [`0x${number.toString(16)}`, false] };
    for (const node of nodes) {
      const seen = blockSchema.safeParse(await node(request).catch(() => undefined));
      if (seen.success && seen.data.hash !== hash) return new TakenBack(`a reorg took block ${hash} back`);
    }
    return undefined;
  };
  return Object.assign(ask, { knownHead, takenBack });
}
