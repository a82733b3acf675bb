-- Fewer indexes of what keys see: each change of a row writes an entry to all of them (docs/decisions/2026-11-25-row-indexes.md). Lists of
-- all keys are searched for key by key. The orders of a user in one stock have no shape before their time.
--
-- No release has rows in these tables, so it takes milliseconds; on a database that has them, two indexes are built anew while writes of
-- their tables wait: some seconds for a million orders.

-- DropIndex
DROP INDEX "app"."key_order_all_created", "app"."key_order_all_updated", "app"."key_order_all_status", "app"."key_order_all_stock",
    "app"."key_order_all_user", "app"."key_order_all_span", "app"."key_order_user_stock";

-- DropIndex
DROP INDEX "app"."key_operation_all_created", "app"."key_operation_all_updated", "app"."key_operation_all_status",
    "app"."key_operation_all_token", "app"."key_operation_all_user", "app"."key_operation_all_span", "app"."key_operation_user_token",
    "app"."key_operation_chain_id_tx_hash_idx";

-- CreateIndex
CREATE INDEX "key_order_user_stock" ON "app"."key_order"("key_id", "chain_id", "product_type", "user_address", "stock_address", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_operation_user_token" ON "app"."key_operation"("key_id", "chain_id", "product_type", "kind", "user_address", "token_address", "created_at", "claim_id", "log_index");
