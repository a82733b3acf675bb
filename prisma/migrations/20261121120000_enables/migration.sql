-- An enable counts for the key that sent it: every send, and every signing, reads the enables of its user.

-- What Prisma's schema cannot say
CREATE INDEX "send_request_enable_idx" ON "app"."send_request"("chain_id", "product_type", "user_address")
  WHERE "operation" = '1ct/enable';
