/** Calls that may have changed a chain: by mining, or by sending a transaction that is mined soon after. */
export type ChainChange = "mined" | "sent";

/** Announces calls that may have changed a chain, once they are answered. */
export interface ChainChanges {
  announce(methods: readonly string[]): void;
  /** @returns a function that ends the subscription */
  subscribe(listener: (change: ChainChange) => void): () => void;
}

export function createChainChanges(): ChainChanges {
  const listeners = new Set<(change: ChainChange) => void>();
  return {
    announce: (methods) => {
      const change = changeOf(methods);
      if (change !== null) for (const listener of listeners) listener(change);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Methods of development chains that change nothing. */
const QUESTION = /^(anvil|hardhat)_(get|node|metadata)/;

function changeOf(methods: readonly string[]): ChainChange | null {
  if (methods.some((method) => method.startsWith("eth_send"))) return "sent";
  const changes = (method: string) => /^(anvil|evm|hardhat)_/.test(method) && !QUESTION.test(method);
  return methods.some(changes) ? "mined" : null;
}
