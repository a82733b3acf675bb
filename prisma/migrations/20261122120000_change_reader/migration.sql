-- CreateTable
CREATE TABLE "app"."change_reader" (
    "chain_id" INTEGER NOT NULL,
    "lease_owner" UUID,
    "lease_epoch" BIGINT NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(3),

    CONSTRAINT "change_reader_pkey" PRIMARY KEY ("chain_id")
);
