-- The projector compares what claims own with the rows of keys (docs/projection.md). app.event_memory has requests to send. Locks
-- app.event_chain (reads, too), app.key_order, app.key_operation and app.event_memory for the moment in which the catalogue changes: in the order
-- in which a step locks them.

-- A version without rows wrote the log beside release 0.3.0. None is left, so nothing reads "steps" any more.
DROP TRIGGER "event_chain_refill" ON "app"."event_chain";

-- What release 0.3.0 compares with is its app.event_memory: it is kept as that release would have written it, so that a way back to it reports
-- nothing again, and loses nothing. A row that a claim has written since its last report keeps that in memory. The hash of what is not indexed
-- is NULL: 0.3.0 compares its type. `sequence` is of lists that showed what was not reported, which nothing writes any more. These triggers and
-- their functions are to be dropped in the release after the next one, with columns that nothing uses (app.event_chain.steps,
-- app.event_due.seen and ordinal, app.event_memory.sequence and fingerprint), and the rows of app.event_memory that are not of requests to send.

CREATE FUNCTION "app"."remember_order"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM "app"."event_memory" m
        WHERE m."claim_id" = OLD."claim_id" AND m."resource" = 'orders' AND m."ordinal" = OLD."ordinal";
        RETURN NULL;
    END IF;
    INSERT INTO "app"."event_memory" AS m ("claim_id", "resource", "ordinal", "key_id", "chain_id", "product_type", "tx_hash", "object_id",
        "event_id", "type", "sequence", "data_hash", "row_hash", "block_number")
    VALUES (NEW."claim_id", 'orders', NEW."ordinal", NEW."key_id", NEW."chain_id", NEW."product_type", NEW."tx_hash", NEW."order_id",
        NEW."event_id", NEW."type", 0, md5(NEW."data")::uuid, NEW."row_hash", NEW."block_number")
    ON CONFLICT ("claim_id", "resource", "ordinal") DO UPDATE SET "tx_hash" = excluded."tx_hash", "object_id" = excluded."object_id",
        "event_id" = excluded."event_id", "type" = excluded."type", "sequence" = 0, "data_hash" = excluded."data_hash",
        "fingerprint" = NULL, "row_hash" = excluded."row_hash", "block_number" = excluded."block_number"
    -- 0.3.0 writes it itself, in the statement that writes the row.
    WHERE (m."event_id", m."tx_hash", m."object_id", m."row_hash", m."block_number")
        IS DISTINCT FROM (excluded."event_id", excluded."tx_hash", excluded."object_id", excluded."row_hash", excluded."block_number");
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION "app"."remember_order"() FROM PUBLIC;

CREATE FUNCTION "app"."remember_operation"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    "list" text := CASE coalesce(NEW."kind", OLD."kind") WHEN 'deposit' THEN 'cash/deposits' WHEN 'withdraw' THEN 'cash/withdrawals'
        WHEN 'stock-deposit' THEN 'stock/deposits' WHEN 'stock-withdraw' THEN 'stock/withdrawals' END;
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM "app"."event_memory" m
        WHERE m."claim_id" = OLD."claim_id" AND m."resource" = "list" AND m."ordinal" = OLD."ordinal";
        RETURN NULL;
    END IF;
    INSERT INTO "app"."event_memory" AS m ("claim_id", "resource", "ordinal", "key_id", "chain_id", "product_type", "tx_hash", "object_id",
        "event_id", "type", "sequence", "data_hash", "row_hash", "block_number")
    VALUES (NEW."claim_id", "list", NEW."ordinal", NEW."key_id", NEW."chain_id", NEW."product_type", NEW."tx_hash", NEW."operation_id",
        NEW."event_id", NEW."type", 0, md5(NEW."data")::uuid, NEW."row_hash", NEW."block_number")
    ON CONFLICT ("claim_id", "resource", "ordinal") DO UPDATE SET "tx_hash" = excluded."tx_hash", "object_id" = excluded."object_id",
        "event_id" = excluded."event_id", "type" = excluded."type", "sequence" = 0, "data_hash" = excluded."data_hash",
        "fingerprint" = NULL, "row_hash" = excluded."row_hash", "block_number" = excluded."block_number"
    -- 0.3.0 writes it itself, in the statement that writes the row.
    WHERE (m."event_id", m."tx_hash", m."object_id", m."row_hash", m."block_number")
        IS DISTINCT FROM (excluded."event_id", excluded."tx_hash", excluded."object_id", excluded."row_hash", excluded."block_number");
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION "app"."remember_operation"() FROM PUBLIC;

-- A claim's own change of a row fires none of them, so it locks nothing that a step locks beside the row.
CREATE TRIGGER "key_order_remember" AFTER INSERT ON "app"."key_order" FOR EACH ROW
    WHEN (NEW."event_id" IS NOT NULL) EXECUTE FUNCTION "app"."remember_order"();
CREATE TRIGGER "key_order_remember_changed" AFTER UPDATE ON "app"."key_order" FOR EACH ROW
    WHEN (NEW."event_id" IS NOT NULL AND NOT NEW."unreported"
        AND (NEW."event_id", NEW."tx_hash", NEW."order_id", NEW."row_hash", NEW."block_number")
            IS DISTINCT FROM (OLD."event_id", OLD."tx_hash", OLD."order_id", OLD."row_hash", OLD."block_number"))
    EXECUTE FUNCTION "app"."remember_order"();
CREATE TRIGGER "key_order_forget" AFTER DELETE ON "app"."key_order" FOR EACH ROW
    WHEN (OLD."event_id" IS NOT NULL) EXECUTE FUNCTION "app"."remember_order"();

CREATE TRIGGER "key_operation_remember" AFTER INSERT ON "app"."key_operation" FOR EACH ROW
    WHEN (NEW."event_id" IS NOT NULL) EXECUTE FUNCTION "app"."remember_operation"();
CREATE TRIGGER "key_operation_remember_changed" AFTER UPDATE ON "app"."key_operation" FOR EACH ROW
    WHEN (NEW."event_id" IS NOT NULL AND NOT NEW."unreported"
        AND (NEW."event_id", NEW."tx_hash", NEW."operation_id", NEW."row_hash", NEW."block_number")
            IS DISTINCT FROM (OLD."event_id", OLD."tx_hash", OLD."operation_id", OLD."row_hash", OLD."block_number"))
    EXECUTE FUNCTION "app"."remember_operation"();
CREATE TRIGGER "key_operation_forget" AFTER DELETE ON "app"."key_operation" FOR EACH ROW
    WHEN (OLD."event_id" IS NOT NULL) EXECUTE FUNCTION "app"."remember_operation"();

-- AlterTable
ALTER TABLE "app"."event_memory" ALTER COLUMN "data_hash" DROP NOT NULL,
ALTER COLUMN "fingerprint" DROP NOT NULL;

-- The type of a row is that of its last report, also where a claim has written it since: whether the next one takes it back depends on it. What
-- claims have written before this is due, and memory has the type.
UPDATE "app"."key_order" k SET "type" = m."type" FROM "app"."event_due" d, "app"."event_memory" m
WHERE k."claim_id" = d."claim_id" AND k."unreported" AND m."claim_id" = k."claim_id" AND m."resource" = 'orders' AND m."ordinal" = k."ordinal";
UPDATE "app"."key_operation" k SET "type" = m."type" FROM "app"."event_due" d, "app"."event_memory" m
WHERE k."claim_id" = d."claim_id" AND k."unreported" AND m."claim_id" = k."claim_id"
    AND m."resource" <> 'orders' AND m."ordinal" = k."ordinal";

CREATE FUNCTION "app"."keep_reported_type"() RETURNS trigger LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    NEW."type" := OLD."type";
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION "app"."keep_reported_type"() FROM PUBLIC;

CREATE TRIGGER "key_order_reported_type" BEFORE UPDATE ON "app"."key_order" FOR EACH ROW
    WHEN (NEW."unreported") EXECUTE FUNCTION "app"."keep_reported_type"();
CREATE TRIGGER "key_operation_reported_type" BEFORE UPDATE ON "app"."key_operation" FOR EACH ROW
    WHEN (NEW."unreported") EXECUTE FUNCTION "app"."keep_reported_type"();
