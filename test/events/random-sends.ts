import type pg from "pg";
import type { Caller } from "../../src/auth/caller.ts";
import { hex } from "../support/assert/sample.ts";
import type { SeededRandom } from "../support/assert/seeded-random.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { createSends, createWallet } from "../support/db/builders/sends.ts";
import type { RandomChain } from "../support/db/random-chain.ts";
import { USERS } from "../support/db/random-chain.ts";

/** Requests to send of some keys, and what becomes of them: the same columns as the worker changes together. */

export const WALLET = hex(20, 0xde);

/** States that may follow each state. Reorgs revert `mined`. */
const NEXT: Record<string, readonly string[]> = {
  accepted: ["signed", "signed", "signed", "failed", "canceled"],
  signed: ["broadcast"],
  broadcast: ["mined", "mined", "mined", "failed"],
  mined: ["final", "broadcast"],
};

export function createRandomSends(
  pool: pg.Pool,
  callers: readonly Pick<Caller, "keyId" | "chainId" | "productType">[],
  { random, chain }: { random: SeededRandom; chain: RandomChain },
) {
  const sends = new Map<string, { state: string; txHash: string }>();
  let nonce = 0n;

  const add = async () => {
    const caller = random.of(callers);
    const txHash = hex(32, 0x5e4d000 + random.below(2 ** 30));
    const claimId = await createClaim(pool, caller, { txHash, source: "send", userAddress: null });
    chain.transactions.push(txHash);
    const options = { wallet: WALLET, userAddress: random.of(USERS), claimId };
    const [requestId = ""] = await createSends(pool, caller, options);
    sends.set(requestId, { state: "accepted", txHash });
  };

  const change = async () => {
    const open = [...sends].filter(([, { state }]) => state in NEXT);
    if (open.length === 0) return;
    const [requestId, send] = random.of(open);
    const state = random.of(NEXT[send.state] ?? []);
    const isMined = state === "mined" || state === "final";
    const succeeds = random.chance(0.7);
    await pool.query(
      `WITH request AS (
         UPDATE app.send_request r SET state = $2, nonce = coalesce(r.nonce, CASE WHEN $2 = 'signed' THEN $5::bigint END),
           tx_hash = coalesce(r.tx_hash, CASE WHEN $2 = 'signed' THEN $6 END),
           mined_block = CASE WHEN $3 THEN 40 END, mined_block_hash = CASE WHEN $3 THEN $6 END,
           mined_success = CASE WHEN $2 = 'mined' THEN $4 WHEN $3 THEN r.mined_success END,
           mined_filler = CASE WHEN $3 THEN false END,
           outcome = CASE WHEN $2 = 'final' THEN CASE WHEN r.mined_success THEN 'confirmed' ELSE 'reverted' END END,
           err_code = CASE WHEN $2 IN ('failed', 'canceled') THEN 'DEADLINE_EXPIRED' END
         WHERE request_id = $1 RETURNING claim_id, state)
       UPDATE app.transaction_claim c SET state = 'reverted' FROM request r
       WHERE c.claim_id = r.claim_id AND r.state IN ('failed', 'canceled')`,
      [requestId, state, isMined, succeeds, String(nonce++), send.txHash],
    );
    send.state = state;
  };

  return { begin: () => createWallet(pool, WALLET), add, change, ids: () => [...sends.keys()] };
}
