import type { Hex } from "viem";
import { z } from "zod";
import { type Batches, createBatches, type RpcAnswer, type RpcCall } from "../../chain/rpc.ts";
import type { BeginRpc } from "../../telemetry/rpc.ts";
import { createUsableNodes, type UsableNodes, type UsableNodesOptions } from "./usable-nodes.ts";

/** Thrown where no node of the chain gives a usable answer. The request may or may not have taken effect. */
export class NodeUnreachable extends Error {
  override readonly name = "NodeUnreachable";
}

/** Thrown where a node answered with an error. */
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

/** A node, checked to serve the right chain, and used for one consistent view of it. */
export interface Node {
  url: string;
  head: Head;
  /** @throws NodeRefused, NodeUnreachable (also where the answer is not of the expected shape) */
  ask<T>(method: string, params: readonly unknown[], shape: z.ZodType<T>): Promise<T>;
  /**
   * Sends several requests at once.
   * @returns an answer to each; never throws
   */
  askMany(calls: readonly RpcCall[]): Promise<RpcAnswer[]>;
  /**
   * Returns the value of an answer of this node. Avoids the node for a minute where it fails to answer a request that others may
   * answer: a node that serves only heads must not keep a wallet from the complete ones.
   * @throws as parseAnswer, and NodeUnreachable where there is no answer
   */
  read<T>(method: string, answer: RpcAnswer | undefined, shape: z.ZodType<T>): T;
}

/** Nodes of one chain. Usable are those that answered lately, for the right chain and not far behind the others. */
export interface Nodes {
  chainId: number;
  confirmations: number;
  /**
   * Returns the first usable node that answers, in the order of the deployments file.
   * @throws NodeUnreachable
   */
  open(): Promise<Node>;
  /**
   * Sends calls, in their order, to one usable node after the other, beginning with `first`, each call until `enough` accepts an
   * answer.
   * @returns every answer to each; none for a call that was not sent, because one before it got none
   */
  sendUntil(
    first: string,
    calls: readonly RpcCall[],
    enough: (answer: RpcAnswer, index: number) => boolean,
  ): Promise<RpcAnswer[][]>;
  /**
   * Sends calls, in their order, to `first` and every other usable node at once.
   * @returns as sendUntil
   */
  sendAll(first: string, calls: readonly RpcCall[]): Promise<RpcAnswer[][]>;
  /**
   * Sends a request to `first` and every other usable node at once.
   * @returns every answer, at least one
   */
  askAll(first: string, method: string, params: readonly unknown[]): Promise<RpcAnswer[]>;
  /**
   * Sends several requests to every usable node but `first`, at once.
   * @returns the answers of each node; none where there is no other
   */
  askOthers(first: string, calls: readonly RpcCall[]): Promise<RpcAnswer[][]>;
  /**
   * Sends a request to every node of the file, usable or not, one after the other until `enough` accepts an answer.
   * @returns the last answer
   */
  askEach(
    first: string,
    method: string,
    params: readonly unknown[],
    enough: (answer: RpcAnswer) => boolean,
  ): Promise<RpcAnswer>;
  /** Avoids a node until nodes are compared again after so many ms. */
  avoid(url: string, ms: number): void;
  /** Compares the nodes now, instead of in the background. */
  compare(): Promise<void>;
}

/** At most 256 bits, as in the database's columns. */
export const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);
/** Number of an account's transactions, which is its next nonce. */
export const transactionCount = quantity.refine((count) => count < 2n ** 63n);
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

export interface NodesOptions extends UsableNodesOptions {
  chainId: number;
  confirmations: number;
  timeoutMs: number;
  /** Observes every request. */
  begin?: BeginRpc;
  /** Asks the nodes; by default over HTTP. */
  batches?: Batches;
  /** Called when a node turns out to serve another chain. */
  onWrongChain?: ((answered: string) => void) | undefined;
}

/** Time for which a node is avoided that fails to answer, or that the others disagree with. */
export const LEFT_OUT_MS = 60_000;
/** Methods that a healthy node never refuses. */
const NEVER_REFUSED: ReadonlySet<string> = new Set([
  "eth_getBalance",
  "eth_getBlockByNumber",
  "eth_getTransactionCount",
  "eth_getTransactionReceipt",
]);

export function createNodes(options: NodesOptions): Nodes {
  const { chainId, rpcUrls, timeoutMs, begin, batches = createBatches(timeoutMs, begin) } = options;
  const openOne = (url: string): Promise<Node> => openNode(options, batches, url, usable);
  const usable = createUsableNodes(options, openOne);
  const { candidates, avoid } = usable;
  const beginningWith = (first: string, urls: readonly string[]): string[] => [
    first,
    ...urls.filter((url) => url !== first),
  ];

  async function askOne(url: string, method: string, params: readonly unknown[]): Promise<RpcAnswer> {
    const [answer = NO_ANSWER] = await batches.ask(url, [{ method, params }]);
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
      usable.compareInTime();
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
    askOthers: (first, calls) =>
      Promise.all(
        candidates()
          .filter((url) => url !== first)
          .map(async (url) => {
            const answers = await batches.ask(url, calls);
            if (answers.some(({ kind }) => kind === "unreachable")) avoid(url, 0);
            return answers;
          }),
      ),
    askEach: async (first, method, params, enough) => {
      let answer: RpcAnswer = { kind: "unreachable", reason: "no node" };
      for (const url of beginningWith(first, rpcUrls)) {
        answer = await askOne(url, method, params);
        if (enough(answer)) break;
      }
      return answer;
    },
    avoid,
    compare: usable.compare,
  };
}

/** @throws NodeUnreachable, NodeRefused */
async function openNode(
  { chainId, onWrongChain }: NodesOptions,
  batches: Batches,
  url: string,
  usable: UsableNodes,
): Promise<Node> {
  // The chain's id is read every time: another node may now stand behind the same URL.
  const [id = NO_ANSWER, latest = NO_ANSWER] = await batches.ask(url, [
    { method: "eth_chainId", params: [] },
    { method: "eth_getBlockByNumber", params: ["latest", false] },
  ]);
  const answered = parseAnswer("eth_chainId", id, quantity);
  const isRight = answered === BigInt(chainId);
  usable.setChain(url, isRight);
  if (!isRight) {
    onWrongChain?.(String(answered));
    throw new NodeUnreachable(`a node of chain ${answered} answers for chain ${chainId}`);
  }
  const read: Node["read"] = (method, answer, shape) => {
    try {
      return parseAnswer(method, answer ?? NO_ANSWER, shape);
    } catch (error) {
      if (error instanceof NodeUnreachable || NEVER_REFUSED.has(method)) usable.avoid(url, LEFT_OUT_MS);
      throw error;
    }
  };
  return {
    url,
    head: parseAnswer("eth_getBlockByNumber", latest, headShape),
    ask: async (method, params, shape) => {
      const [answer] = await batches.ask(url, [{ method, params }]);
      return read(method, answer, shape);
    },
    askMany: (calls) => batches.ask(url, calls),
    read,
  };
}

const NO_ANSWER: RpcAnswer = { kind: "unreachable", reason: "no answer" };

/**
 * Returns the value of an answer.
 * @throws NodeUnreachable where there is none, or its shape is wrong; NodeRefused where it is an error
 */
export function parseAnswer<T>(method: string, answer: RpcAnswer, shape: z.ZodType<T>): T {
  if (answer.kind === "unreachable") throw new NodeUnreachable(`${method}: ${answer.reason}`);
  if (answer.kind === "error") throw new NodeRefused(answer);
  const parsed = shape.safeParse(answer.value);
  if (!parsed.success) throw new NodeUnreachable(`${method}: an answer of another shape`);
  return parsed.data;
}
