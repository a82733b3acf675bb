-- The orders that a call to cancel many found (docs/sending.md#cancel-many). A new table: nothing is locked.

CREATE TABLE "app"."cancel_batch" (
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "idempotency_key" TEXT NOT NULL,
    "input_hash" TEXT NOT NULL,
    "order_ids" TEXT[],
    "request_ids" UUID[],
    "more" BOOLEAN NOT NULL,
    "accepted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "cancel_batch_pkey" PRIMARY KEY ("key_id","chain_id","product_type","idempotency_key")
);
