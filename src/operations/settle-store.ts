import { changedAt } from "../claims/indexed-rows.ts";
import { Prisma } from "../db/generated/client.ts";
import { OPERATION_KINDS } from "./kinds.ts";
import { operationStatusSql } from "./status.ts";
import { operationOfClaim, owned } from "./store.ts";

/**
 * Returns SQL that inserts into app.settled_operation what claims own: a row for each operation, or one for a transaction
 * that failed.
 * @param claims an SQL SELECT of the claims' ids, as claim_id; everything of their transactions is final
 */
export const insertSettledOperations = (claims: Prisma.Sql): Prisma.Sql => Prisma.sql`
  INSERT INTO app.settled_operation (claim_id, log_index, key_id, chain_id, product_type, tx_hash, kind, created_at,
    updated_at, status, token_address, user_address)
  SELECT r.* FROM (${claims}) ready CROSS JOIN LATERAL (
    SELECT c.claim_id, coalesce(o.log_index, -1), c.key_id, c.chain_id, c.product_type, c.tx_hash,
      coalesce(o.kind, c.operation_type::text), c.created_at, ${changedAt}, ${operationStatusSql}, o.token_address,
      coalesce(o.user_address, c.user_address)
    FROM app.transaction_claim c ${operationOfClaim(OPERATION_KINDS)}
    WHERE c.claim_id = ready.claim_id AND ${owned(OPERATION_KINDS)} OFFSET 0) r`;
