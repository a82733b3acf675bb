// Registry of handlers: beside its own rows, each of them records the block of its event.
import { type Context, ponder as registry } from "ponder:registry";
import { eventBlock } from "ponder:schema";
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

/** Reads first: most events follow another one of their block, and a read of Ponder's cache costs less than its write. */
async function recordBlock({ event, context: { db, chain } }: Call): Promise<void> {
  const { number, hash } = event.block;
  if (await db.find(eventBlock, { chainId: chain.id, number })) return;
  await db.insert(eventBlock).values({ chainId: chain.id, number, hash });
}

/**
 * Ponder's registry. A cache of a chain's data is valid up to the last block that `event_block` still has as it was then.
 */
export const ponder = { on: on as typeof registry.on };
