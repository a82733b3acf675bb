-- What a claim unsettles is found once for a statement, not once for each row: a group of sends changes its claims together, and
-- these triggers took most of the time of a send in PostgreSQL.

CREATE OR REPLACE FUNCTION "app"."unsettle_claims"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = '' SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    "chains" integer[];
    "hashes" text[];
    "claims" uuid[];
BEGIN
    -- Claims without a transaction concern no other claim, and nothing of new ones is settled: so every send begins.
    IF NOT EXISTS (SELECT 1 FROM "changed" n WHERE n."tx_hash" IS NOT NULL OR n."attribution_nonce" IS NOT NULL) THEN
        INSERT INTO "app"."unsettled_claim" ("claim_id", "key_id", "chain_id", "product_type")
        SELECT n."claim_id", n."key_id", n."chain_id", n."product_type" FROM "changed" n;
        RETURN NULL;
    END IF;
    SELECT array_agg(DISTINCT n."claim_id") INTO "claims" FROM "changed" n;
    SELECT array_agg(t."chain_id"), array_agg(t."tx_hash") INTO "chains", "hashes" FROM (
        SELECT n."chain_id", n."tx_hash" FROM "changed" n WHERE n."tx_hash" IS NOT NULL
        UNION
        SELECT e."chain_id", e."tx_hash" FROM (
            SELECT DISTINCT n."chain_id", n."attribution_nonce" FROM "changed" n
            WHERE n."attribution_nonce" IS NOT NULL) n
        CROSS JOIN LATERAL (
            SELECT e."chain_id", e."tx_hash" FROM "app"."transaction_claim" e
            WHERE e."attribution_nonce" = n."attribution_nonce" AND e."chain_id" = n."chain_id"
                AND e."tx_hash" IS NOT NULL OFFSET 0) e) t;
    PERFORM "app"."unsettle"("chains", "hashes", "claims");
    RETURN NULL;
END
$$;

DROP TRIGGER "transaction_claim_unsettle_changed" ON "app"."transaction_claim";
DROP FUNCTION "app"."unsettle_changed_claim"();

-- The same of an update, for what the claims were before and what they are now. That a claim became final changes no list:
-- what it came to is read from the index by then.
CREATE FUNCTION "app"."unsettle_changed_claims"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
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
    WHERE (o."tx_hash", o."source", o."user_address", o."attribution_nonce", o."before_final")
            IS DISTINCT FROM (n."tx_hash", n."source", n."user_address", n."attribution_nonce", n."before_final")
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
    PERFORM "app"."unsettle"("chains", "hashes", "claims");
    RETURN NULL;
END
$$;

CREATE TRIGGER "transaction_claim_unsettle_changed" AFTER UPDATE ON "app"."transaction_claim"
    REFERENCING OLD TABLE AS "before" NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "app"."unsettle_changed_claims"();
