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
    const { event, context } = call;
    const blockHash = event.block.hash;
    await context.db
      .insert(lastChange)
      .values({ chainId: context.chain.id, blockHash })
      .onConflictDoUpdate({ blockHash });
  });
};

/** Ponder's registry. Whoever keeps what was read of a chain knows by `last_change` whether it is still so. */
export const ponder = { on: on as typeof registry.on };
