import type { Hex } from "viem";
import { z } from "zod";
import { ask, type Batches, createBatches, type RpcAnswer, type RpcCall } from "../../chain/rpc.ts";
import type { BeginRpc } from "../../telemetry/rpc.ts";

/** No node of the chain answers sensibly. What was asked may or may not have happened. */
export class NodeUnreachable extends Error {
  override readonly name = "NodeUnreachable";
}

/** A node answered with an error. */
export class NodeRefused extends Error {
  override readonly name = "NodeRefused";
  readonly code: number;
  readonly data: unknown;

  constructor(answer: { code: number; message: string; data: unknown }) {
    super(answer.message);
    this.code = answer.code;
    this.data = answer.data;
  }
}

export interface Head {
  number: bigint;
  hash: Hex;
  /** Unix seconds. */
  timestamp: bigint;
  /** Wei. */
  baseFee: bigint;
  gasLimit: bigint;
}

/** One node, checked to be of the right chain, used for the whole of one look at the chain: one consistent view. */
export interface Node {
  url: string;
  head: Head;
  /** @throws NodeRefused, NodeUnreachable (also where the answer is not of the expected shape) */
  ask<T>(method: string, params: readonly unknown[], shape: z.ZodType<T>): Promise<T>;
  /** Asks several questions at once. @returns an answer to each; never throws */
  askMany(calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
}

/** The nodes of one chain. Usable are those that answered lately, for the right chain and not far behind the others. */
export interface Nodes {
  chainId: number;
  confirmations: number;
  /** Returns the first usable node, in the order of the deployments file, that answers. @throws NodeUnreachable */
  open(): Promise<Node>;
  /**
   * Offers calls, in their order, to one usable node after the other, beginning with `first`, each call until `enough` says
   * so of an answer. @returns every answer to each; none to a call that no node was asked, because one before it got none
   */
  sendUntil(
    first: string,
    calls: readonly RpcCall[],
    enough: (answer: RpcAnswer, index: number) => boolean,
  ): Promise<RpcAnswer[][]>;
  /** Offers calls, in their order, to `first` and every other usable node at once. @returns as sendUntil */
  sendAll(first: string, calls: readonly RpcCall[]): Promise<RpcAnswer[][]>;
  /** Asks `first` and every other usable node at once. @returns every answer, at least one */
  askAll(first: string, method: string, params: readonly unknown[]): Promise<RpcAnswer[]>;
  /** Asks every node of the file, usable or not, one after the other until `enough` says so. @returns the last answer */
  askEach(
    first: string,
    method: string,
    params: readonly unknown[],
    enough: (answer: RpcAnswer) => boolean,
  ): Promise<RpcAnswer>;
  /** Leaves a node out until nodes are compared again after so many ms. */
  avoid(url: string, ms: number): void;
  /** Compares the nodes now; otherwise that happens in time, beside the work. */
  compare(): Promise<void>;
}

export const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]+$/)
  .transform(BigInt);
export const hash = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/)
  .transform((text) => text.toLowerCase() as Hex);

const headShape = z
  .object({
    number: quantity,
    hash,
    timestamp: quantity,
    baseFeePerGas: quantity.nullish(),
    gasLimit: quantity,
  })
  .transform(({ baseFeePerGas, ...rest }): Head => ({ ...rest, baseFee: baseFeePerGas ?? 0n }));

export interface NodesOptions {
  chainId: number;
  rpcUrls: readonly string[];
  confirmations: number;
  timeoutMs: number;
  /** Observes every request. */
  begin?: BeginRpc;
  /** How long a comparison of all nodes holds, ms. */
  compareMs?: number;
  /** Told when a node turns out to serve another chain. */
  onWrongChain?: ((answered: string) => void) | undefined;
  /** Told of a node (its place in the file, from 1) that answers and does not keep up. */
  onStale?: ((stale: { node: number; blocksBehind: string }) => void) | undefined;
}

const COMPARE_MS = 5_000;
/** Nodes of one chain are seldom of one height: a node further behind than this is not used. */
const BLOCKS_BEHIND = 5n;

export function createNodes(options: NodesOptions): Nodes {
  const { chainId, rpcUrls, timeoutMs, begin, compareMs = COMPARE_MS } = options;
  const batches = createBatches(timeoutMs, begin);
  const openOne = (url: string): Promise<Node> => openNode(options, batches, url);
  const avoided = new Map<string, number>();
  let usable: readonly string[] = [];
  let comparedMs: number | null = null;

  /** Asks every node for its head. Runs beside the work: a node that answers nothing keeps nobody waiting. */
  async function compare(): Promise<void> {
    const openings = await Promise.allSettled(rpcUrls.map(openOne));
    const opened = openings.flatMap((opening) => (opening.status === "fulfilled" ? [opening.value] : []));
    const top = opened.reduce((highest, { head }) => (head.number > highest ? head.number : highest), 0n);
    const behind = ({ head }: Node): bigint => top - head.number;
    for (const node of opened.filter((each) => behind(each) > BLOCKS_BEHIND)) {
      options.onStale?.({ node: rpcUrls.indexOf(node.url) + 1, blocksBehind: behind(node).toString() });
    }
    usable = opened
      .filter((node) => behind(node) <= BLOCKS_BEHIND && (avoided.get(node.url) ?? 0) <= Date.now())
      .map(({ url }) => url);
  }

  function compareInTime(): void {
    if (rpcUrls.length === 1 || (comparedMs !== null && Date.now() - comparedMs < compareMs)) return;
    comparedMs = Date.now();
    void compare();
  }

  const candidates = (): readonly string[] => (usable.length > 0 ? usable : rpcUrls);
  const avoid = (url: string, ms: number): void => {
    avoided.set(url, Date.now() + ms);
    usable = usable.filter((other) => other !== url);
  };
  const beginningWith = (first: string, urls: readonly string[]): string[] => [
    first,
    ...urls.filter((url) => url !== first),
  ];

  async function askOne(url: string, method: string, params: readonly unknown[]): Promise<RpcAnswer> {
    const answer = await ask(url, method, params, timeoutMs, begin);
    if (answer.kind === "unreachable") avoid(url, 0);
    return answer;
  }

  async function sendTo(url: string, calls: readonly RpcCall[]): Promise<(RpcAnswer | null)[]> {
    const answers = await batches.askInOrder(url, calls);
    if (answers.some((answer) => answer?.kind === "unreachable")) avoid(url, 0);
    return answers;
  }

  return {
    chainId,
    confirmations: options.confirmations,
    open: async () => {
      compareInTime();
      const reasons: string[] = [];
      for (const url of candidates()) {
        try {
          return await openOne(url);
        } catch (error) {
          avoid(url, 0);
          reasons.push(error instanceof Error ? error.message : String(error));
        }
      }
      throw new NodeUnreachable(`no node of chain ${chainId} answers: ${reasons.join("; ")}`);
    },
    sendUntil: async (first, calls, enough) => {
      const answers = calls.map((): RpcAnswer[] => []);
      let open = calls.map((call, index) => ({ call, index }));
      for (const url of beginningWith(first, candidates())) {
        if (open.length === 0) break;
        const given = await sendTo(
          url,
          open.map(({ call }) => call),
        );
        open = open.filter(({ index }, place) => {
          const answer = given[place];
          if (answer) answers[index]?.push(answer);
          return !answer || !enough(answer, index);
        });
      }
      return answers;
    },
    sendAll: async (first, calls) => {
      const given = await Promise.all(beginningWith(first, candidates()).map((url) => sendTo(url, calls)));
      return calls.map((_, index) => given.flatMap((answers) => answers[index] ?? []));
    },
    askAll: (first, method, params) =>
      Promise.all(beginningWith(first, candidates()).map((url) => askOne(url, method, params))),
    askEach: async (first, method, params, enough) => {
      let answer: RpcAnswer = { kind: "unreachable", reason: "no node" };
      for (const url of beginningWith(first, rpcUrls)) {
        answer = await askOne(url, method, params);
        if (enough(answer)) break;
      }
      return answer;
    },
    avoid,
    compare,
  };
}

/** @throws NodeUnreachable, NodeRefused */
async function openNode(
  { chainId, timeoutMs, begin, onWrongChain }: NodesOptions,
  batches: Batches,
  url: string,
): Promise<Node> {
  // The chain's id is asked every time: behind one URL may stand another node than a moment ago.
  const [id = NO_ANSWER, latest = NO_ANSWER] = await batches.ask(url, [
    { method: "eth_chainId", params: [] },
    { method: "eth_getBlockByNumber", params: ["latest", false] },
  ]);
  const answered = parseAnswer("eth_chainId", id, quantity);
  if (answered !== BigInt(chainId)) {
    onWrongChain?.(String(answered));
    throw new NodeUnreachable(`a node of chain ${answered} answers for chain ${chainId}`);
  }
  return {
    url,
    head: parseAnswer("eth_getBlockByNumber", latest, headShape),
    ask: async (method, params, shape) =>
      parseAnswer(method, await ask(url, method, params, timeoutMs, begin), shape),
    askMany: (calls) => batches.ask(url, calls),
  };
}

const NO_ANSWER: RpcAnswer = { kind: "unreachable", reason: "no answer" };

/**
 * Returns the value of an answer.
 * @throws NodeUnreachable where there is none, or one of another shape; NodeRefused where it is an error
 */
export function parseAnswer<T>(method: string, answer: RpcAnswer, shape: z.ZodType<T>): T {
  if (answer.kind === "unreachable") throw new NodeUnreachable(`${method}: ${answer.reason}`);
  if (answer.kind === "error") throw new NodeRefused(answer);
  const parsed = shape.safeParse(answer.value);
  if (!parsed.success) throw new NodeUnreachable(`${method}: an answer of another shape`);
  return parsed.data;
}
