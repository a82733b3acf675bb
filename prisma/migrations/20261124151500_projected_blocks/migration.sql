-- The blocks that the projector has applied and that are not final: where they differ from onchain.event_block, a reorg took them
-- back. An empty table: nothing is locked or read.

-- CreateTable
CREATE TABLE "app"."projected_block" (
    "chain_id" INTEGER NOT NULL,
    "number" BIGINT NOT NULL,
    "hash" TEXT NOT NULL,

    CONSTRAINT "projected_block_pkey" PRIMARY KEY ("chain_id","number")
);
