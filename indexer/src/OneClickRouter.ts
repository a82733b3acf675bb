// OneClickRouter: delegations of users. The row's nonce is the next one that the user has to sign.
import type { Context } from "ponder:registry";
import { delegation } from "ponder:schema";
import type { Hex } from "viem";
import { ponder } from "./registry.ts";
import { type ChainEvent, productOf } from "./store.ts";

// Delegating uses up the signed nonce.
ponder.on("OneClickRouter:Delegated", async ({ event, context }) => {
  const { user, delegatee, nonce } = event.args;
  await setDelegation(event, context, user, () => ({ delegatee, nonce: nonce + 1n }));
});

// From undelegate and undelegateFor alike; it raises the nonce, so that signatures never submitted become invalid.
ponder.on("OneClickRouter:Undelegated", async ({ event, context }) => {
  await setDelegation(event, context, event.args.user, (nonce) => ({ delegatee: null, nonce: nonce + 1n }));
});

async function setDelegation(
  event: ChainEvent,
  context: Context,
  user: Hex,
  next: (nonce: bigint) => { delegatee: Hex | null; nonce: bigint },
) {
  const last = { txHash: event.transaction.hash, updatedAt: event.block.timestamp };
  await context.db
    .insert(delegation)
    .values({ ...productOf("oneClickRouter", event), userAddress: user, ...next(0n), ...last })
    .onConflictDoUpdate((row) => ({ ...next(row.nonce), ...last }));
}
