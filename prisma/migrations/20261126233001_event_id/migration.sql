-- Finds an event by the id that partners quote (docs/dashboards.md#search). Blocks writes of app.event while the index of each partition is
-- built: about a second for a million rows. Reads go on.

-- CreateIndex
CREATE INDEX IF NOT EXISTS "event_event_id_idx" ON "app"."event"("event_id");
