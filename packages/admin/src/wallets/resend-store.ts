import type pg from "pg";
import { bytesToHex, type Hex } from "viem";
import { z } from "zod";
import { queryRows } from "../../../../src/db/query.ts";
import { sql } from "../../../../src/db/sql.ts";
import { storedHex } from "../../../../src/protocol/shapes.ts";

/** A request with a nonce, as stored. */
export interface NonceOwner {
  requestId: string;
  nonce: bigint;
  /** True where it is final, failed or canceled: the worker sends nothing of it any more. */
  hasEnded: boolean;
  /** True where it is final and its call reverted: it was reported to its caller as failed. */
  reverted: boolean;
  /** Transaction that was mined with its nonce, its call or a filler; null without one. */
  mined: { hash: Hex; bytes: Hex } | null;
}

const ownerSchema = z
  .object({
    requestId: z.string(),
    nonce: z.coerce.bigint(),
    hasEnded: z.boolean(),
    reverted: z.boolean(),
    txHash: storedHex.nullable(),
    signedBytes: z.instanceof(Uint8Array).nullable(),
  })
  .transform(
    ({ txHash, signedBytes, ...owner }): NonceOwner => ({
      ...owner,
      mined: txHash && signedBytes ? { hash: txHash, bytes: bytesToHex(signedBytes) } : null,
    }),
  );

/**
 * Returns the requests of a wallet that have a nonce, from one on. The hash of a final request is that of its mined transaction.
 * Among fillers, which all do nothing, it is the newest, which offers most.
 */
export function readNonceOwners(
  pool: pg.Pool,
  { chainId, wallet }: { chainId: number; wallet: Hex },
  from: bigint,
): Promise<NonceOwner[]> {
  const statement = sql`
    SELECT r.request_id, r.nonce, r.state IN ('final', 'failed', 'canceled') AS has_ended,
       r.outcome IS NOT DISTINCT FROM 'reverted' AS reverted, a.tx_hash, a.signed_bytes
     FROM app.send_request r LEFT JOIN LATERAL (
       SELECT a.tx_hash, a.signed_bytes FROM app.send_attempt a
       WHERE a.request_id = r.request_id
         AND CASE WHEN r.state = 'final' THEN a.tx_hash = r.tx_hash ELSE r.mined_filler AND a.kind = 'filler' END
       ORDER BY a.attempt_id DESC LIMIT 1) a ON true
     WHERE r.chain_id = ${chainId} AND r.wallet = ${wallet} AND r.nonce >= ${from}`;
  return queryRows(pool, statement, ownerSchema);
}
