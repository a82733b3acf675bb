-- Partitions, step 4 of 5: the same for deliveries. Attempts wait while the index is built. It can be built ahead only once the column
-- is there, that is with step 2 done.
ALTER TABLE "app"."webhook_delivery" VALIDATE CONSTRAINT "webhook_delivery_first_partition_check";
CREATE UNIQUE INDEX IF NOT EXISTS "webhook_delivery_delivery_id_position_key"
    ON "app"."webhook_delivery" ("delivery_id", "position");
