-- The rows of keys that are not final, by the block of their last change: the projector compares them with the index every two seconds.
-- Blocks writes of the table while an index is built: about a second for a million rows. Reads go on.

-- CreateIndex
CREATE INDEX IF NOT EXISTS "key_order_chain_id_block_number_idx" ON "app"."key_order"("chain_id", "block_number");

-- CreateIndex
CREATE INDEX IF NOT EXISTS "key_operation_chain_id_block_number_idx" ON "app"."key_operation"("chain_id", "block_number");
