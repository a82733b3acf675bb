-- A user's last enable or disable, and what a disable cancels, are found among his requests alone.

-- CreateIndex
CREATE INDEX "send_request_chain_id_user_address_sequence_idx" ON "app"."send_request"("chain_id", "user_address", "sequence" DESC);
