-- Where pending deliveries of a webhook begin: no statement that looks for them has to look into the weeks before. Changes the
-- catalogue alone: a column with a constant default rewrites no row. 0 is below every position, and bounds nothing.
-- The version before leaves the column as it is. A delivery that it revives below the bound waits for the worker's job, which
-- sets each bound again every minute.
ALTER TABLE "app"."webhook" ADD COLUMN "pending_from" BIGINT NOT NULL DEFAULT 0;
