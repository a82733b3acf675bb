-- Maintenance that the operator announces (docs/authentication.md#status). A new table: nothing is locked.

CREATE TABLE "app"."maintenance_notice" (
    "notice_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "chain_id" INTEGER,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "text" TEXT NOT NULL,
    "announced_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "canceled_at" TIMESTAMPTZ(3),
    "announcement_reported_at" TIMESTAMPTZ(3),
    "cancellation_reported_at" TIMESTAMPTZ(3),

    CONSTRAINT "maintenance_notice_pkey" PRIMARY KEY ("notice_id")
);

-- CreateIndex
CREATE INDEX "maintenance_notice_ends_at_idx" ON "app"."maintenance_notice"("ends_at");

-- What Prisma's schema cannot say
ALTER TABLE "app"."maintenance_notice"
    ADD CONSTRAINT "maintenance_notice_span_check" CHECK ("ends_at" > "starts_at"),
    ADD CONSTRAINT "maintenance_notice_text_check" CHECK (char_length("text") BETWEEN 1 AND 500);
