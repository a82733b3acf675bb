import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import { batchPerPool } from "../db/batch.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import type { PrismaClient } from "../db/generated/client.ts";
import { execute, queryMaybeOne, queryOne, queryRows } from "../db/query.ts";
import { type Sql, sql } from "../db/sql.ts";
import { inTransaction } from "../db/transaction.ts";
import type { OperationType } from "../protocol/enums.ts";
import { ApiError } from "../protocol/errors.ts";
import type { Effect } from "./effects.ts";
import { type Claim, claimOf, claimSchema, storedTypeOf } from "./mapping.ts";
import {
  boundUser,
  claimColumns,
  claimsTo,
  isRebound,
  ownerSql,
  RULE_VERSION,
  UNBOUND,
  usedBefore,
  useOf,
} from "./ownership.ts";

/** The claim of a key: operations of one kind in one transaction. */
export interface ClaimKey {
  operationType: OperationType;
  txHash: Hex;
}

/**
 * Returns the claim to a transaction that this service sent, by the hash of any attempt, whoever's it is; null where it did not
 * send it. Such a transaction does one thing, which belongs to the sender's key.
 */
export async function findSent(
  pool: pg.Pool,
  { chainId, productType }: Caller,
  txHash: Hex,
): Promise<{ keyId: string; claim: Claim } | null> {
  const statement = sql`
    SELECT ${claimColumns}, c.key_id::text AS key_id FROM app.transaction_claim c
    WHERE ${claimsTo(txHash)} AND c.source = 'send' AND c.chain_id = ${chainId} AND c.product_type = ${productType}`;
  const found = await queryMaybeOne(pool, statement, keyedSchema);
  if (!found) return null;
  const { keyId, ...claim } = found;
  return { keyId, claim };
}

const keyedSchema = claimSchema.extend({ keyId: z.string() });

/**
 * Returns a claim by its id, or null. Reads that begin in one tick share a statement: requests of a group are broadcast, and so
 * answered, together.
 * @throws ApiError DATABASE_UNAVAILABLE
 */
export const findClaimById = batchPerPool(findClaimsById, {
  // As long as a statement may take (db/client.ts).
  maxItems: 200,
  maxRunning: 2,
  timeoutMs: 10_000,
});

async function findClaimsById(pool: pg.Pool, claimIds: readonly string[]): Promise<(Claim | null)[]> {
  const statement = sql`
    SELECT ${claimColumns} FROM app.transaction_claim c WHERE c.claim_id = ANY(${claimIds}::uuid[])`;
  const found = await queryRows(pool, statement, claimSchema);
  const claims = new Map(found.map((claim) => [claim.claimId, claim]));
  return claimIds.map((claimId) => claims.get(claimId) ?? null);
}

/** Returns this key's claim, or null. */
export async function findClaim(
  prisma: PrismaClient,
  { keyId, chainId, productType }: Caller,
  { operationType, txHash }: ClaimKey,
): Promise<Claim | null> {
  const name = { keyId, chainId, productType, operationType: storedTypeOf(operationType), txHash };
  const row = await withDatabaseErrors(() =>
    prisma.transactionClaim.findUnique({
      where: { keyId_chainId_productType_operationType_txHash: name },
    }),
  );
  return row && claimOf(row);
}

/** A claim, and the first effect that it owns; null while the transaction's effects are not known. */
export interface Recorded {
  claim: Claim;
  own: Effect | null;
}

/** A recorded transaction as the nodes report it. */
export interface Evidence {
  /** The transaction's effects of the claim's kind, in log order; empty while it is not mined. */
  effects: readonly Effect[];
  /** True where a node knows it. */
  seen: boolean;
  /** True where it is final, by the chain's confirmations. */
  final: boolean;
}

/**
 * Writes a claim, or finds the one that is there; a dropped one lives again, an attribution by a suffix that was used
 * before becomes a record, and a record that owns nothing, or ranks worse than a new one for the key's present user, is made anew. Where
 * the transaction's effects are known, a claim that would own none of them is not kept.
 *
 * Claims to one transaction are written one after the other, each at a time of its own: among equals, who was first never
 * changes.
 * @throws ApiError TX_OWNED_BY_ANOTHER_KEY
 */
export async function writeClaim(
  pool: pg.Pool,
  caller: Caller,
  key: ClaimKey,
  evidence: Evidence,
): Promise<Recorded> {
  const { effects } = evidence;
  const work = async (client: pg.PoolClient): Promise<Recorded> => {
    const name = `claim ${caller.chainId} ${key.txHash}`;
    await execute(client, sql`SELECT pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
    const { isRebound, ...claim } = await queryOne(client, insertSql(caller, key, evidence), writtenSchema);
    if (effects.length === 0) return { claim, own: null };
    const own = await findOwn(client, caller, key, claim, effects);
    const isUsers = effects.every(({ userAddress }) => userAddress === caller.userAddress);
    if (own && !(isRebound && isUsers)) return { claim, own };
    const renewed = (await renew(client, caller, key, claim, evidence, own !== null)) ?? claim;
    const owned = await findOwn(client, caller, key, renewed, effects);
    if (!owned) throw notOwned();
    return { claim: renewed, own: owned };
  };
  return withDatabaseErrors(() => inTransaction(pool, work));
}

/** A claim as it was written; `isRebound`: a record of a key that was bound to another user then. */
const writtenSchema = claimSchema.extend({ isRebound: z.boolean() });

export const notOwned = (): ApiError => new ApiError("TX_OWNED_BY_ANOTHER_KEY", { param: "txHash" });

/**
 * Inserts a claim. Its time is by the database's clock, which all replicas share. What was found final for another claim is final,
 * whatever a lagging node answers.
 */
function insertSql(caller: Caller, { operationType, txHash }: ClaimKey, { seen, final }: Evidence): Sql {
  const secondUse = sql`c.source = 'attributed' AND ${usedBefore(useOf("c"))}`;
  const seenAt = seen ? sql`clock_timestamp()` : sql`NULL::timestamptz`;
  return sql`
    INSERT INTO app.transaction_claim AS c
      (key_id, chain_id, product_type, operation_type, tx_hash, source, last_seen_at, created_at, updated_at, before_final,
        envelope_uuid, rule_version)
    SELECT ${caller.keyId}::uuid, ${caller.chainId}::int, ${caller.productType}::text,
      ${operationType}::app.operation_type, ${txHash}::text, 'recorded', ${seenAt}, at.time, at.time,
      NOT (${final}::boolean OR at.final), ${caller.envelopeUuid ?? null}::uuid, ${RULE_VERSION}::smallint
    FROM ${newest(caller, txHash)} at
    ON CONFLICT (key_id, chain_id, product_type, operation_type, tx_hash) DO UPDATE SET
      source = CASE WHEN ${secondUse} THEN 'recorded' ELSE c.source END,
      attribution_nonce = CASE WHEN ${secondUse} THEN NULL ELSE c.attribution_nonce END,
      state = CASE c.state WHEN 'dropped' THEN 'pending' ELSE c.state END,
      last_seen_at = coalesce(excluded.last_seen_at, c.last_seen_at),
      envelope_uuid = coalesce(c.envelope_uuid, excluded.envelope_uuid),
      rule_version = CASE WHEN ${secondUse} THEN excluded.rule_version ELSE c.rule_version END,
      updated_at = CASE WHEN c.state = 'dropped' THEN excluded.updated_at ELSE c.updated_at END
    RETURNING ${claimColumns}, ${isRebound(caller)} AS is_rebound`;
}

/** Returns SQL for the time of the next claim to a transaction, and for whether a claim to it was found final. */
const newest = ({ chainId }: Caller, txHash: Hex): Sql => sql`(
  SELECT greatest(date_trunc('milliseconds', clock_timestamp()), max(o.created_at) + interval '1 millisecond') AS time,
    coalesce(bool_or(o.state = 'final'), false) AS final
  FROM app.transaction_claim o WHERE o.chain_id = ${chainId}::int AND o.tx_hash = ${txHash}::text)`;

/**
 * Makes a record anew: as of now, of the present rule and of the user that its key is bound to now.
 * @param owns the record owns something, all of it is that user's, and its key was not bound to them before: it is made anew only where
 *   it ranks better then, so its key loses nothing by it
 * @returns null where it stays as it is
 */
async function renew(
  client: pg.PoolClient,
  caller: Caller,
  { txHash }: ClaimKey,
  { claimId }: Claim,
  { final }: Evidence,
  owns: boolean,
): Promise<Claim | null> {
  const isFinal = sql`(${final}::boolean OR at.final)`;
  // A late record of the user's own key ranks as that of an unbound one, and is later.
  const serves = sql`(NOT ${owns}::boolean OR ${boundUser("c")} <> ${UNBOUND} OR NOT ${isFinal})`;
  const statement = sql`
    UPDATE app.transaction_claim c
    SET created_at = at.time, updated_at = at.time, before_final = NOT ${isFinal}, rule_version = ${RULE_VERSION}::smallint
    FROM ${newest(caller, txHash)} at
    WHERE c.claim_id = ${claimId}::uuid AND c.source = 'recorded' AND ${serves}
    RETURNING ${claimColumns}`;
  return queryMaybeOne(client, statement, claimSchema);
}

/** Returns the first effect that a claim owns, or null. */
async function findOwn(
  client: pg.PoolClient,
  caller: Caller,
  key: ClaimKey,
  { claimId }: Claim,
  effects: readonly Effect[],
): Promise<Effect | null> {
  const owners = await readOwners(client, caller, key, effects);
  return effects.find((_effect, index) => owners[index] === claimId) ?? null;
}

const ownerSchema = z.object({ owner: z.string().nullable() }).transform(({ owner }) => owner);

/** Returns the claim that owns each effect, or null. */
async function readOwners(
  client: pg.PoolClient,
  { chainId, productType }: Caller,
  { operationType, txHash }: ClaimKey,
  effects: readonly Effect[],
): Promise<(string | null)[]> {
  const users = effects.map(({ userAddress }) => userAddress);
  const statement = sql`
    SELECT owner.claim_id::text AS owner
    FROM (SELECT u.ordinal, u.user_address, ${chainId}::int AS chain_id, ${productType}::text AS product_type,
        ${txHash}::text AS tx_hash FROM unnest(${users}::text[]) WITH ORDINALITY AS u (user_address, ordinal)) s
    LEFT JOIN ${ownerSql("s", sql`${operationType}`)} owner ON true
    ORDER BY s.ordinal`;
  return queryRows(client, statement, ownerSchema);
}
