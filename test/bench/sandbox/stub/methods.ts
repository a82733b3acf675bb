import type { Hex } from "viem";
import type { RpcBlock, StubChain } from "./chain.ts";

export type Forward = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** Answers calls of JSON-RPC by a stub's chain, and by the node before it where the chain has nothing of its own to say. */
export function createMethods(chain: StubChain, account: Hex, forward: Forward) {
  const first = BigInt(chain.head.number);
  const firstHash = chain.head.hash;
  const recorded = new Map<string, Promise<unknown>>();

  /** Asks the node once; a failure is not kept. */
  function record(key: string, method: string, params: readonly unknown[]): Promise<unknown> {
    const known = recorded.get(key);
    if (known) return known;
    const asked = forward(method, params);
    recorded.set(key, asked);
    asked.catch(() => recorded.delete(key));
    return asked;
  }

  /** Returns the number of a block of the stub's own; null where the node has it. */
  function ownNumber(tag: unknown): bigint | null {
    if (tag === undefined || tag === "latest" || tag === "pending") return BigInt(chain.head.number);
    if (typeof tag !== "string" || !tag.startsWith("0x")) return null;
    const number = BigInt(tag);
    return number > first ? number : null;
  }

  function call(params: readonly unknown[]): Promise<unknown> {
    const [request, tag] = params;
    const block: RpcBlock | null = chain.block({ number: ownNumber(tag) ?? first }, false);
    if (ownNumber(tag) === null || !block) return forward("eth_call", params);
    // The state is that of the node's last block; the block's number and time are the stub's.
    const overrides = { number: block.number, time: block.timestamp };
    const key = `${block.number}/${JSON.stringify(request)}`;
    return record(key, "eth_call", [request, "latest", null, overrides]);
  }

  /** Returns what the first such call took: two calls of one function to one contract take about the same. */
  function estimate(params: readonly unknown[]): Promise<unknown> {
    const { to, data = "" } = params[0] as { to?: string; data?: string };
    return record(`gas/${to}/${data.slice(0, 10)}`, "eth_estimateGas", [params[0], "latest"]);
  }

  return async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const [subject, more] = params;
    switch (method) {
      case "eth_blockNumber":
        return chain.head.number;
      case "eth_getBlockByNumber": {
        const number = ownNumber(subject);
        return number === null ? forward(method, params) : chain.block({ number }, more === true);
      }
      case "eth_getBlockByHash":
        return chain.block({ hash: subject as Hex }, more === true) ?? forward(method, params);
      case "eth_sendRawTransaction":
        return chain.take(subject as Hex) ?? forward(method, params);
      case "eth_getTransactionByHash":
        return chain.transaction(subject as Hex) ?? forward(method, params);
      case "eth_getTransactionReceipt":
        return chain.receipt(subject as Hex) ?? forward(method, params);
      case "eth_getTransactionCount":
        if (String(subject).toLowerCase() !== account) return forward(method, [subject, "latest"]);
        return `0x${chain.mined.toString(16)}`;
      case "eth_getBalance":
      case "eth_getCode":
        return record(`${method}/${subject}`, method, [subject, "latest"]);
      case "eth_getLogs":
        return hasNone(subject as { blockHash?: Hex; fromBlock?: string }) ? [] : forward(method, params);
      case "eth_call":
        return call(params);
      case "eth_estimateGas":
        return estimate(params);
      default:
        return record(`${method}/${JSON.stringify(params)}`, method, params);
    }
  };

  /** Returns true for the stub's own blocks, which have no logs. */
  function hasNone({ blockHash, fromBlock }: { blockHash?: Hex; fromBlock?: string }): boolean {
    if (blockHash) return chain.block({ hash: blockHash }, false) !== null && blockHash !== firstHash;
    return fromBlock !== undefined && ownNumber(fromBlock) !== null;
  }
}
