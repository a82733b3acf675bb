-- Keys take turns at a wallet, and none may have too much waiting: what waits is found, and counted, by key.

-- What Prisma's schema cannot say
CREATE INDEX "send_request_accepted_idx" ON "app"."send_request"("chain_id", "wallet", "key_id", "sequence")
  WHERE "state" = 'accepted';
