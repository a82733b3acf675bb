-- Lists, the status of a delegation and the queues' metrics find their rows by indexes, and not among all there are.

-- CreateIndex
CREATE INDEX "transaction_claim_key_id_chain_id_product_type_operation_ty_idx" ON "app"."transaction_claim"("key_id", "chain_id", "product_type", "operation_type", "created_at" DESC, "claim_id" DESC);

-- What Prisma's schema cannot say
CREATE INDEX "transaction_claim_reverted_idx" ON "app"."transaction_claim"("key_id", "chain_id", "product_type", "created_at" DESC, "claim_id" DESC)
    WHERE "state" = 'reverted';
CREATE INDEX "send_request_delegation_idx" ON "app"."send_request"("chain_id", "product_type", "user_address", "sequence" DESC)
    WHERE "operation" IN ('1ct/enable', '1ct/disable');
CREATE INDEX "send_request_failed_idx" ON "app"."send_request"("chain_id", "err_code")
    WHERE "err_code" IS NOT NULL AND ("state" IN ('failed', 'canceled') OR "outcome" = 'reverted');
