-- Each record keeps the rule of ownership that it was made under (docs/decisions/2026-11-24-ownership.md), and a suffix in the form of
-- ours has a verdict, valid or not: until then no record owns what its transaction did.

-- AlterTable
ALTER TABLE "app"."transaction_claim" ADD COLUMN "rule_version" SMALLINT;

-- CreateTable
CREATE TABLE "app"."invalid_attribution" (
    "chain_id" INTEGER NOT NULL,
    "tx_hash" TEXT NOT NULL,

    CONSTRAINT "invalid_attribution_pkey" PRIMARY KEY ("chain_id","tx_hash")
);

-- What follows Prisma's schema cannot say; its diff does not see it.

ALTER TABLE "app"."invalid_attribution"
    ADD CONSTRAINT "invalid_attribution_tx_hash_check" CHECK ("tx_hash" ~ '^0x[0-9a-f]{64}$');

-- A verdict decides what records own, whatever it is.
CREATE TRIGGER "invalid_attribution_unsettle" AFTER INSERT ON "app"."invalid_attribution"
    REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "app"."unsettle_attributed"();
CREATE TRIGGER "invalid_attribution_count" AFTER INSERT OR UPDATE OR DELETE ON "app"."invalid_attribution" FOR EACH ROW
    EXECUTE FUNCTION "app"."count_row_change"();

-- The rule of a record is a ground of ownership.
DROP TRIGGER "transaction_claim_count_changed" ON "app"."transaction_claim";
CREATE TRIGGER "transaction_claim_count_changed" AFTER UPDATE ON "app"."transaction_claim" FOR EACH ROW
    WHEN ((OLD."claim_id", OLD."key_id", OLD."chain_id", OLD."product_type", OLD."operation_type", OLD."tx_hash", OLD."source",
            OLD."state", OLD."user_address", OLD."client_order_id", OLD."attribution_nonce", OLD."before_final", OLD."rule_version",
            OLD."created_at", OLD."updated_at")
        IS DISTINCT FROM (NEW."claim_id", NEW."key_id", NEW."chain_id", NEW."product_type", NEW."operation_type", NEW."tx_hash",
            NEW."source", NEW."state", NEW."user_address", NEW."client_order_id", NEW."attribution_nonce", NEW."before_final",
            NEW."rule_version", NEW."created_at", NEW."updated_at"))
    EXECUTE FUNCTION "app"."count_row_change"();

CREATE OR REPLACE FUNCTION "app"."unsettle_changed_claims"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = '' SET enable_seqscan = off SET enable_mergejoin = off AS $$
DECLARE
    "chains" integer[];
    "hashes" text[];
    "claims" uuid[];
    "rows" jsonb;
BEGIN
    SELECT array_agg(n."claim_id"), jsonb_agg(jsonb_build_object('chain', n."chain_id",
            'hashes', jsonb_build_array(o."tx_hash", n."tx_hash"),
            'nonces', jsonb_build_array(o."attribution_nonce", n."attribution_nonce")))
    INTO "claims", "rows" FROM "before" o JOIN "after" n ON n."claim_id" = o."claim_id"
    WHERE (o."tx_hash", o."source", o."user_address", o."attribution_nonce", o."before_final", o."rule_version")
            IS DISTINCT FROM (n."tx_hash", n."source", n."user_address", n."attribution_nonce", n."before_final", n."rule_version")
        OR o."state" <> n."state" AND n."state" <> 'final';
    IF "claims" IS NULL THEN
        RETURN NULL;
    END IF;
    SELECT array_agg(t."chain_id"), array_agg(t."tx_hash") INTO "chains", "hashes" FROM (
        SELECT (r ->> 'chain')::integer AS "chain_id", h."tx_hash"
        FROM jsonb_array_elements("rows") r CROSS JOIN jsonb_array_elements_text(r -> 'hashes') h ("tx_hash")
        WHERE h."tx_hash" IS NOT NULL
        UNION
        SELECT e."chain_id", e."tx_hash" FROM (
            SELECT DISTINCT (r ->> 'chain')::integer AS "chain_id", s."nonce"
            FROM jsonb_array_elements("rows") r CROSS JOIN jsonb_array_elements_text(r -> 'nonces') s ("nonce")
            WHERE s."nonce" IS NOT NULL) n
        CROSS JOIN LATERAL (
            SELECT e."chain_id", e."tx_hash" FROM "app"."transaction_claim" e
            WHERE e."attribution_nonce" = n."nonce" AND e."chain_id" = n."chain_id"
                AND e."tx_hash" IS NOT NULL OFFSET 0) e) t;
    PERFORM "app"."unsettle"("chains", "hashes", "claims", true);
    RETURN NULL;
END
$$;
