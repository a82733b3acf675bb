import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { readCheckpoints } from "../../../src/db/checkpoint-watch.ts";
import { connect } from "./transact.ts";

const POLL_MS = 100;

/**
 * Waits until the index holds every present block of its chain. The indexer is ready after the blocks that were final when it
 * started; newly funded users have their balances only in later ones.
 * @throws Error naming the chain that is behind, after `withinMs`, or when the end begins
 */
export async function untilIndexed(
  databaseUrl: string,
  chains: readonly { chainId: number; rpcUrl: string }[],
  ending: AbortSignal,
  withinMs: number,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  const heads = await Promise.all(
    chains.map(async ({ chainId, rpcUrl }) => {
      const head = await connect(rpcUrl, chainId).getBlockNumber({ cacheTime: 0 });
      return { chainId, head };
    }),
  );
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  try {
    for (;;) {
      const indexed = await readCheckpoints(pool);
      const late = heads.find(({ chainId, head }) => (indexed.get(chainId)?.number ?? -1n) < head);
      if (!late) return;
      if (Date.now() > deadline || ending.aborted) {
        throw new Error(`the index of chain ${late.chainId} has not reached block ${late.head}`);
      }
      await delay(POLL_MS);
    }
  } finally {
    await pool.end();
  }
}
