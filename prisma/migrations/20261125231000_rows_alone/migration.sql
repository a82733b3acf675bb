-- What a key sees is the rows of app.key_order and app.key_operation alone (docs/projection.md). What stood beside them for the way back to
-- release 0.2.0 goes: the archive of settled lists, and the versions of a chain's answers.
--
-- Each statement changes the catalogue alone.

-- What a claim makes due is its own row and, where it is no longer of a transaction or a suffix, those of the claims that still are: a step
-- finds the others by the claim (src/events/writer/rows-store.ts).
CREATE OR REPLACE FUNCTION "app"."write_claimed_rows"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = '' SET enable_seqscan = off SET enable_mergejoin = off AS $$
DECLARE
    "claims" uuid[];
    "due" uuid[];
    "left" jsonb;
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(n."claim_id") INTO "claims" FROM "after" n;
        "due" := "claims";
    ELSE
        SELECT array_agg(n."claim_id"), array_agg(n."claim_id") FILTER (
            WHERE (o."tx_hash", o."source", o."user_address", o."attribution_nonce", o."before_final", o."rule_version",
                    o."created_at")
                IS DISTINCT FROM (n."tx_hash", n."source", n."user_address", n."attribution_nonce", n."before_final", n."rule_version",
                    n."created_at")
                OR o."state" <> n."state" AND n."state" <> 'final')
        INTO "claims", "due" FROM "before" o JOIN "after" n ON n."claim_id" = o."claim_id"
        WHERE (o."tx_hash", o."source", o."user_address", o."state", o."created_at", o."updated_at", o."client_order_id",
                o."attribution_nonce", o."before_final", o."rule_version")
            IS DISTINCT FROM (n."tx_hash", n."source", n."user_address", n."state", n."created_at", n."updated_at", n."client_order_id",
                n."attribution_nonce", n."before_final", n."rule_version");
        SELECT jsonb_agg(jsonb_build_object('chain', o."chain_id", 'hash', o."tx_hash", 'nonce', o."attribution_nonce"))
        INTO "left" FROM "before" o JOIN "after" n ON n."claim_id" = o."claim_id"
        WHERE o."tx_hash" <> coalesce(n."tx_hash", '')
            OR o."attribution_nonce" IS NOT NULL AND o."attribution_nonce" IS DISTINCT FROM n."attribution_nonce";
    END IF;
    IF "claims" IS NULL THEN
        RETURN NULL;
    END IF;
    INSERT INTO "app"."event_due" ("chain_id", "claim_id")
    SELECT n."chain_id", n."claim_id" FROM "after" n WHERE n."claim_id" = ANY("due");
    IF "left" IS NOT NULL THEN
        INSERT INTO "app"."event_due" ("chain_id", "claim_id")
        SELECT DISTINCT t."chain_id", t."claim_id"
        FROM jsonb_to_recordset("left") AS l ("chain" integer, "hash" text, "nonce" text) CROSS JOIN LATERAL (
            SELECT c."chain_id", c."claim_id" FROM "app"."transaction_claim" c
            WHERE c."chain_id" = l."chain" AND c."tx_hash" = l."hash"
            UNION ALL
            SELECT c."chain_id", c."claim_id" FROM "app"."transaction_claim" c
            WHERE c."attribution_nonce" = l."nonce" AND c."chain_id" = l."chain") t;
    END IF;
    PERFORM "app"."write_pending_rows"("claims", "due");
    RETURN NULL;
END
$$;

DROP TRIGGER "transaction_claim_unsettle" ON "app"."transaction_claim";
DROP TRIGGER "transaction_claim_unsettle_changed" ON "app"."transaction_claim";
DROP TRIGGER "transaction_attribution_unsettle" ON "app"."transaction_attribution";
DROP TRIGGER "invalid_attribution_unsettle" ON "app"."invalid_attribution";

-- The verdict about a suffix makes the claims to its transaction due.
CREATE FUNCTION "app"."enter_attributed"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = '' SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO "app"."event_due" ("chain_id", "claim_id")
    SELECT c."chain_id", c."claim_id" FROM (SELECT DISTINCT n."chain_id", n."tx_hash" FROM "changed" n) h CROSS JOIN LATERAL (
        SELECT t."chain_id", t."claim_id" FROM "app"."transaction_claim" t
        WHERE t."chain_id" = h."chain_id" AND t."tx_hash" = h."tx_hash" OFFSET 0) c;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION "app"."enter_attributed"() FROM PUBLIC;
CREATE TRIGGER "transaction_attribution_events" AFTER INSERT ON "app"."transaction_attribution"
    REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "app"."enter_attributed"();
CREATE TRIGGER "invalid_attribution_events" AFTER INSERT ON "app"."invalid_attribution"
    REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "app"."enter_attributed"();

-- The archive.
DROP FUNCTION "app"."unsettle_claims"();
DROP FUNCTION "app"."unsettle_changed_claims"();
DROP FUNCTION "app"."unsettle_attributed"();
DROP FUNCTION "app"."unsettle"(integer[], text[], uuid[], boolean);
DROP FUNCTION "app"."recount_settled"();
DROP TABLE "app"."settled_order", "app"."settled_operation", "app"."settled_count", "app"."settled_count_change", "app"."settled_chain",
    "app"."unsettled_claim";
DROP FUNCTION "app"."count_settled_orders"();
DROP FUNCTION "app"."count_settled_operations"();
DROP FUNCTION "app"."count_changed_order"();
DROP FUNCTION "app"."count_changed_operation"();
DROP FUNCTION "app"."settle_without_shape"();

-- The versions of a chain's answers.
DROP TRIGGER "api_key_count_user" ON "app"."api_key";
DROP TRIGGER "invalid_attribution_count" ON "app"."invalid_attribution";
DROP TRIGGER "transaction_attribution_count" ON "app"."transaction_attribution";
DROP TRIGGER "send_attempt_count" ON "app"."send_attempt";
DROP TRIGGER "send_attempt_count_changed" ON "app"."send_attempt";
DROP TRIGGER "send_request_count_changed" ON "app"."send_request";
DROP TRIGGER "transaction_claim_count" ON "app"."transaction_claim";
DROP TRIGGER "transaction_claim_count_changed" ON "app"."transaction_claim";
DROP TRIGGER "transaction_claim_count_truncated" ON "app"."transaction_claim";
DROP FUNCTION "app"."count_user_change"();
DROP FUNCTION "app"."count_row_change"();
DROP FUNCTION "app"."count_truncation"();
DROP FUNCTION "app"."count_change"(integer);
DROP FUNCTION "app"."answer_version"(integer);
DROP TABLE "app"."claim_change";

-- Its trigger is gone.
DROP FUNCTION "app"."refill_rows"();
