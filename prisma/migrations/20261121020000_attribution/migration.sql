-- The suffix that attributed a claim: it maps one order or operation, so its other uses must be found.

-- AlterTable
ALTER TABLE "app"."transaction_claim" ADD COLUMN     "attribution_nonce" TEXT;

-- CreateIndex
CREATE INDEX "transaction_claim_attribution_nonce_idx" ON "app"."transaction_claim"("attribution_nonce");
