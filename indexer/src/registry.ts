// Where handlers register: beside its own rows, every one of them moves on the last change of its chain.
import { type Context, ponder as registry } from "ponder:registry";
import { lastChange } from "ponder:schema";
import type { Hex } from "viem";

interface Call {
  event: { block: { hash: Hex } };
  context: Context;
}
type On = (name: string, handler: (call: Call) => Promise<void>) => void;

const on: On = (name, handler) => {
  (registry.on as On)(name, async (call) => {
    await handler(call);
    await recordChange(call);
  });
};

/** Reads first: most events follow another one of their block, and a look into Ponder's cache costs less than its write. */
async function recordChange({ event, context: { db, chain } }: Call): Promise<void> {
  const blockHash = event.block.hash;
  const last = await db.find(lastChange, { chainId: chain.id });
  if (last?.blockHash === blockHash) return;
  await db.insert(lastChange).values({ chainId: chain.id, blockHash }).onConflictDoUpdate({ blockHash });
}

/** Ponder's registry. Whoever keeps what was read of a chain knows by `last_change` whether it is still so. */
export const ponder = { on: on as typeof registry.on };
