import type pg from "pg";
import { z } from "zod";
import { queryMaybeOne } from "../../db/query.ts";
import { sql } from "../../db/sql.ts";
import { confirmNonceUnused } from "./account-nonce.ts";
import type { Cycle } from "./context.ts";
import type { Wallet } from "./deps.ts";

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
  const owner = await findOwner(deps.pool, wallet, nonce);
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

const ownerSchema = z.object({ requestId: z.string(), hasEnded: z.boolean() });

/** Returns the request that a nonce belongs to; null where it belongs to none, for example if it was used elsewhere. */
function findOwner(
  pool: pg.Pool,
  { nodes, signer }: Wallet,
  nonce: bigint,
): Promise<z.output<typeof ownerSchema> | null> {
  const statement = sql`
    SELECT request_id, state IN ('final', 'failed', 'canceled') AS has_ended FROM app.send_request
    WHERE chain_id = ${nodes.chainId} AND wallet = ${signer.address} AND nonce = ${nonce}`;
  return queryMaybeOne(pool, statement, ownerSchema);
}
