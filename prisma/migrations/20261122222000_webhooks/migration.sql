-- Webhooks (docs/webhooks.md): where events are delivered to, what signs them, and each delivery. New tables alone: the foreign
-- key locks app.api_key against writes for the moment that it takes to add it to an empty table.

-- CreateTable
CREATE TABLE "app"."webhook" (
    "webhook_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "types" TEXT NOT NULL,
    "cursor" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_reason" TEXT,
    "disabled_at" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_pkey" PRIMARY KEY ("webhook_id")
);

-- CreateTable
CREATE TABLE "app"."webhook_secret" (
    "secret_id" BIGSERIAL NOT NULL,
    "webhook_id" UUID NOT NULL,
    "sealed" BYTEA NOT NULL,
    "sealing_key_id" TEXT NOT NULL,
    "ends_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_secret_pkey" PRIMARY KEY ("secret_id")
);

-- CreateTable
CREATE TABLE "app"."webhook_delivery" (
    "delivery_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "webhook_id" UUID NOT NULL,
    "sequence" BIGINT NOT NULL,
    "event_id" UUID NOT NULL,
    "event_type" TEXT NOT NULL,
    "event_at" TIMESTAMPTZ(3) NOT NULL,
    "object" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "began_at" TIMESTAMPTZ(3),
    "next_at" TIMESTAMPTZ(3),
    "lease" UUID,
    "last_attempt_at" TIMESTAMPTZ(3),
    "last_status_code" INTEGER,
    "last_error" TEXT,
    "last_duration_ms" INTEGER,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("delivery_id")
);

-- CreateIndex
CREATE INDEX "webhook_key_id_chain_id_product_type_idx" ON "app"."webhook"("key_id", "chain_id", "product_type");

-- CreateIndex
CREATE INDEX "webhook_secret_webhook_id_idx" ON "app"."webhook_secret"("webhook_id");

-- CreateIndex
CREATE INDEX "webhook_delivery_webhook_id_state_sequence_idx" ON "app"."webhook_delivery"("webhook_id", "state", "sequence");

-- CreateIndex
CREATE INDEX "webhook_delivery_event_at_idx" ON "app"."webhook_delivery"("event_at");

-- CreateIndex
CREATE UNIQUE INDEX "webhook_delivery_webhook_id_sequence_key" ON "app"."webhook_delivery"("webhook_id", "sequence");

-- AddForeignKey
ALTER TABLE "app"."webhook" ADD CONSTRAINT "webhook_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "app"."api_key"("key_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "app"."webhook_secret" ADD CONSTRAINT "webhook_secret_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "app"."webhook"("webhook_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "app"."webhook_delivery" ADD CONSTRAINT "webhook_delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "app"."webhook"("webhook_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What follows Prisma's schema cannot say; its diff does not see it.

-- A repeated POST finds the webhook that the first one made..
CREATE UNIQUE INDEX "webhook_target_idx" ON "app"."webhook" ("key_id", "chain_id", "product_type", md5("url"), "types")
    WHERE "deleted_at" IS NULL;

-- What is due of a webhook; what is under way; and the pending deliveries of an object, in their order.
CREATE INDEX "webhook_delivery_due_idx" ON "app"."webhook_delivery" ("webhook_id", "next_at")
    WHERE "state" = 'pending' AND "next_at" IS NOT NULL;
CREATE INDEX "webhook_delivery_lease_idx" ON "app"."webhook_delivery" ("webhook_id") WHERE "lease" IS NOT NULL;
CREATE INDEX "webhook_delivery_object_idx" ON "app"."webhook_delivery" ("webhook_id", "object", "sequence")
    WHERE "state" = 'pending';

ALTER TABLE "app"."webhook" ADD CONSTRAINT "webhook_disabled_check" CHECK (
    ("disabled_reason" IS NULL) = ("disabled_at" IS NULL)
    AND "disabled_reason" IN ('failing', 'gone', 'paused_by_operator'));
-- A delivery that ended is due no more; who claims one says since when, and until when the claim holds.
ALTER TABLE "app"."webhook_delivery" ADD CONSTRAINT "webhook_delivery_state_check" CHECK (
    "state" IN ('pending', 'delivered', 'dead')
    AND ("state" = 'pending') = ("ended_at" IS NULL)
    AND ("state" = 'pending' OR ("next_at" IS NULL AND "lease" IS NULL))
    AND ("lease" IS NULL OR ("next_at" IS NOT NULL AND "began_at" IS NOT NULL)));
