-- Series of requests to send read these indexes alone, and no row of the table (docs/dashboards.md#overview).
--
-- Building an index blocks writes of its table meanwhile, about two seconds for a million rows; reads go on. Where that is too
-- long, build it before the migration with CREATE INDEX CONCURRENTLY, under the same name and as written here.

-- DropIndex
DROP INDEX "app"."send_request_accepted_at_idx";

-- CreateIndex
CREATE INDEX IF NOT EXISTS "send_request_accepted_at_chain_id_idx" ON "app"."send_request"("accepted_at", "chain_id");

-- What follows Prisma's schema cannot say; its diff does not see it.

DROP INDEX "app"."send_request_final_at_idx";
CREATE INDEX IF NOT EXISTS "send_request_ended_idx" ON "app"."send_request"("final_at")
    INCLUDE ("chain_id", "state", "outcome", "err_code") WHERE "final_at" IS NOT NULL;
