-- Dashboards list claims across keys, of one scope or of all, and requests in their order of arrival.

-- CreateIndex
CREATE INDEX "transaction_claim_chain_id_product_type_created_at_claim_id_idx" ON "app"."transaction_claim"("chain_id", "product_type", "created_at" DESC, "claim_id" DESC);

-- CreateIndex
CREATE INDEX "transaction_claim_created_at_claim_id_idx" ON "app"."transaction_claim"("created_at" DESC, "claim_id" DESC);

-- CreateIndex
CREATE INDEX "send_request_sequence_idx" ON "app"."send_request"("sequence" DESC);
