import { setTimeout as delay } from "node:timers/promises";
import type { Hex } from "viem";
import type { Chains } from "../chain/clients.ts";

/** Time limit for nodes of other chains, milliseconds: the request has already waited for its own chain's answer. */
const WAIT_MS = 1_000;

/** Returns the id of another chain whose node knows a transaction; null where none confirms it in time. */
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
