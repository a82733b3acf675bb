-- A nonce is reserved before its transaction is signed (docs/sending.md#signing). Locks app.send_request for a moment: it adds two columns
-- and a constraint, and reads no row.

-- AlterTable
ALTER TABLE "app"."send_request" ADD COLUMN "reserved_max_fee" DECIMAL(78,0),
    ADD COLUMN "reserved_tip" DECIMAL(78,0);

-- What Prisma's schema cannot say. Not validated: the columns are new, so no row can be against it.
ALTER TABLE "app"."send_request" ADD CONSTRAINT "send_request_reserved_check"
    CHECK (("reserved_max_fee" IS NULL) = ("reserved_tip" IS NULL)
        AND ("reserved_max_fee" IS NULL OR ("nonce" IS NOT NULL AND "state" IN ('signed', 'failed', 'canceled')))) NOT VALID;
