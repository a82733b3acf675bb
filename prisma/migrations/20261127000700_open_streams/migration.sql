-- Streams of keys that each process of the api has open, for the dashboard (docs/dashboards.md#requests): a row for each process. A new
-- table alone: nothing is locked.
CREATE TABLE "app"."open_streams" (
    "api_id" UUID NOT NULL,
    "lease_until" TIMESTAMPTZ(3) NOT NULL,
    "streams" JSONB NOT NULL,

    CONSTRAINT "open_streams_pkey" PRIMARY KEY ("api_id")
);
