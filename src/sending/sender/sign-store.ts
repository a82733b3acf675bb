import type { Hex } from "viem";
import { execute, queryRows } from "../../db/query.ts";
import { raw, type Sql, sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import { bytesOf, isReserved } from "../outbox/rows.ts";
import type { Fees } from "./fees.ts";
import { ATTEMPT_COLUMNS, type Attempt, attemptSchema } from "./store.ts";
import type { Wallet } from "./wallet.ts";

/** Signed bytes, not stored yet. */
export interface NewAttempt extends Fees {
  requestId: string;
  nonce: bigint;
  kind: "call" | "filler";
  gasLimit: bigint;
  bytes: Hex;
  hash: Hex;
}

// Copies the hashes of requests in `shown` to their claims. The key may have recorded the same hash itself: then that claim
// already finds the transaction. OFFSET keeps the look-up by hash: while PostgreSQL does not know the number of these, it would
// read all of the key's claims for each.
const CLAIM_HASHES = raw(`
  UPDATE app.transaction_claim c SET tx_hash = shown.tx_hash, updated_at = now()
  FROM shown WHERE c.claim_id = shown.claim_id AND (
    SELECT o.claim_id FROM (
      SELECT * FROM app.transaction_claim t WHERE t.chain_id = c.chain_id AND t.tx_hash = shown.tx_hash OFFSET 0) o
    WHERE o.key_id = c.key_id AND o.product_type = c.product_type AND o.operation_type = c.operation_type) IS NULL`);

/**
 * Assigns nonces to waiting requests, and raises the wallet's next nonce. Their calls will be signed with these fees alone.
 * @param notionals mUSD wad of each for its key's daily cap; null where nothing limits its key, and its row's counts
 */
export async function reserveNonces(
  tx: Tx,
  { nodes: { chainId }, signer }: Wallet,
  requests: readonly { requestId: string; nonce: bigint }[],
  { maxFeePerGas, maxPriorityFeePerGas }: Fees,
  notionals: readonly (bigint | null)[],
): Promise<void> {
  const ids = requests.map(({ requestId }) => requestId);
  const nonces = requests.map(({ nonce }) => nonce);
  await execute(
    tx,
    sql`
      WITH reserved AS (
        UPDATE app.send_request r SET state = 'signed', nonce = n.nonce, reserved_max_fee = ${maxFeePerGas},
          reserved_tip = ${maxPriorityFeePerGas}, signed_at = now(), signed_notional = n.notional
        FROM unnest(${ids}::uuid[], ${nonces}::bigint[], ${notionals}::numeric[]) AS n (request_id, nonce, notional)
        WHERE r.request_id = n.request_id
      )
      UPDATE app.delegatee_wallet SET next_nonce = next_nonce + ${ids.length}
      WHERE chain_id = ${chainId} AND address = ${signer.address}`,
  );
}

/** Columns of attempts, as arrays. */
const arraysOf = (attempts: readonly NewAttempt[]): Sql => {
  const column = (name: keyof NewAttempt) => attempts.map((each) => each[name]);
  return sql`
    ${column("requestId")}::uuid[], ${column("nonce")}::bigint[], ${column("kind")}::text[],
    ${column("gasLimit")}::bigint[], ${column("maxFeePerGas")}::numeric[], ${column("maxPriorityFeePerGas")}::numeric[],
    ${attempts.map(({ bytes }) => bytesOf(bytes))}::bytea[], ${column("hash")}::text[]`;
};
const ARRAY_COLUMNS = raw(
  "(request_id, nonce, kind, gas_limit, max_fee_per_gas, max_priority_fee, signed_bytes, tx_hash)",
);
const ATTEMPT_INSERT = raw(`
  INSERT INTO app.send_attempt (request_id, chain_id, wallet, nonce, kind, gas_limit, max_fee_per_gas, max_priority_fee,
    signed_bytes, tx_hash)`);
const ATTEMPT_VALUES = raw(
  "a.nonce, a.kind, a.gas_limit, a.max_fee_per_gas, a.max_priority_fee, a.signed_bytes, a.tx_hash",
);

/**
 * Stores the first attempts at reserved requests, which are signed from then on, with the hashes that they and their claims show. Skips
 * a request whose nonce is no longer reserved: a failover lost that, or another transaction signed it.
 * @returns the attempts that it stored
 */
export function storeSigned(
  tx: Tx,
  { nodes: { chainId }, signer }: Wallet,
  attempts: readonly NewAttempt[],
): Promise<Attempt[]> {
  // A filler's hash is not shown.
  const statement = sql`
    WITH fresh AS (SELECT * FROM unnest(${arraysOf(attempts)}) AS a ${ARRAY_COLUMNS}),
    shown AS (
      UPDATE app.send_request r SET tx_hash = CASE a.kind WHEN 'call' THEN a.tx_hash END, reserved_max_fee = NULL,
        reserved_tip = NULL
      FROM fresh a WHERE r.request_id = a.request_id AND r.nonce = a.nonce AND ${raw(isReserved("r"))}
      RETURNING r.request_id, r.claim_id, r.tx_hash
    ), claims AS (${CLAIM_HASHES})
    ${ATTEMPT_INSERT}
    SELECT a.request_id, ${chainId}, ${signer.address}, ${ATTEMPT_VALUES}
    FROM fresh a JOIN shown USING (request_id) ORDER BY a.nonce RETURNING ${ATTEMPT_COLUMNS}`;
  return queryRows(tx, statement, attemptSchema);
}

/**
 * Stores more attempts at requests that are signed, which no node was given yet.
 * @returns them in the given order
 */
export async function insertAttempts(
  tx: Tx,
  {
    nodes: { chainId },
    signer,
  }: { nodes: Pick<Wallet["nodes"], "chainId">; signer: Pick<Wallet["signer"], "address"> },
  attempts: readonly NewAttempt[],
): Promise<Attempt[]> {
  const statement = sql`
    ${ATTEMPT_INSERT}
    SELECT a.request_id, ${chainId}, ${signer.address}, ${ATTEMPT_VALUES}
    FROM unnest(${arraysOf(attempts)}) AS a ${ARRAY_COLUMNS}
    JOIN app.send_request r ON r.request_id = a.request_id AND NOT ${raw(isReserved("r"))}
    ORDER BY a.nonce RETURNING ${ATTEMPT_COLUMNS}`;
  const rows = await queryRows(tx, statement, attemptSchema);
  const stored = new Map(rows.map((attempt) => [attempt.hash, attempt]));
  return attempts.map(({ hash }) => {
    const attempt = stored.get(hash);
    if (!attempt) throw new Error("an attempt was not stored");
    return attempt;
  });
}

/** Sets the hash that a request and its claim show. */
export async function pointTo(tx: Tx, requests: readonly { requestId: string; hash: Hex }[]): Promise<void> {
  const ids = requests.map(({ requestId }) => requestId);
  const hashes = requests.map(({ hash }) => hash);
  await execute(
    tx,
    sql`
      WITH shown AS (
        UPDATE app.send_request r SET tx_hash = h.tx_hash
        FROM unnest(${ids}::uuid[], ${hashes}::text[]) AS h (request_id, tx_hash) WHERE r.request_id = h.request_id
        RETURNING r.claim_id, r.tx_hash
      ) ${CLAIM_HASHES}`,
  );
}
