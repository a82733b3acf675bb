-- Searches and timelines of the dashboard (docs/dashboards.md#search).
--
-- Adds columns without a default: the catalogue alone changes, and each table is locked for that moment. Building an index blocks
-- writes of its table meanwhile, about two seconds for a million rows; reads go on. Where that is too long, build it before the
-- migration with CREATE INDEX CONCURRENTLY, under the same name and as written here.

ALTER TABLE "app"."send_request" ADD COLUMN "envelope_uuid" UUID;
ALTER TABLE "app"."transaction_claim" ADD COLUMN "envelope_uuid" UUID;
ALTER TABLE "app"."webhook" ADD COLUMN "envelope_uuid" UUID;

-- What Prisma's schema cannot say
CREATE INDEX IF NOT EXISTS "send_request_envelope_idx" ON "app"."send_request"("envelope_uuid")
    WHERE "envelope_uuid" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "transaction_claim_envelope_idx" ON "app"."transaction_claim"("envelope_uuid")
    WHERE "envelope_uuid" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "webhook_envelope_idx" ON "app"."webhook"("envelope_uuid") WHERE "envelope_uuid" IS NOT NULL;

CREATE INDEX IF NOT EXISTS "api_key_user_idx" ON "app"."api_key"("user_address") WHERE "user_address" IS NOT NULL;
-- The expression is that of src/dashboard/search/key-store.ts.
CREATE INDEX IF NOT EXISTS "api_key_name_idx" ON "app"."api_key"
    USING gin (to_tsvector('simple'::regconfig, regexp_replace("name", '[^[:alnum:]]+', ' ', 'g')));

-- The claim that an event is about, or else the request to send. The expression is that of src/dashboard/timeline/event-store.ts.
-- PostgreSQL reads no field of JSON that holds an escaped zero byte: without the condition, such an event, whose token's contract
-- calls itself so, could not be appended.
CREATE INDEX IF NOT EXISTS "event_subject_idx" ON "app"."event"
    ("left"(coalesce("data" -> 'mapping' ->> 'mappingId', "data" ->> 'mappingId', "data" ->> 'requestId'), 36), "sequence")
    WHERE strpos("data"::text, '\u0000') = 0;
