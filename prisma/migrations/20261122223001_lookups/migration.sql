-- Orders are looked up by their caller's identifier, and requests to send are listed.
--
-- Building an index blocks writes of its table meanwhile, about two seconds for a million rows; reads go on. Where that is too
-- long, build it before the migration with CREATE INDEX CONCURRENTLY, under the same name and as written here.

-- What Prisma's schema cannot say
CREATE INDEX IF NOT EXISTS "transaction_claim_client_order_idx" ON "app"."transaction_claim"("client_order_id", "key_id")
    WHERE "client_order_id" IS NOT NULL;

-- The status is that of src/sends/store.ts.
CREATE INDEX IF NOT EXISTS "send_request_list_idx" ON "app"."send_request"("key_id", "chain_id", "product_type", "operation",
    (CASE WHEN "state" IN ('accepted', 'signed') THEN 'accepted'
        WHEN "state" = 'broadcast' OR "state" = 'mined' AND NOT ("mined_success" AND NOT "mined_filler") THEN 'submitted'
        WHEN "state" = 'mined' OR "state" = 'final' AND "outcome" = 'confirmed' THEN 'confirmed'
        ELSE 'failed' END),
    "accepted_at", "request_id");
