-- Answers that an api keeps in memory are served only where nothing that they show has changed since
-- (docs/decisions/2026-11-22-kept-answers.md). These triggers count changes of app.*; the indexer names its own.

-- CreateTable
CREATE TABLE "app"."claim_change" (
    "chain_id" INTEGER NOT NULL,
    "slot" BIGSERIAL NOT NULL,
    "changes" BIGINT NOT NULL,

    CONSTRAINT "claim_change_pkey" PRIMARY KEY ("chain_id","slot")
);

-- What follows Prisma's schema cannot say; its diff does not see it.

-- Few rows, updated all the time: new versions stay in the page of the old ones.
ALTER TABLE "app"."claim_change" SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

-- Counts a change on a chain, in the transaction that makes it: the sum over the chain's slots grows with every commit.
-- It takes a slot that no other transaction has locked, and makes one where there is none. So nobody ever waits here, and
-- there are as many slots as there ever were changes at once. The steps are random: where a standby that lacks the last
-- commits takes over, a sum of before does not come back with something else. A transaction counts once for each chain, which a
-- setting remembers until its end: ten thousand updates of one row in one transaction would take minutes.
-- Runs with its owner's rights, so no role that writes claims needs rights to this table.
CREATE FUNCTION "app"."count_change"("chain" integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    "free" bigint;
    "step" bigint := 1 + floor(random() * 1000000)::bigint;
    "counted" text := 'partner.counted_' || "chain";
BEGIN
    IF current_setting("counted", true) = 'yes' THEN
        RETURN;
    END IF;
    SELECT c."slot" INTO "free" FROM "app"."claim_change" c WHERE c."chain_id" = "chain"
    ORDER BY c."slot" LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    IF FOUND THEN
        UPDATE "app"."claim_change" c SET "changes" = c."changes" + "step" WHERE c."chain_id" = "chain" AND c."slot" = "free";
    ELSE
        INSERT INTO "app"."claim_change" ("chain_id", "changes") VALUES ("chain", "step");
    END IF;
    PERFORM set_config("counted", 'yes', true);
END
$$;

REVOKE ALL ON FUNCTION "app"."count_change"(integer) FROM PUBLIC;

CREATE FUNCTION "app"."count_row_change"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM "app"."count_change"(OLD."chain_id");
    END IF;
    IF TG_OP = 'INSERT' OR TG_OP = 'UPDATE' AND NEW."chain_id" <> OLD."chain_id" THEN
        PERFORM "app"."count_change"(NEW."chain_id");
    END IF;
    RETURN NULL;
END
$$;

-- A claim decides what its key sees, and by ownership also what other keys do.
CREATE TRIGGER "transaction_claim_count" AFTER INSERT OR DELETE ON "app"."transaction_claim" FOR EACH ROW
    EXECUTE FUNCTION "app"."count_row_change"();
-- Every column but those of the worker's looks (last_seen_at, next_look_at), which no answer shows. A test compares the columns.
CREATE TRIGGER "transaction_claim_count_changed" AFTER UPDATE ON "app"."transaction_claim" FOR EACH ROW
    WHEN ((OLD."claim_id", OLD."key_id", OLD."chain_id", OLD."product_type", OLD."operation_type", OLD."tx_hash", OLD."source",
            OLD."state", OLD."user_address", OLD."client_order_id", OLD."attribution_nonce", OLD."before_final",
            OLD."created_at", OLD."updated_at")
        IS DISTINCT FROM (NEW."claim_id", NEW."key_id", NEW."chain_id", NEW."product_type", NEW."operation_type", NEW."tx_hash",
            NEW."source", NEW."state", NEW."user_address", NEW."client_order_id", NEW."attribution_nonce", NEW."before_final",
            NEW."created_at", NEW."updated_at"))
    EXECUTE FUNCTION "app"."count_row_change"();

-- A verified suffix voids the records of other keys.
CREATE TRIGGER "transaction_attribution_count" AFTER INSERT OR UPDATE OR DELETE ON "app"."transaction_attribution" FOR EACH ROW
    EXECUTE FUNCTION "app"."count_row_change"();

-- A sent transaction is found by the hash of any attempt.
CREATE TRIGGER "send_attempt_count" AFTER INSERT OR DELETE ON "app"."send_attempt" FOR EACH ROW
    EXECUTE FUNCTION "app"."count_row_change"();
CREATE TRIGGER "send_attempt_count_changed" AFTER UPDATE ON "app"."send_attempt" FOR EACH ROW
    WHEN ((OLD."chain_id", OLD."request_id", OLD."tx_hash") IS DISTINCT FROM (NEW."chain_id", NEW."request_id", NEW."tx_hash"))
    EXECUTE FUNCTION "app"."count_row_change"();
CREATE TRIGGER "send_request_count_changed" AFTER UPDATE ON "app"."send_request" FOR EACH ROW
    WHEN (OLD."claim_id" IS DISTINCT FROM NEW."claim_id")
    EXECUTE FUNCTION "app"."count_row_change"();

-- The user that a key is bound to ranks its records, or voids them.
CREATE FUNCTION "app"."count_user_change"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM "app"."count_change"(c."chain_id")
    FROM (SELECT DISTINCT t."chain_id" FROM "app"."transaction_claim" t WHERE t."key_id" = NEW."key_id") c;
    RETURN NULL;
END
$$;

CREATE TRIGGER "api_key_count_user" AFTER UPDATE ON "app"."api_key" FOR EACH ROW
    WHEN (OLD."user_address" IS DISTINCT FROM NEW."user_address")
    EXECUTE FUNCTION "app"."count_user_change"();

-- TRUNCATE fires no row trigger: whoever empties a table by it changes every answer.
CREATE FUNCTION "app"."count_truncation"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM "app"."count_change"(c."chain_id") FROM (SELECT DISTINCT k."chain_id" FROM "app"."claim_change" k) c;
    RETURN NULL;
END
$$;

CREATE TRIGGER "transaction_claim_count_truncated" AFTER TRUNCATE ON "app"."transaction_claim" FOR EACH STATEMENT
    EXECUTE FUNCTION "app"."count_truncation"();

-- What answers of a chain were made of: the indexer's build, the last block with an event and the changes counted here. Equal
-- versions mean equal answers. NULL while the index is not ready, or where its build is older than last_change: then
-- nothing can be kept. STABLE: it sees what the statement that calls it sees.
CREATE FUNCTION "app"."answer_version"("chain" integer, OUT "version" text, OUT "checkpoint" text)
LANGUAGE plpgsql STABLE SET search_path = '' AS $$
BEGIN
    SELECT coalesce(m."value" ->> 'build_id', '') || '/' || l."block_hash" || '/' || coalesce((
            SELECT sum(c."changes") FROM "app"."claim_change" c WHERE c."chain_id" = "chain"), 0), p."latest_checkpoint"
    INTO "version", "checkpoint"
    FROM "onchain"."_ponder_meta" m
    JOIN "onchain"."last_change" l ON l."chain_id" = "chain"
    JOIN "onchain"."_ponder_checkpoint" p ON p."chain_id" = "chain"
    WHERE m."key" = 'app' AND (m."value" ->> 'is_ready')::int = 1;
EXCEPTION WHEN undefined_table OR invalid_schema_name THEN
    NULL;
END
$$;

REVOKE ALL ON FUNCTION "app"."answer_version"(integer) FROM PUBLIC;
