import type { Hex } from "viem";
import { bytesOf } from "../outbox/rows.ts";
import type { Tx } from "../outbox/transaction.ts";
import type { Wallet } from "./deps.ts";
import type { Fees } from "./fees.ts";
import { type Attempt, type RawAttempt, toAttempt } from "./store.ts";

/** Signed bytes that are not stored yet. */
export interface NewAttempt extends Fees {
  requestId: string;
  nonce: bigint;
  kind: "call" | "filler";
  gasLimit: bigint;
  bytes: Hex;
  hash: Hex;
}

/** Gives requests that wait for a nonce theirs, and raises the wallet's next nonce by as many. */
export async function assignNonces(
  tx: Tx,
  wallet: Wallet,
  requests: readonly { requestId: string; nonce: bigint }[],
): Promise<void> {
  await tx.query(
    `WITH assigned AS (
       UPDATE app.send_request r SET state = 'signed', nonce = n.nonce, signed_at = now()
       FROM unnest($3::uuid[], $4::bigint[]) AS n (request_id, nonce) WHERE r.request_id = n.request_id
     )
     UPDATE app.delegatee_wallet SET next_nonce = next_nonce + cardinality($3) WHERE chain_id = $1 AND address = $2`,
    [
      wallet.nodes.chainId,
      wallet.signer.address,
      requests.map(({ requestId }) => requestId),
      requests.map(({ nonce }) => nonce.toString()),
    ],
  );
}

/** Stores attempts that no node has seen yet. @returns them in their order here */
export async function insertAttempts(
  tx: Tx,
  wallet: Wallet,
  attempts: readonly NewAttempt[],
): Promise<Attempt[]> {
  const { rows } = await tx.query<RawAttempt>(
    `INSERT INTO app.send_attempt (request_id, chain_id, wallet, nonce, kind, gas_limit, max_fee_per_gas,
       max_priority_fee, signed_bytes, tx_hash)
     SELECT a.request_id, $1, $2, a.nonce, a.kind, a.gas_limit, a.max_fee_per_gas, a.max_priority_fee, a.signed_bytes,
       a.tx_hash
     FROM unnest($3::uuid[], $4::bigint[], $5::text[], $6::bigint[], $7::numeric[], $8::numeric[], $9::bytea[], $10::text[])
       AS a (request_id, nonce, kind, gas_limit, max_fee_per_gas, max_priority_fee, signed_bytes, tx_hash)
     ORDER BY a.nonce RETURNING *`,
    [
      wallet.nodes.chainId,
      wallet.signer.address,
      attempts.map(({ requestId }) => requestId),
      attempts.map(({ nonce }) => nonce.toString()),
      attempts.map(({ kind }) => kind),
      attempts.map(({ gasLimit }) => gasLimit.toString()),
      attempts.map(({ maxFeePerGas }) => maxFeePerGas.toString()),
      attempts.map(({ maxPriorityFeePerGas }) => maxPriorityFeePerGas.toString()),
      attempts.map(({ bytes }) => bytesOf(bytes)),
      attempts.map(({ hash }) => hash),
    ],
  );
  const stored = new Map(rows.map((row) => [row.tx_hash, toAttempt(row)]));
  return attempts.map(({ hash }) => {
    const attempt = stored.get(hash);
    if (!attempt) throw new Error("an attempt was not stored");
    return attempt;
  });
}

/** Makes a hash the one that a request and its claim show. */
export async function pointTo(tx: Tx, requests: readonly { requestId: string; hash: Hex }[]): Promise<void> {
  // The key may have recorded this very hash by itself: then that claim finds the transaction already.
  await tx.query(
    `WITH shown AS (
       UPDATE app.send_request r SET tx_hash = h.tx_hash
       FROM unnest($1::uuid[], $2::text[]) AS h (request_id, tx_hash) WHERE r.request_id = h.request_id
       RETURNING r.claim_id, r.tx_hash
     )
     UPDATE app.transaction_claim c SET tx_hash = shown.tx_hash, updated_at = now()
     FROM shown WHERE c.claim_id = shown.claim_id AND NOT EXISTS (
       SELECT 1 FROM app.transaction_claim o WHERE o.key_id = c.key_id AND o.chain_id = c.chain_id
         AND o.product_type = c.product_type AND o.operation_type = c.operation_type AND o.tx_hash = shown.tx_hash)`,
    [requests.map(({ requestId }) => requestId), requests.map(({ hash }) => hash)],
  );
}
