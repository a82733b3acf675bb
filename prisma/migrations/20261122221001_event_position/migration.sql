-- The order of the commits of events on a chain, over all keys: one reader per process follows it for all streams
-- (docs/events.md). Events of before have none; a key's own log is read by its sequence.

-- Adding the column and its default changes no row: both lock the table for a moment only.
ALTER TABLE "app"."event" ADD COLUMN "position" BIGINT;
CREATE SEQUENCE "app"."event_position_seq" OWNED BY "app"."event"."position";
ALTER TABLE "app"."event" ALTER COLUMN "position" SET DEFAULT nextval('"app".event_position_seq'::regclass);

-- CreateIndex
-- Reads the table once, and keeps the log's writers waiting meanwhile; nobody reads through them.
CREATE INDEX "event_chain_id_position_idx" ON "app"."event"("chain_id", "position");
