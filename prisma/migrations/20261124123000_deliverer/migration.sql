-- Deliveries run in a program of their own, under a role of their own (docs/DATABASE.md). A new table and a function: nothing else is
-- locked but app.webhook, for the moment that it takes to add a foreign key to an empty table.

-- A test of a webhook: the api asks for it, a deliverer makes it once and writes what came of it, and it is removed soon after.
CREATE TABLE "app"."webhook_test" (
    "test_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "webhook_id" UUID NOT NULL,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "claimed_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "status_code" INTEGER,
    "error" TEXT,
    "duration_ms" INTEGER,

    CONSTRAINT "webhook_test_pkey" PRIMARY KEY ("test_id")
);

-- CreateIndex
CREATE INDEX "webhook_test_webhook_id_idx" ON "app"."webhook_test"("webhook_id");

-- AddForeignKey
ALTER TABLE "app"."webhook_test" ADD CONSTRAINT "webhook_test_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "app"."webhook"("webhook_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma's schema cannot say
ALTER TABLE "app"."webhook_test" ADD CONSTRAINT "webhook_test_ended_check" CHECK (
    ("ended_at" IS NULL) = ("duration_ms" IS NULL) AND ("ended_at" IS NULL OR "claimed_at" IS NOT NULL));

-- Appends the event that a webhook was disabled to its key's log, and no other event: whoever delivers may not write the log. Locks the
-- log as appendEvent does (src/events/writer/log-store.ts): by the chain's row, or by an advisory lock while it has none.
CREATE FUNCTION "app"."append_webhook_disabled"("webhook" uuid, "data" json) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    w "app"."webhook";
    numbered bigint;
BEGIN
    SELECT * INTO w FROM "app"."webhook" o
    WHERE o."webhook_id" = "webhook" AND o."disabled_at" IS NOT NULL AND o."deleted_at" IS NULL;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM 1 FROM "app"."event_chain" c WHERE c."chain_id" = w."chain_id" FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM pg_advisory_xact_lock(hashtextextended('events ' || w."chain_id", 0));
        PERFORM 1 FROM "app"."event_chain" c WHERE c."chain_id" = w."chain_id" FOR UPDATE;
    END IF;
    INSERT INTO "app"."event_head" AS h ("key_id", "chain_id", "product_type", "sequence")
    VALUES (w."key_id", w."chain_id", w."product_type", 1)
    ON CONFLICT ("key_id", "chain_id", "product_type") DO UPDATE SET "sequence" = h."sequence" + 1
    RETURNING h."sequence" INTO numbered;
    INSERT INTO "app"."event" ("key_id", "chain_id", "product_type", "sequence", "event_id", "type", "resource", "data")
    VALUES (w."key_id", w."chain_id", w."product_type", numbered, gen_random_uuid(), 'webhook.disabled', 'webhooks', "data");
    PERFORM pg_notify('events_appended', w."chain_id"::text);
    RETURN true;
END
$$;

REVOKE ALL ON FUNCTION "app"."append_webhook_disabled"(uuid, json) FROM PUBLIC;
