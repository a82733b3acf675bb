-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "app";

-- CreateEnum
CREATE TYPE "app"."access" AS ENUM ('READ_ONLY', 'WRITABLE');

-- CreateEnum
CREATE TYPE "app"."operation_type" AS ENUM ('trade', 'deposit', 'withdraw', 'stock-deposit', 'stock-withdraw');

-- CreateEnum
CREATE TYPE "app"."mapping_source" AS ENUM ('send', 'attributed', 'recorded');

-- CreateEnum
CREATE TYPE "app"."claim_state" AS ENUM ('pending', 'final', 'reverted', 'dropped');

-- CreateTable
CREATE TABLE "app"."api_key" (
    "key_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "name" TEXT NOT NULL,
    "api_key" TEXT NOT NULL,
    "secret_sealed" BYTEA NOT NULL,
    "master_key_id" TEXT NOT NULL,
    "access" "app"."access" NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "expires_at" TIMESTAMPTZ(3),
    "user_address" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "revoked_at" TIMESTAMPTZ(3),
    "revision" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "api_key_pkey" PRIMARY KEY ("key_id")
);

-- CreateTable
CREATE TABLE "app"."api_key_scope" (
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,

    CONSTRAINT "api_key_scope_pkey" PRIMARY KEY ("key_id","chain_id","product_type")
);

-- CreateTable
CREATE TABLE "app"."api_key_ip" (
    "key_id" UUID NOT NULL,
    "cidr" TEXT NOT NULL,

    CONSTRAINT "api_key_ip_pkey" PRIMARY KEY ("key_id","cidr")
);

-- CreateTable
CREATE TABLE "app"."api_nonce" (
    "key_id" UUID NOT NULL,
    "nonce" UUID NOT NULL,
    "claimed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_nonce_pkey" PRIMARY KEY ("key_id","nonce")
);

-- CreateTable
CREATE TABLE "app"."transaction_claim" (
    "claim_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "operation_type" "app"."operation_type" NOT NULL,
    "tx_hash" TEXT,
    "source" "app"."mapping_source" NOT NULL,
    "state" "app"."claim_state" NOT NULL DEFAULT 'pending',
    "user_address" TEXT,
    "client_order_id" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3),

    CONSTRAINT "transaction_claim_pkey" PRIMARY KEY ("claim_id")
);

-- CreateTable
CREATE TABLE "app"."audit_entry" (
    "audit_id" BIGSERIAL NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "detail" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("audit_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_key_api_key_key" ON "app"."api_key"("api_key");

-- CreateIndex
CREATE INDEX "api_nonce_claimed_at_idx" ON "app"."api_nonce"("claimed_at");

-- CreateIndex
CREATE INDEX "transaction_claim_chain_id_tx_hash_idx" ON "app"."transaction_claim"("chain_id", "tx_hash");

-- CreateIndex
CREATE INDEX "transaction_claim_key_id_chain_id_product_type_created_at_c_idx" ON "app"."transaction_claim"("key_id", "chain_id", "product_type", "created_at" DESC, "claim_id" DESC);

-- CreateIndex
CREATE INDEX "transaction_claim_state_created_at_idx" ON "app"."transaction_claim"("state", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "transaction_claim_key_id_chain_id_product_type_operation_ty_key" ON "app"."transaction_claim"("key_id", "chain_id", "product_type", "operation_type", "tx_hash");

-- AddForeignKey
ALTER TABLE "app"."api_key_scope" ADD CONSTRAINT "api_key_scope_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "app"."api_key"("key_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "app"."api_key_ip" ADD CONSTRAINT "api_key_ip_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "app"."api_key"("key_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "app"."transaction_claim" ADD CONSTRAINT "transaction_claim_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "app"."api_key"("key_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What follows Prisma's schema cannot say; its diff does not see it.

-- Addresses and hashes are lower case everywhere inside: a row in another case would never be found again.
ALTER TABLE "app"."api_key"
    ADD CONSTRAINT "api_key_public_id_check" CHECK ("api_key" ~ '^[!-~]{1,128}$'),
    ADD CONSTRAINT "api_key_name_check" CHECK (length("name") BETWEEN 1 AND 128),
    ADD CONSTRAINT "api_key_user_address_check" CHECK ("user_address" ~ '^0x[0-9a-f]{40}$'),
    ADD CONSTRAINT "api_key_revoked_check" CHECK (NOT ("active" AND "revoked_at" IS NOT NULL)),
    -- The iv and the tag alone are 28 bytes: this is no plain text.
    ADD CONSTRAINT "api_key_secret_check" CHECK (octet_length("secret_sealed") > 28);

ALTER TABLE "app"."api_key_scope"
    ADD CONSTRAINT "api_key_scope_chain_check" CHECK ("chain_id" > 0),
    ADD CONSTRAINT "api_key_scope_product_check" CHECK (length("product_type") BETWEEN 1 AND 64);

ALTER TABLE "app"."transaction_claim"
    ADD CONSTRAINT "transaction_claim_chain_check" CHECK ("chain_id" > 0),
    ADD CONSTRAINT "transaction_claim_tx_hash_check" CHECK ("tx_hash" ~ '^0x[0-9a-f]{64}$'),
    ADD CONSTRAINT "transaction_claim_user_address_check" CHECK ("user_address" ~ '^0x[0-9a-f]{40}$'),
    ADD CONSTRAINT "transaction_claim_client_order_id_check" CHECK ("client_order_id" ~ '^[A-Za-z0-9_-]{1,64}$');

-- Every change of a key, also one made by hand, counts its revision up: a nonce is only claimed for the revision that a
-- request was checked against, so no cached copy of the key is good for anything afterwards.
CREATE FUNCTION "app"."count_key_revision"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.revision := OLD.revision + 1;
    RETURN NEW;
END
$$;

CREATE TRIGGER "api_key_revision" BEFORE UPDATE ON "app"."api_key"
    FOR EACH ROW EXECUTE FUNCTION "app"."count_key_revision"();

CREATE FUNCTION "app"."count_part_revision"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- The update itself counts, by the trigger above.
    IF TG_OP <> 'INSERT' THEN
        UPDATE "app"."api_key" SET "revision" = "revision" WHERE "key_id" = OLD."key_id";
    END IF;
    IF TG_OP <> 'DELETE' THEN
        UPDATE "app"."api_key" SET "revision" = "revision" WHERE "key_id" = NEW."key_id";
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "api_key_scope_revision" AFTER INSERT OR UPDATE OR DELETE ON "app"."api_key_scope"
    FOR EACH ROW EXECUTE FUNCTION "app"."count_part_revision"();

CREATE TRIGGER "api_key_ip_revision" AFTER INSERT OR UPDATE OR DELETE ON "app"."api_key_ip"
    FOR EACH ROW EXECUTE FUNCTION "app"."count_part_revision"();
