-- Chains on which nothing new is signed, by an operator's command.

-- CreateTable
CREATE TABLE "app"."sending_halt" (
    "chain_id" INTEGER NOT NULL,
    "halted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT NOT NULL,
    "reason" TEXT,

    CONSTRAINT "sending_halt_pkey" PRIMARY KEY ("chain_id")
);
