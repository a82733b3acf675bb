-- Dashboards have users of their own, each with a token, a role and an end; and the audit log is listed.
--
-- The indexes of the audit log block its writes for the moment that they are built: it holds what operators did, thousands
-- of rows and not millions.

-- CreateEnum
CREATE TYPE "app"."dashboard_role" AS ENUM ('viewer', 'operator');

-- CreateTable
CREATE TABLE "app"."dashboard_user" (
    "user_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "name" TEXT NOT NULL,
    "role" "app"."dashboard_role" NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),

    CONSTRAINT "dashboard_user_pkey" PRIMARY KEY ("user_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "dashboard_user_token_hash_key" ON "app"."dashboard_user"("token_hash");

-- CreateIndex
CREATE INDEX "audit_entry_created_at_audit_id_idx" ON "app"."audit_entry"("created_at" DESC, "audit_id" DESC);

-- CreateIndex
CREATE INDEX "audit_entry_subject_created_at_audit_id_idx" ON "app"."audit_entry"("subject", "created_at" DESC, "audit_id" DESC);

-- What Prisma's schema cannot say: the name of a revoked user may be given again.
CREATE UNIQUE INDEX "dashboard_user_name_idx" ON "app"."dashboard_user"("name") WHERE "revoked_at" IS NULL;
