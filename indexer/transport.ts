// Asks the nodes of a chain for the indexer. Ponder trusts every answer: a node that is behind looks like a reorg to it, and
// an empty list of logs like a block without any. This validates answers first, so that a node which is down, behind or
// has lost logs costs time and never a row.
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

/** Called for every answer that is not valid. */
export type Warn = (warning: { msg: string; method: string; node: number }) => void;

/** A node's answer contradicts what is known of the chain: the next one is asked, as if this one had failed. */
class StaleNodeError extends Error {}

/** A reorg removed the block whose logs were requested: Ponder continues with the next head. */
class BlockReorgedError extends Error {
  readonly code = FINAL_CODE;
}

// Parameters, by which requests are told apart: no other method that Ponder calls has any of these.
const logRange = z.tuple([z.object({ toBlock: z.string().startsWith("0x") })]);
const logBlock = z.tuple([z.object({ blockHash: z.string() })]);
const latest = z.tuple([z.literal("latest"), z.boolean()]);
const emptyList = z.tuple([]);

/** Creates one transport for Ponder over all RPC URLs of a chain, by the rules of `validatingRequest`. */
export function validatingTransport(urls: readonly string[], warn: Warn): Transport {
  return (options) => {
    const nodes = urls.map((url): Send => {
      const node = http(url, { retryCount: 0 })(options);
      return ({ method, params }) => node.request({ method, params });
    });
    return custom({ request: validatingRequest(nodes, Date.now, warn) }, { retryCount: 0 })(options);
  };
}

/**
 * Asks the nodes in their order:
 * - on an error, or null for a block, the next one; one that cannot be reached is asked last for the next 30 s;
 * - a head below a known one of the same chain is stale, and where all nodes have none other the known one is repeated;
 * - logs up to a block are taken only from a node that has this block, and an empty list for a range of blocks only where no
 *   other node has any: nodes that have pruned logs answer the same;
 * - an empty list for a block whose bloom filter has logs is not valid;
 * - logs of a block that no node has any more, where another block has its height, are not requested again.
 * @param now Unix milliseconds.
 * @throws the last node's error, where none answers.
 */
export function validatingRequest(nodes: readonly Send[], now: () => number, warn: Warn): Send {
  const failedAt = new Map<Send, number>();
  const cools = (node: Send) =>
    Number(now() - (failedAt.get(node) ?? Number.NEGATIVE_INFINITY) < COOL_DOWN_MS);
  const ask = createValidator();

  return async (request) => {
    let answer: unknown;
    let failure: unknown;
    for (const node of nodes.toSorted((a, b) => cools(a) - cools(b))) {
      try {
        answer = await ask(node, request);
        if (answer !== null && !isEmptyRange(request.params, answer)) return answer;
      } catch (error) {
        failure = error;
        if (isUnreachable(error)) failedAt.set(node, now());
        if (error instanceof StaleNodeError)
          warn({ msg: error.message, method: request.method, node: nodes.indexOf(node) });
      }
    }
    const known = failure instanceof StaleNodeError ? ask.knownHead(request) : undefined;
    if (known !== undefined) return known;
    if (answer !== undefined) return answer;
    if (isUnreachable(failure)) throw failure;
    throw (await ask.findReorg(nodes, request)) ?? failure;
  };
}

const isUnreachable = (error: unknown): boolean =>
  error instanceof HttpRequestError || error instanceof TimeoutError;

const isEmpty = (answer: unknown): boolean => emptyList.safeParse(answer).success;

const isEmptyRange = (params: unknown, answer: unknown): boolean =>
  logRange.safeParse(params).success && isEmpty(answer);

/** Creates a function that asks one node and checks its answer against what is known of the chain. */
function createValidator() {
  const chain = chainMemory();
  const heads = new Map<boolean, unknown>();

  const checkBlock = (params: unknown, answer: unknown) => {
    const seen = blockSchema.safeParse(answer);
    if (!seen.success) return;
    const head = latest.safeParse(params);
    if (!head.success) return chain.record(seen.data);
    if (!chain.recordHead(seen.data))
      throw new StaleNodeError(`a node is behind: its head is ${seen.data.number}`);
    heads.set(head.data[1], answer);
  };

  // Asked anew each time: behind one URL there may be many nodes.
  const requireBlock = async (node: Send, number: string) => {
    const answer = await node({ method: "eth_getBlockByNumber", params: [number, false] });
    if (answer === null) throw new StaleNodeError(`a node is behind: it has no block ${Number(number)}`);
  };

  const ask = async (node: Send, request: Parameters<Send>[0]): Promise<unknown> => {
    const { params } = request;
    const range = logRange.safeParse(params);
    if (range.success) await requireBlock(node, range.data[0].toBlock);
    const answer = await node(request);
    checkBlock(params, answer);
    const ofBlock = logBlock.safeParse(params);
    if (ofBlock.success && isEmpty(answer) && chain.hasLogs(ofBlock.data[0].blockHash)) {
      throw new StaleNodeError(`a node has lost logs: none in block ${ofBlock.data[0].blockHash}`);
    }
    return answer;
  };
  const knownHead = ({ params }: Parameters<Send>[0]) => {
    const head = latest.safeParse(params);
    return head.success ? heads.get(head.data[1]) : undefined;
  };
  /** Finds a block that replaced the one of a request. A node that lags has none at that height, and is asked again. */
  const findReorg = async (nodes: readonly Send[], { params }: Parameters<Send>[0]) => {
    const ofBlock = logBlock.safeParse(params);
    if (!ofBlock.success) return undefined;
    const hash = ofBlock.data[0].blockHash;
    const number = chain.numberOf(hash);
    if (number === undefined) return undefined;
    const request = { method: "eth_getBlockByNumber", params: [`0x${number.toString(16)}`, false] };
    for (const node of nodes) {
      const seen = blockSchema.safeParse(await node(request).catch(() => undefined));
      if (seen.success && seen.data.hash !== hash)
        return new BlockReorgedError(`a reorg took block ${hash} back`);
    }
    return undefined;
  };
  return Object.assign(ask, { knownHead, findReorg });
}
