-- Applied corporate actions that the log of events has told of and that are not final (docs/events.md).

-- CreateTable
CREATE TABLE "app"."event_multiplier" (
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "token_address" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "tx_hash" TEXT NOT NULL,
    "row_hash" UUID NOT NULL,
    "event_seed" UUID NOT NULL,
    "new_multiplier" DECIMAL(78,0) NOT NULL,
    "told_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "event_multiplier_pkey" PRIMARY KEY ("chain_id","product_type","token_address","block_number","log_index")
);
