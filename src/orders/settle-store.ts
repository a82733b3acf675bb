import { changedAt } from "../claims/indexed-rows.ts";
import { Prisma } from "../db/generated/client.ts";
import { statusSql } from "./status.ts";
import { orderOfClaim, owned } from "./store.ts";

/**
 * Returns SQL that inserts into app.settled_order what claims own: a row for each order, or one for a transaction that failed.
 * @param claims an SQL SELECT of the claims' ids, as claim_id; everything of their transactions is final
 */
export const insertSettledOrders = (claims: Prisma.Sql): Prisma.Sql => Prisma.sql`
  INSERT INTO app.settled_order (claim_id, log_index, key_id, chain_id, product_type, tx_hash, created_at, updated_at,
    status, side, order_type, stock_address, user_address, filled_notional)
  SELECT r.* FROM (${claims}) ready CROSS JOIN LATERAL (
    SELECT c.claim_id, coalesce(o.log_index, -1), c.key_id, c.chain_id, c.product_type, c.tx_hash, c.created_at,
      ${changedAt}, ${statusSql}, coalesce(o.side, ''), coalesce(o.order_type, ''), o.stock_address, coalesce(o.user_address, c.user_address),
      o.filled_notional
    FROM app.transaction_claim c ${orderOfClaim}
    WHERE c.claim_id = ready.claim_id AND ${owned} OFFSET 0) r`;
