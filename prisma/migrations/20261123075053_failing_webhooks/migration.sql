-- Webhooks that fail now, for the strip of the dashboard's overview. Few at any time, so the index is small; building it reads the
-- table of webhooks once and blocks its writes for that moment.

-- What Prisma's schema cannot say
CREATE INDEX IF NOT EXISTS "webhook_failing_idx" ON "app"."webhook"("failing_since")
    WHERE "failing_since" IS NOT NULL AND "disabled_at" IS NULL AND "deleted_at" IS NULL;
