-- Splits and dividends of users, as events of the keys that they trade with (docs/projection.md#events). New tables: nothing is locked.

CREATE TABLE "app"."distribution_scan" (
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "token_address" TEXT NOT NULL,
    "after_block" BIGINT NOT NULL,
    "last_block" BIGINT NOT NULL,
    "changes_hash" UUID,
    "key_id" UUID NOT NULL,
    "user_address" TEXT NOT NULL,
    "complete" BOOLEAN NOT NULL,

    CONSTRAINT "distribution_scan_pkey" PRIMARY KEY ("chain_id","product_type","token_address")
);

CREATE TABLE "app"."event_distribution" (
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "token_address" TEXT NOT NULL,
    "key_id" UUID NOT NULL,
    "user_address" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "row_hash" UUID NOT NULL,
    "event_id" UUID NOT NULL,
    "new_multiplier" DECIMAL(78,0) NOT NULL,

    CONSTRAINT "event_distribution_pkey" PRIMARY KEY ("chain_id","product_type","token_address","key_id","user_address","block_number","log_index")
);
