-- Totals of lists are kept beside the archive (docs/lists.md#totals): to count 10,000 rows of an index takes PostgreSQL longer than all
-- else that a list does. The next migration counts what is there.
--
-- Creating a trigger takes milliseconds, in which claims are not written.

-- CreateTable
CREATE TABLE "app"."settled_count" (
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "side" TEXT NOT NULL,
    "order_type" TEXT NOT NULL,
    "row_count" BIGINT NOT NULL,

    CONSTRAINT "settled_count_pkey" PRIMARY KEY ("key_id","chain_id","product_type","kind","status","side","order_type")
);

-- CreateTable
CREATE TABLE "app"."settled_count_change" (
    "change_id" BIGSERIAL NOT NULL,
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "side" TEXT NOT NULL,
    "order_type" TEXT NOT NULL,
    "row_count" INTEGER NOT NULL,

    CONSTRAINT "settled_count_change_pkey" PRIMARY KEY ("change_id")
);

-- CreateIndex
CREATE INDEX "settled_count_change_chain_id_key_id_product_type_idx" ON "app"."settled_count_change"("chain_id", "key_id", "product_type");

-- What follows Prisma's schema cannot say; its diff does not see it.

-- Rows come and go here with each settled block: an index that is not vacuumed would be read through.
ALTER TABLE "app"."settled_count_change" SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- The sum of both tables is the number of settled rows, in every snapshot. Only the worker that has the lock of a chain inserts
-- settled rows of it, so it adds to the counts. Any transaction deletes them, for the claims of a key that is written: it notes the
-- change in a row of its own, so that none waits for another's commit. A version that does not know of counts keeps them too.
CREATE FUNCTION "app"."count_settled_orders"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO "app"."settled_count" AS n ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", "row_count")
    SELECT "key_id", "chain_id", "product_type", 'order', "status", coalesce("side", ''), coalesce("order_type", ''), count(*)
    FROM "added" GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type")
    DO UPDATE SET "row_count" = n."row_count" + excluded."row_count";
    RETURN NULL;
END
$$;

CREATE FUNCTION "app"."count_settled_operations"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO "app"."settled_count" AS n ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", "row_count")
    SELECT "key_id", "chain_id", "product_type", "kind", "status", '', '', count(*)
    FROM "added" GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5
    ON CONFLICT ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type")
    DO UPDATE SET "row_count" = n."row_count" + excluded."row_count";
    RETURN NULL;
END
$$;

-- Row by row: most statements that may delete settled rows find none, and then a trigger of the statement would still run.
CREATE FUNCTION "app"."count_changed_order"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO "app"."settled_count_change" ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", "row_count")
    SELECT OLD."key_id", OLD."chain_id", OLD."product_type", 'order', OLD."status", coalesce(OLD."side", ''), coalesce(OLD."order_type", ''), -1
    UNION ALL
    SELECT NEW."key_id", NEW."chain_id", NEW."product_type", 'order', NEW."status", coalesce(NEW."side", ''), coalesce(NEW."order_type", ''), 1
    WHERE TG_OP = 'UPDATE';
    RETURN NULL;
END
$$;

CREATE FUNCTION "app"."count_changed_operation"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO "app"."settled_count_change" ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", "row_count")
    SELECT OLD."key_id", OLD."chain_id", OLD."product_type", OLD."kind", OLD."status", '', '', -1
    UNION ALL
    SELECT NEW."key_id", NEW."chain_id", NEW."product_type", NEW."kind", NEW."status", '', '', 1
    WHERE TG_OP = 'UPDATE';
    RETURN NULL;
END
$$;

CREATE TRIGGER "settled_order_count" AFTER INSERT ON "app"."settled_order"
    REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "app"."count_settled_orders"();
CREATE TRIGGER "settled_order_count_change" AFTER UPDATE OR DELETE ON "app"."settled_order"
    FOR EACH ROW EXECUTE FUNCTION "app"."count_changed_order"();
CREATE TRIGGER "settled_operation_count" AFTER INSERT ON "app"."settled_operation"
    REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "app"."count_settled_operations"();
CREATE TRIGGER "settled_operation_count_change" AFTER UPDATE OR DELETE ON "app"."settled_operation"
    FOR EACH ROW EXECUTE FUNCTION "app"."count_changed_operation"();

-- Adds what the counts lack of the settled rows, while no worker settles and nobody else recounts: two at once would add what both
-- had found lacking, and a worker locks counts in another order. Whoever takes rows out of the archive waits for nobody: what the
-- counts lack is the same in every snapshot, since the triggers count what is written meanwhile.
CREATE FUNCTION "app"."recount_settled"() RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = '' AS $$
    SELECT FROM "app"."settled_chain" ORDER BY "chain_id" FOR NO KEY UPDATE;
    INSERT INTO "app"."settled_count" AS n ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", "row_count")
    SELECT "key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", sum("row_count") FROM (
        SELECT "key_id", "chain_id", "product_type", 'order' AS "kind", "status", coalesce("side", '') AS "side",
            coalesce("order_type", '') AS "order_type", count(*) AS "row_count"
        FROM "app"."settled_order" GROUP BY 1, 2, 3, 5, 6, 7
        UNION ALL
        SELECT "key_id", "chain_id", "product_type", "kind", "status", '', '', count(*) FROM "app"."settled_operation" GROUP BY 1, 2, 3, 4, 5
        UNION ALL
        SELECT "key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", -"row_count" FROM "app"."settled_count"
        UNION ALL
        SELECT "key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", -"row_count" FROM "app"."settled_count_change") d
    GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum("row_count") <> 0 ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type")
    DO UPDATE SET "row_count" = n."row_count" + excluded."row_count";
$$;

REVOKE ALL ON FUNCTION "app"."count_settled_orders"() FROM PUBLIC;
REVOKE ALL ON FUNCTION "app"."count_settled_operations"() FROM PUBLIC;
REVOKE ALL ON FUNCTION "app"."count_changed_order"() FROM PUBLIC;
REVOKE ALL ON FUNCTION "app"."count_changed_operation"() FROM PUBLIC;
REVOKE ALL ON FUNCTION "app"."recount_settled"() FROM PUBLIC;
