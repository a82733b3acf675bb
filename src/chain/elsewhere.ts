import { setTimeout as delay } from "node:timers/promises";
import type { Hex } from "viem";
import type { Chains } from "./clients.ts";

/** How long nodes of other chains are waited for, milliseconds: whoever asks waits for the answer of their own chain's. */
const WAIT_MS = 1_000;

/** Returns the id of another chain of which a node knows a transaction; null where none has answered so in time. */
export async function findOtherChain(chains: Chains, chainId: number, txHash: Hex): Promise<number | null> {
  const others = [...chains.values()].filter(({ config }) => config.chainId !== chainId);
  const asked = others.flatMap(({ config, nodes }) =>
    nodes.map(async (node) => {
      await node.getTransaction({ hash: txHash });
      return config.chainId;
    }),
  );
  const found = Promise.any(asked).catch(() => null);
  const ended = new AbortController();
  const late = delay(WAIT_MS, null, { signal: ended.signal }).catch(() => null);
  try {
    return await Promise.race([found, late]);
  } finally {
    ended.abort();
  }
}
