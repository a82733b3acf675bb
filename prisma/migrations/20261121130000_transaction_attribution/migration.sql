-- The key whose valid suffix a transaction carries: no other key can own what the transaction did by recording it.

-- AlterTable
ALTER TABLE "app"."transaction_claim" ADD COLUMN "before_final" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "app"."transaction_attribution" (
    "chain_id" INTEGER NOT NULL,
    "tx_hash" TEXT NOT NULL,
    "key_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "transaction_attribution_pkey" PRIMARY KEY ("chain_id","tx_hash")
);

-- AddForeignKey
ALTER TABLE "app"."transaction_attribution" ADD CONSTRAINT "transaction_attribution_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "app"."api_key"("key_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What Prisma's schema cannot say
ALTER TABLE "app"."transaction_attribution"
    ADD CONSTRAINT "transaction_attribution_tx_hash_check" CHECK ("tx_hash" ~ '^0x[0-9a-f]{64}$');

-- Suffixes that were verified already. The worker verifies the others when it reads the index from its first block again.
INSERT INTO "app"."transaction_attribution" ("chain_id", "tx_hash", "key_id")
SELECT "chain_id", "tx_hash", "key_id" FROM "app"."transaction_claim"
WHERE "attribution_nonce" IS NOT NULL AND "tx_hash" IS NOT NULL
ON CONFLICT DO NOTHING;
