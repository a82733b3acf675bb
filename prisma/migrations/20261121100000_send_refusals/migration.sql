-- What every node refuses in unknown words, again and again, is one day given up: its nonce is filled.

-- AlterTable
ALTER TABLE "app"."send_attempt" ADD COLUMN "refusals" INTEGER NOT NULL DEFAULT 0;
