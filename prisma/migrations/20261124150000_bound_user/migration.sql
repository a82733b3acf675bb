-- A record keeps the user that its key was bound to when it was made (docs/ownership.md): another user of the key changes nothing
-- of what was recorded before.

-- AlterTable
ALTER TABLE "app"."transaction_claim" ADD COLUMN "bound_user_address" TEXT;

-- What follows Prisma's schema cannot say; its diff does not see it.

-- NOT VALID: no row has a value yet, so none needs to be read under the lock.
ALTER TABLE "app"."transaction_claim"
    ADD CONSTRAINT "transaction_claim_bound_user_address_check" CHECK ("bound_user_address" ~ '^0x[0-9a-f]{40}$') NOT VALID;

-- Stores the user of a record's key, whoever makes the record: also an api of the version before, which does not know the column.
CREATE FUNCTION "app"."bind_record"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW."bound_user_address" := (
        SELECT coalesce(k."user_address", '0x0000000000000000000000000000000000000000')
        FROM "app"."api_key" k WHERE k."key_id" = NEW."key_id");
    RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION "app"."bind_record"() FROM PUBLIC;

CREATE TRIGGER "transaction_claim_bind" BEFORE INSERT ON "app"."transaction_claim" FOR EACH ROW
    WHEN (NEW."source" = 'recorded' AND NEW."bound_user_address" IS NULL)
    EXECUTE FUNCTION "app"."bind_record"();
-- The same where a claim becomes a record, or a record is made anew, at another time.
CREATE TRIGGER "transaction_claim_bind_anew" BEFORE UPDATE ON "app"."transaction_claim" FOR EACH ROW
    WHEN (NEW."source" = 'recorded' AND (OLD."source" <> 'recorded' OR OLD."created_at" <> NEW."created_at"))
    EXECUTE FUNCTION "app"."bind_record"();

-- Records from before this column have no value, and go by their key until its user changes. Then they keep the one before.
CREATE FUNCTION "app"."keep_bound_user"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    UPDATE "app"."transaction_claim"
    SET "bound_user_address" = coalesce(OLD."user_address", '0x0000000000000000000000000000000000000000')
    WHERE "key_id" = OLD."key_id" AND "source" = 'recorded' AND "bound_user_address" IS NULL;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION "app"."keep_bound_user"() FROM PUBLIC;

CREATE TRIGGER "api_key_keep_bound_user" AFTER UPDATE ON "app"."api_key" FOR EACH ROW
    WHEN (OLD."user_address" IS DISTINCT FROM NEW."user_address")
    EXECUTE FUNCTION "app"."keep_bound_user"();

-- A record that is made anew has another time, which decides among equals.
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
    WHERE (o."tx_hash", o."source", o."user_address", o."attribution_nonce", o."before_final", o."rule_version", o."created_at")
            IS DISTINCT FROM (n."tx_hash", n."source", n."user_address", n."attribution_nonce", n."before_final", n."rule_version",
                n."created_at")
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
