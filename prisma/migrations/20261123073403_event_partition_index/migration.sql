-- Partitions, step 3 of 5. Reads the table once for the check (SHARE UPDATE EXCLUSIVE: it is read and written meanwhile), and once
-- for the index (SHARE: it is read, and the log's writers wait, one to two seconds for a million events). Where that is too long,
-- build the index before the migration with CREATE UNIQUE INDEX CONCURRENTLY, under the same name and as written here.
ALTER TABLE "app"."event" VALIDATE CONSTRAINT "event_first_partition_check";
CREATE UNIQUE INDEX IF NOT EXISTS "event_chain_id_position_key" ON "app"."event" ("chain_id", "position");
