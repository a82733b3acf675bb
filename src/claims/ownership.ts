import { zeroAddress } from "viem";
import type { Caller } from "../auth/caller.ts";
import { raw, type Sql, sql } from "../db/sql.ts";
import { OWN_FORM } from "./attribution/form.ts";

/**
 * Decides who owns an order or operation: the only place that has the rule (docs/decisions/2026-11-24-ownership.md).
 *
 * Claims are to transactions, ownership is per order or operation. Of all claims to the transaction that are of its kind
 * and not void, the first owns it, in this order: sent by this service; attributed by a valid suffix; recorded, before the
 * transaction was final, by a key that was bound to its user; recorded; recorded by a key that was bound to another user. Among
 * equals the older one owns it.
 *
 * A record is void where the transaction carries another key's valid suffix, or a suffix in our form without a verdict. A
 * sending or an attribution is void where it acted for another user; an attribution also where its suffix was used before.
 *
 * The rule compares with the user that a record's key was bound to when the record was made. A record also keeps the rule that it was made
 * under. By the one before, it needs no verdict, and is void where its key was bound to another user.
 */

/** Rule that new records are made under (`rule_version`). */
export const RULE_VERSION = 2;

/** A subject of ownership: an alias of a FROM item with chain_id, product_type, tx_hash and user_address. */
export type Subject = "n" | "o" | "s";

const ALL_CLAIMS = sql`app.transaction_claim`;

/**
 * Returns the claim that owns a subject, as a FROM item with one column, claim_id, and one row or none.
 * @param operationType an SQL expression: the operation type, as text, of the claims that count for the subject
 * @param claims a FROM item of the claims that there are
 */
export function ownerSql(subject: Subject, operationType: Sql, claims = ALL_CLAIMS): Sql {
  const s = raw(subject);
  return sql`LATERAL (
    SELECT w.claim_id
    FROM ${claims} w
    WHERE w.chain_id = ${s}.chain_id AND w.product_type = ${s}.product_type AND w.tx_hash = ${s}.tx_hash
      AND w.operation_type::text = ${operationType}
      AND (w.source = 'recorded' OR coalesce(w.user_address, ${s}.user_address) = ${s}.user_address)
      AND CASE w.source
        WHEN 'recorded' THEN NOT ${carriesAnothersSuffix("w")} AND CASE WHEN w.rule_version IS NULL
          THEN ${boundUser("w")} IN (${s}.user_address, ${UNBOUND}) ELSE NOT ${lacksVerdict("w")} END
        WHEN 'attributed' THEN NOT ${usedBefore(useOf("w"))}
        ELSE true END
    ORDER BY CASE w.source WHEN 'send' THEN 0 WHEN 'attributed' THEN 1 ELSE ${recordRank(s)} END, w.created_at, w.claim_id
    LIMIT 1)`;
}

/** Stands in `bound_user_address` for the user of a key that is bound to nobody. */
export const UNBOUND = raw(`'${zeroAddress}'`);

/**
 * Returns SQL for the user that the key of a record was bound to when it was made. A record from before that was stored goes by its
 * key, whose user has not changed since: who changes it stores the one before (migration bound_user).
 */
export function boundUser(claim: "c" | "w"): Sql {
  const c = raw(claim);
  return sql`
    coalesce(${c}.bound_user_address, (SELECT k.user_address FROM app.api_key k WHERE k.key_id = ${c}.key_id), ${UNBOUND})`;
}

/**
 * Returns the rank of the record `w`. A record of an unbound key that was made when the transaction was final comes behind
 * every earlier one of its kind: also behind that of a key that was bound to another user, which all others precede.
 */
function recordRank(subject: Sql): Sql {
  return sql`
    CASE ${boundUser("w")}
      WHEN ${subject}.user_address THEN CASE WHEN w.before_final THEN 2 ELSE 3 END
      WHEN ${UNBOUND} THEN CASE WHEN w.before_final OR NOT EXISTS (
        SELECT 1 FROM app.transaction_claim e
        WHERE e.chain_id = w.chain_id AND e.product_type = w.product_type AND e.tx_hash = w.tx_hash
          AND e.operation_type = w.operation_type AND e.source = 'recorded' AND e.rule_version IS NOT NULL
          AND e.created_at < w.created_at) THEN 3 ELSE 5 END
      ELSE 4 END`;
}

/** Returns SQL that holds where a claim's transaction carries the valid suffix of another key, used before or not. */
function carriesAnothersSuffix(claim: "c" | "w"): Sql {
  const c = raw(claim);
  return sql`EXISTS (
    SELECT 1 FROM app.transaction_attribution v
    WHERE v.chain_id = ${c}.chain_id AND v.tx_hash = ${c}.tx_hash AND v.key_id <> ${c}.key_id)`;
}

/**
 * Returns SQL that holds where the index has a suffix in our form of a claim's transaction, and nobody has verified it yet. The form is
 * compared by a function: for the operator `~`, PostgreSQL tries it on a hundred known suffixes whenever it plans the statement, 11 ms.
 */
export function lacksVerdict(claim: "c" | "w"): Sql {
  const c = raw(claim);
  const verdictIn = (table: string) => sql`EXISTS (
    SELECT 1 FROM ${raw(table)} v WHERE v.chain_id = x.chain_id AND v.tx_hash = x.tx_hash)`;
  return sql`EXISTS (
    SELECT 1 FROM onchain.attribution_suffix x
    WHERE x.chain_id = ${c}.chain_id AND x.product_type = ${c}.product_type AND x.tx_hash = ${c}.tx_hash
      AND regexp_like(x.suffix, ${raw(`'${OWN_FORM}'`)})
      AND NOT ${verdictIn("app.transaction_attribution")} AND NOT ${verdictIn("app.invalid_attribution")})`;
}

/** Returns SQL that holds for a claim `c` of the caller's: a record, made when its key was bound to another user, or to none. */
export const isRebound = ({ userAddress }: Pick<Caller, "userAddress">): Sql =>
  sql`(c.source = 'recorded' AND ${boundUser("c")} <> coalesce(${userAddress}::text, ${UNBOUND}))`;

/** Holds for a claim, under the alias `c`, that is shown while the index has nothing of its transaction. */
export const shownUnindexed = sql`
  c.state <> 'dropped' AND NOT (c.source = 'recorded' AND ${carriesAnothersSuffix("c")})`;

/** A use of an attribution's suffix, as SQL expressions. */
interface Use {
  chainId: Sql;
  productType: Sql;
  txHash: Sql;
  nonce: Sql;
}

/**
 * Returns true where a suffix has mapped an earlier transaction of the chain as it is indexed now: a suffix maps one order or
 * operation, the first one. A reorg that takes the first away lets the next one have it. A transaction that is not
 * indexed yet comes after all that are.
 */
export function usedBefore({ chainId, productType, txHash, nonce }: Use): Sql {
  return sql`EXISTS (
    SELECT 1 FROM app.transaction_claim e
    JOIN onchain.attribution_suffix f
      ON f.chain_id = e.chain_id AND f.product_type = e.product_type AND f.tx_hash = e.tx_hash
    LEFT JOIN onchain.attribution_suffix g
      ON g.chain_id = ${chainId} AND g.product_type = ${productType} AND g.tx_hash = ${txHash}
    WHERE e.attribution_nonce = ${nonce} AND e.chain_id = ${chainId} AND e.product_type = ${productType}
      AND e.tx_hash <> ${txHash}
      AND (g.tx_hash IS NULL OR (f.block_number, f.transaction_index) < (g.block_number, g.transaction_index)))`;
}

/** Returns the use of a suffix that a claim is about. */
export function useOf(claim: "c" | "w"): Use {
  const column = (name: string) => raw(`${claim}.${name}`);
  return {
    chainId: column("chain_id"),
    productType: column("product_type"),
    txHash: column("tx_hash"),
    nonce: column("attribution_nonce"),
  };
}

/**
 * Returns the claims, under the alias `c`, to a transaction (or an SQL expression for it); a sent one goes by the hash of
 * any attempt.
 */
export function claimsTo(txHash: string | Sql): Sql {
  return sql`
    (c.tx_hash = ${txHash} OR c.claim_id = (
      SELECT r.claim_id FROM app.send_attempt a JOIN app.send_request r ON r.request_id = a.request_id
      WHERE a.tx_hash = ${txHash}))`;
}

/** Columns of a claim, under the alias `c`, that claimSchema in mapping.ts reads. */
export const claimColumns = sql`
  c.claim_id::text AS claim_id, c.chain_id, c.product_type, c.operation_type::text AS operation_type, c.tx_hash,
  c.source::text AS source, c.state::text AS state, c.user_address AS claim_user, c.client_order_id,
  (extract(epoch FROM c.created_at) * 1000)::bigint::text AS created_ms,
  (extract(epoch FROM c.updated_at) * 1000)::bigint::text AS updated_ms`;
