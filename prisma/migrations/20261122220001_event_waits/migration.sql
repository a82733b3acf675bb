-- A row whose token no node has named yet waits for that name, and nothing else of its chain does (docs/events.md). Adds a column
-- without a default: the catalogue alone changes, and the table is locked for that moment.
ALTER TABLE "app"."event_due" ADD COLUMN "waits_for" TEXT;
