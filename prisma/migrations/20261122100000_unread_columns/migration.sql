-- Columns that nothing reads. Of a transaction's attribution and of a wallet no time is asked; a sync cursor is replaced
-- whenever it moves, and its age decides nothing.

-- AlterTable
ALTER TABLE "app"."attribution_place" DROP COLUMN "updated_at";

-- AlterTable
ALTER TABLE "app"."delegatee_wallet" DROP COLUMN "created_at";

-- AlterTable
ALTER TABLE "app"."transaction_attribution" DROP COLUMN "created_at";
