// Registry of handlers: beside its own rows, each of them records the block of its event.
import { type Context, ponder as registry } from "ponder:registry";
import { eventBlock, lastChange } from "ponder:schema";
import type { Hex } from "viem";

interface Call {
  event: { block: { number: bigint; hash: Hex } };
  context: Context;
}
type On = (name: string, handler: (call: Call) => Promise<void>) => void;

const on: On = (name, handler) => {
  (registry.on as On)(name, async (call) => {
    await handler(call);
    await recordBlock(call);
  });
};

/**
 * Reads first: most events follow another one of their block, and a read of Ponder's cache costs less than its write. A block
 * whose hash is not the last one is new to the table, since a reorg reverts both: Ponder inserts it without a read.
 */
async function recordBlock({ event, context: { db, chain } }: Call): Promise<void> {
  const { number, hash } = event.block;
  const last = await db.find(lastChange, { chainId: chain.id });
  if (last?.blockHash === hash) return;
  await db
    .insert(lastChange)
    .values({ chainId: chain.id, blockHash: hash })
    .onConflictDoUpdate({ blockHash: hash });
  await db.insert(eventBlock).values({ chainId: chain.id, number, hash });
}

/**
 * Ponder's registry. A cache of a chain's data is valid while `last_change` stays the same; `event_block` shows from which block
 * on it is not.
 */
export const ponder = { on: on as typeof registry.on };
