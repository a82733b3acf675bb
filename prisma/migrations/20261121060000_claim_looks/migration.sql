-- The watch of claims finds what is due of each key by an index, whatever a key has recorded; what no node knows is
-- counted, and what was dropped is removed, by indexes of their own.

-- AlterTable
ALTER TABLE "app"."transaction_claim" DROP COLUMN "checked_at",
ADD COLUMN     "next_look_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- DropIndex
DROP INDEX "app"."transaction_claim_state_created_at_idx";

-- What Prisma's schema cannot say
CREATE INDEX "transaction_claim_due_idx" ON "app"."transaction_claim"("key_id", "next_look_at")
    WHERE "state" = 'pending' AND "source" <> 'send' AND "tx_hash" IS NOT NULL;
CREATE INDEX "transaction_claim_unknown_idx" ON "app"."transaction_claim"("key_id")
    WHERE "state" = 'pending' AND "source" = 'recorded' AND "last_seen_at" IS NULL;
CREATE INDEX "transaction_claim_dropped_idx" ON "app"."transaction_claim"("updated_at")
    WHERE "state" = 'dropped' AND "source" = 'recorded';
