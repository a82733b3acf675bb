import { confirmNonceUnused } from "./account-nonce.ts";
import type { Cycle } from "./context.ts";

/**
 * Returns false, and raises "nonce-gap", while nothing that this worker sends again has the wallet's next nonce on the chain, by
 * every usable node and for the whole grace period. A reorg deeper than the chain's `confirmations` frees such a nonce: its
 * request has ended, and no higher nonce can be mined. Nothing more is signed, since it would only wait behind the gap. The
 * worker fills no gap: an operator decides what is sent again (docs/operations/runbooks/send-nonce-gap.md).
 */
export async function isWithoutGap(cycle: Cycle): Promise<boolean> {
  const { deps, wallet, state, accountNonce: nonce, inFlight, row } = cycle;
  const isOurs = inFlight.some((request) => request.nonce === nonce);
  if (row.nextNonce === null || nonce >= row.nextNonce || isOurs) {
    state.gap = null;
    return true;
  }
  if (state.gap?.nonce !== nonce) state.gap = { nonce, sinceMs: deps.now() };
  if (deps.now() - state.gap.sinceMs < deps.config.foreignGraceMs) return true;
  const owner = await deps.store.findOwner(wallet, nonce);
  // The lagging node lacks a mined request, or a reorg removed it and the next cycle notices.
  if (owner && !owner.hasEnded) return true;
  if (!(await confirmNonceUnused(cycle, nonce))) {
    state.gap = null;
    return true;
  }
  deps.alarm("nonce-gap", {
    chainId: wallet.nodes.chainId,
    wallet: wallet.signer.address,
    nonce: nonce.toString(),
    requestId: owner?.requestId ?? null,
  });
  return false;
}
