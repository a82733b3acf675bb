import type { Hex } from "viem";
import { z } from "zod";
import { empty, sql } from "../../../../src/db/sql.ts";
import type { Source } from "./pages.ts";

/** An indexed order or operation of a claim's transaction, of the claim's kind. */
export interface IndexedItem {
  /** An orderId or an operationId. */
  id: Hex;
  user: Hex;
  block: string;
}

const rowSchema = z.object({
  claimId: z.string(),
  apiKey: z.string(),
  operationType: z.string(),
  txHash: z.custom<Hex>(),
  /** send, attributed or recorded. */
  source: z.string(),
  /** pending, final, reverted or dropped. */
  state: z.string(),
  /** User of a sent or attributed transaction, if known. */
  claimUser: z.custom<Hex>().nullable(),
  /** Seconds since a node last knew the transaction, or since it was claimed. */
  unseenSeconds: z.number(),
  items: z.custom<IndexedItem[] | null>(),
});
export type ClaimRow = z.output<typeof rowSchema>;

interface ClaimScope {
  chainId: number;
  productType: string;
  keyId: string | null;
}

/** Returns the claims to transactions of a product, oldest first, with the indexed items of each. */
export function claims({ chainId, productType, keyId }: ClaimScope): Source<ClaimRow> {
  const ofKey = keyId === null ? empty : sql`AND t.key_id = ${keyId}::uuid`;
  return {
    table: "app.transaction_claim",
    key: [
      ["created_at", "timestamptz"],
      ["claim_id", "uuid"],
    ],
    where: sql`t.chain_id = ${chainId}::int AND t.product_type = ${productType}::text
      AND t.tx_hash IS NOT NULL ${ofKey}`,
    columns: sql`t.claim_id::text, k.api_key, t.operation_type::text, t.tx_hash, t.source::text, t.state::text,
      t.user_address AS claim_user, indexed.items,
      extract(epoch FROM now() - coalesce(t.last_seen_at, t.created_at))::float8 AS unseen_seconds`,
    row: rowSchema,
    joins: sql`
      JOIN app.api_key k ON k.key_id = t.key_id
      LEFT JOIN LATERAL (
        SELECT json_agg(json_build_object('id', n.id, 'user', n.user_address, 'block', n.block_number::text)
          ORDER BY n.log_index) AS items
        FROM (${itemsSql}) n
      ) indexed ON true`,
  };
}

const ofClaim = sql`i.chain_id = t.chain_id AND i.product_type = t.product_type AND i.tx_hash = t.tx_hash`;
const itemColumns = sql`i.log_index, i.user_address, i.block_number`;

const itemsSql = sql`
  SELECT ${itemColumns}, i.order_id AS id FROM onchain.stock_order i
    WHERE ${ofClaim} AND t.operation_type = 'trade'
  UNION ALL
  SELECT ${itemColumns}, i.op_id AS id FROM onchain.cash_operation i
    WHERE ${ofClaim} AND i.kind = t.operation_type::text AND i.order_id IS NULL
  UNION ALL
  SELECT ${itemColumns}, i.op_id AS id FROM onchain.stock_operation i
    WHERE ${ofClaim} AND i.kind = t.operation_type::text AND i.order_id IS NULL`;
