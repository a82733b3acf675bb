import type { Hex } from "viem";
import { z } from "zod";
import { ask, type RpcAnswer } from "./rpc.ts";

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
}

/** The nodes of one chain. */
export interface Nodes {
  chainId: number;
  confirmations: number;
  /** The first node, in the order of the deployments file, that answers for the right chain. @throws NodeUnreachable */
  open(): Promise<Node>;
  /** Asks one node after the other, beginning with `first`, until `enough` says so. @returns every answer, at least one */
  askUntil(
    first: string,
    method: string,
    params: readonly unknown[],
    enough: (answer: RpcAnswer) => boolean,
  ): Promise<RpcAnswer[]>;
  /** As askUntil. @returns the last answer */
  askEach(
    first: string,
    method: string,
    params: readonly unknown[],
    enough: (answer: RpcAnswer) => boolean,
  ): Promise<RpcAnswer>;
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
  /** Told when a node turns out to serve another chain. */
  onWrongChain?: ((answered: string) => void) | undefined;
}

export function createNodes(options: NodesOptions): Nodes {
  const { chainId, rpcUrls, timeoutMs } = options;

  async function openOne(url: string): Promise<Node> {
    const askThis = <T>(method: string, params: readonly unknown[], shape: z.ZodType<T>): Promise<T> =>
      askShaped(url, method, params, shape, timeoutMs);
    // Asked every time: behind one URL may stand another node than a moment ago.
    const answered = await askThis("eth_chainId", [], quantity);
    if (answered !== BigInt(chainId)) {
      options.onWrongChain?.(String(answered));
      throw new NodeUnreachable(`a node of chain ${answered} answers for chain ${chainId}`);
    }
    const head = await askThis("eth_getBlockByNumber", ["latest", false], headShape);
    return { url, head, ask: askThis };
  }

  const askUntil: Nodes["askUntil"] = async (first, method, params, enough) => {
    const answers: RpcAnswer[] = [];
    for (const url of [first, ...rpcUrls.filter((other) => other !== first)]) {
      const answer = await ask(url, method, params, timeoutMs);
      answers.push(answer);
      if (enough(answer)) break;
    }
    return answers;
  };

  return {
    chainId,
    confirmations: options.confirmations,
    open: async () => {
      const reasons: string[] = [];
      for (const url of rpcUrls) {
        try {
          return await openOne(url);
        } catch (error) {
          reasons.push(error instanceof Error ? error.message : String(error));
        }
      }
      throw new NodeUnreachable(`no node of chain ${chainId} answers: ${reasons.join("; ")}`);
    },
    askUntil,
    askEach: async (first, method, params, enough) =>
      (await askUntil(first, method, params, enough)).at(-1) ?? { kind: "unreachable", reason: "no node" },
  };
}

async function askShaped<T>(
  url: string,
  method: string,
  params: readonly unknown[],
  shape: z.ZodType<T>,
  timeoutMs: number,
): Promise<T> {
  const answer = await ask(url, method, params, timeoutMs);
  if (answer.kind === "unreachable") throw new NodeUnreachable(`${method}: ${answer.reason}`);
  if (answer.kind === "error") throw new NodeRefused(answer);
  const parsed = shape.safeParse(answer.value);
  if (!parsed.success) throw new NodeUnreachable(`${method}: an answer of another shape`);
  return parsed.data;
}
