-- Webhooks whose receivers answer slowly: they get fewer attempts at a time (docs/webhooks.md). Changes the catalogue alone: a column
-- with a constant default rewrites no row. The version before leaves it as it is, and takes every webhook for quick.
ALTER TABLE "app"."webhook" ADD COLUMN "slow_for" SMALLINT NOT NULL DEFAULT 0;
