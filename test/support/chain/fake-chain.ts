import { type Hex, keccak256, pad, toFunctionSelector } from "viem";
import { z } from "zod";
import type { RpcAnswer } from "../../../src/chain/rpc.ts";

/** A request to a node. */
export interface Asked {
  /** Its place in `urls`, from 0. */
  node: number;
  method: string;
  params: unknown[];
}

interface Receipt {
  blockNumber: bigint;
  success: boolean;
  gasUsed: bigint;
}

/** A chain in memory and its nodes, as JSON-RPC over fetch shows them: what the sender asks for, and nothing else. */
export interface FakeChain {
  chainId: number;
  urls: string[];
  head: bigint;
  /** Mined transactions of the wallet. */
  nonce: bigint;
  balance: bigint;
  baseFee: bigint;
  /** Null: the node does not know the method. */
  tip: bigint | null;
  /** Answers who the delegatee of a user is: by default whoever asks. */
  delegateeOf: (call: { from: Hex; to: Hex; data: Hex }) => RpcAnswer;
  /** Answers anything else in the chain's place where it returns anything. */
  intercept: (asked: Asked) => RpcAnswer | undefined;
  asked: Asked[];
  /** Requests to nodes: a batch is one. */
  requests: number;
  /** Signed bytes that nodes took, in order. */
  taken: Hex[];
  /** Transactions that the pool has. */
  known: Set<Hex>;
  /** Mines a transaction of the wallet in a block of its own. */
  mine(hash: Hex, more?: { success?: boolean; gasUsed?: bigint }): bigint;
  /** Replaces all blocks from this one on, and takes their receipts out. */
  reorg(from: bigint): void;
  hashOf(block: bigint): Hex;
  close(): void;
}

export const toHex = (value: bigint): Hex => `0x${value.toString(16)}`;
export const fails = (message: string, data?: Hex): RpcAnswer => ({
  kind: "error",
  code: -32000,
  message,
  data,
});
export const answers = (value: unknown): RpcAnswer => ({ kind: "result", value });
export const DOWN: RpcAnswer = { kind: "unreachable", reason: "down" };

/** Numbers of parameters by method; other methods take any number. */
const PARAMETERS: Record<string, number> = {
  eth_chainId: 0,
  eth_maxPriorityFeePerGas: 0,
  eth_getBlockByNumber: 2,
  eth_getTransactionCount: 2,
  eth_getTransactionReceipt: 1,
  eth_getTransactionByHash: 1,
  eth_sendRawTransaction: 1,
};

const DELEGATEE_OF = toFunctionSelector("delegateeOf(address)");

/** Returns true for a call of eth_call that asks for the delegatee of a user. */
export const isDelegateeOf = (call: unknown): call is { from: Hex; to: Hex; data: Hex } =>
  z.object({ data: z.string().startsWith(DELEGATEE_OF) }).safeParse(call).success;

interface FakeNode {
  begin: () => void;
  answer: (method: string, params: unknown[]) => RpcAnswer;
}

const questionShape = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) });
const nodes = new Map<string, FakeNode>();
const realFetch = globalThis.fetch;
let count = 0;

/** Answers for the nodes of all fake chains; every other address is really fetched. */
async function fakeFetch(url: string | URL | Request, init?: RequestInit): Promise<Response> {
  const node = nodes.get(String(url));
  if (!node) return realFetch(url, init);
  node.begin();
  const asked: unknown = JSON.parse(String(init?.body));
  const answers = [asked].flat().map((each) => {
    const { id, method, params } = questionShape.parse(each);
    const answer = node.answer(method, params);
    if (answer.kind === "unreachable")
      throw new TypeError("fetch failed", { cause: new Error(answer.reason) });
    const body = answer.kind === "result" ? { result: answer.value } : { error: answer };
    return { jsonrpc: "2.0", id, ...body };
  });
  return new Response(JSON.stringify(Array.isArray(asked) ? answers : answers[0]));
}

export function createFakeChain({ chainId = 31337, nodes: nodeCount = 1 } = {}): FakeChain {
  globalThis.fetch = fakeFetch;
  const id = ++count;
  const urls = Array.from({ length: nodeCount }, (_, index) => `http://chain-${id}-node-${index}.invalid/`);
  const receipts = new Map<Hex, Receipt>();
  const forks: bigint[] = [];
  const chain: FakeChain = {
    chainId,
    urls,
    head: 100n,
    nonce: 7n,
    balance: 10n ** 18n,
    baseFee: 1_000_000_000n,
    tip: 2_000_000_000n,
    delegateeOf: ({ from }) => answers(pad(from)),
    intercept: () => undefined,
    asked: [],
    requests: 0,
    taken: [],
    known: new Set(),
    mine: (hash, { success = true, gasUsed = 50_000n } = {}) => {
      chain.head += 1n;
      chain.nonce += 1n;
      receipts.set(hash, { blockNumber: chain.head, success, gasUsed });
      return chain.head;
    },
    reorg: (from) => {
      forks.push(from);
      for (const [hash, { blockNumber }] of receipts) if (blockNumber >= from) receipts.delete(hash);
    },
    hashOf: (block) => {
      const fork = forks.filter((from) => from <= block).length;
      return `0x${fork.toString(16).padStart(32, "f")}${block.toString(16).padStart(32, "0")}`;
    },
    close: () => {
      for (const url of urls) nodes.delete(url);
    },
  };
  const block = (number: bigint) =>
    number > chain.head
      ? null
      : {
          number: toHex(number),
          hash: chain.hashOf(number),
          timestamp: toHex(1_800_000_000n + number),
          baseFeePerGas: toHex(chain.baseFee),
          gasLimit: "0x1c9c380",
        };
  const receiptOf = (hash: Hex) => {
    const receipt = receipts.get(hash);
    return receipt
      ? {
          transactionHash: hash,
          blockNumber: toHex(receipt.blockNumber),
          blockHash: chain.hashOf(receipt.blockNumber),
          status: receipt.success ? "0x1" : "0x0",
          gasUsed: toHex(receipt.gasUsed),
        }
      : null;
  };
  const methods: Record<string, (params: unknown[]) => RpcAnswer> = {
    eth_chainId: () => answers(toHex(BigInt(chainId))),
    eth_getBlockByNumber: ([number]) =>
      answers(block(number === "latest" ? chain.head : BigInt(String(number)))),
    eth_getTransactionCount: () => answers(toHex(chain.nonce)),
    eth_getBalance: () => answers(toHex(chain.balance)),
    eth_maxPriorityFeePerGas: () =>
      chain.tip === null ? fails("no such method") : answers(toHex(chain.tip)),
    eth_getTransactionReceipt: ([hash]) => answers(receiptOf(hash as Hex)),
    eth_getTransactionByHash: ([hash]) => answers(chain.known.has(hash as Hex) ? { hash } : null),
    eth_call: () => answers("0x"),
    eth_sendRawTransaction: ([bytes]) => {
      const hash = keccak256(bytes as Hex);
      chain.taken.push(bytes as Hex);
      chain.known.add(hash);
      return answers(hash);
    },
  };
  for (const [node, url] of urls.entries()) {
    const answer = (method: string, params: unknown[]): RpcAnswer => {
      const [call] = params;
      if (method === "eth_call" && isDelegateeOf(call)) return chain.delegateeOf(call);
      const asked = { node, method, params };
      chain.asked.push(asked);
      if (params.length !== (PARAMETERS[method] ?? params.length))
        return fails("missing or superfluous parameters");
      return chain.intercept(asked) ?? methods[method]?.(params) ?? fails(`no method ${method}`);
    };
    nodes.set(url, { begin: () => (chain.requests += 1), answer });
  }
  return chain;
}
