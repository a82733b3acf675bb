import type pg from "pg";
import type { Hex } from "viem";
import { hexOf } from "../../sending/outbox/rows.ts";

/** A request that has a nonce, as it is stored. */
export interface NonceOwner {
  requestId: string;
  nonce: bigint;
  /** It is final, failed or canceled: the worker sends nothing of it any more. */
  hasEnded: boolean;
  /** It is final, and its call reverted: its caller got it reported as failed. */
  reverted: boolean;
  /** The transaction that was mined with its nonce, its call or a filler; null where none of it was. */
  mined: { hash: Hex; bytes: Hex } | null;
}

interface RawOwner {
  request_id: string;
  nonce: string;
  has_ended: boolean;
  reverted: boolean;
  tx_hash: Hex | null;
  signed_bytes: Buffer | null;
}

/**
 * Returns the requests of a wallet that have a nonce, from one on. The hash of a final request is that of its
 * mined transaction. Of fillers, which all do nothing, it is the newest, which offers most.
 */
export async function readNonceOwners(
  pool: pg.Pool,
  { chainId, wallet }: { chainId: number; wallet: Hex },
  from: bigint,
): Promise<NonceOwner[]> {
  const { rows } = await pool.query<RawOwner>(
    `SELECT r.request_id, r.nonce, r.state IN ('final', 'failed', 'canceled') AS has_ended,
       r.outcome IS NOT DISTINCT FROM 'reverted' AS reverted, a.tx_hash, a.signed_bytes
     FROM app.send_request r LEFT JOIN LATERAL (
       SELECT a.tx_hash, a.signed_bytes FROM app.send_attempt a
       WHERE a.request_id = r.request_id
         AND CASE WHEN r.state = 'final' THEN a.tx_hash = r.tx_hash ELSE r.mined_filler AND a.kind = 'filler' END
       ORDER BY a.attempt_id DESC LIMIT 1) a ON true
     WHERE r.chain_id = $1 AND r.wallet = $2 AND r.nonce >= $3`,
    [chainId, wallet, from.toString()],
  );
  return rows.map(({ request_id, nonce, has_ended, reverted, tx_hash, signed_bytes }) => ({
    requestId: request_id,
    nonce: BigInt(nonce),
    hasEnded: has_ended,
    reverted,
    mined: tx_hash && signed_bytes ? { hash: tx_hash, bytes: hexOf(signed_bytes) } : null,
  }));
}
