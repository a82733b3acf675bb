-- How far the worker has looked at suffixes that are final, so that a new one goes on where another stopped.

-- CreateTable
CREATE TABLE "app"."attribution_place" (
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "ground" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "transaction_index" INTEGER NOT NULL,
    "tx_hash" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "attribution_place_pkey" PRIMARY KEY ("chain_id","product_type","ground")
);

-- What Prisma's schema cannot say
ALTER TABLE "app"."attribution_place"
    ADD CONSTRAINT "attribution_place_tx_hash_check" CHECK ("tx_hash" ~ '^0x[0-9a-f]{64}$');
