-- How chains and market data are, as the log of events reports it (docs/events.md). A new table: nothing is locked.

CREATE TABLE "app"."status_report" (
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "observed" JSONB NOT NULL,
    "observed_since" TIMESTAMPTZ(3) NOT NULL,
    "observed_at" TIMESTAMPTZ(3) NOT NULL,
    "observed_by" UUID NOT NULL,
    "reported" JSONB NOT NULL,
    "reported_at" TIMESTAMPTZ(3),
    "hold_seconds" INTEGER NOT NULL,

    CONSTRAINT "status_report_pkey" PRIMARY KEY ("chain_id","product_type")
);
