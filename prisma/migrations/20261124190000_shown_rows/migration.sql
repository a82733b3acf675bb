-- Answers come from the rows of keys (docs/projection.md): their indexes, how many there are, and two views that name version and block.
--
-- Building an index blocks writes of its table. No release has rows in these tables, so it takes milliseconds; on a database that has them,
-- about a minute for a million orders.

-- CreateTable
CREATE TABLE "app"."key_count" (
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "side" TEXT NOT NULL,
    "order_type" TEXT NOT NULL,
    "row_count" BIGINT NOT NULL,

    CONSTRAINT "key_count_pkey" PRIMARY KEY ("key_id","chain_id","product_type","kind","status","side","order_type")
);

-- CreateIndex
CREATE INDEX "key_order_created" ON "app"."key_order"("key_id", "chain_id", "product_type", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_order_shape" ON "app"."key_order"("key_id", "chain_id", "product_type", "status", "side", "order_type", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_order_stock_shape" ON "app"."key_order"("key_id", "chain_id", "product_type", "stock_address", "status", "side", "order_type", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_order_user_shape" ON "app"."key_order"("key_id", "chain_id", "product_type", "user_address", "status", "side", "order_type", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_order_user_stock" ON "app"."key_order"("key_id", "chain_id", "product_type", "user_address", "stock_address", "status", "side", "order_type", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_order_updated" ON "app"."key_order"("key_id", "chain_id", "product_type", "updated_at", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_order_all_created" ON "app"."key_order"("chain_id", "product_type", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_order_all_updated" ON "app"."key_order"("chain_id", "product_type", "updated_at", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_order_all_status" ON "app"."key_order"("chain_id", "product_type", "status", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_order_all_stock" ON "app"."key_order"("chain_id", "product_type", "stock_address", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_order_all_user" ON "app"."key_order"("chain_id", "product_type", "user_address", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_order_chain_id_tx_hash_idx" ON "app"."key_order"("chain_id", "tx_hash");

-- CreateIndex
CREATE INDEX "key_operation_created" ON "app"."key_operation"("key_id", "chain_id", "product_type", "kind", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_operation_status" ON "app"."key_operation"("key_id", "chain_id", "product_type", "kind", "status", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_operation_token_status" ON "app"."key_operation"("key_id", "chain_id", "product_type", "kind", "token_address", "status", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_operation_user_status" ON "app"."key_operation"("key_id", "chain_id", "product_type", "kind", "user_address", "status", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_operation_user_token" ON "app"."key_operation"("key_id", "chain_id", "product_type", "kind", "user_address", "token_address", "status", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_operation_updated" ON "app"."key_operation"("key_id", "chain_id", "product_type", "kind", "updated_at", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_operation_all_created" ON "app"."key_operation"("chain_id", "product_type", "kind", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_operation_all_updated" ON "app"."key_operation"("chain_id", "product_type", "kind", "updated_at", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_operation_all_status" ON "app"."key_operation"("chain_id", "product_type", "kind", "status", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_operation_all_token" ON "app"."key_operation"("chain_id", "product_type", "kind", "token_address", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_operation_all_user" ON "app"."key_operation"("chain_id", "product_type", "kind", "user_address", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "key_operation_chain_id_tx_hash_idx" ON "app"."key_operation"("chain_id", "tx_hash");

-- What follows Prisma's schema cannot say; its diff does not see it.

CREATE INDEX "key_order_order_id" ON "app"."key_order"("chain_id", "order_id") WHERE "order_id" IS NOT NULL;
CREATE INDEX "key_order_client_order_id" ON "app"."key_order"("client_order_id") WHERE "client_order_id" IS NOT NULL;
CREATE INDEX "key_operation_operation_id" ON "app"."key_operation"("chain_id", "operation_id") WHERE "operation_id" IS NOT NULL;

-- What is not indexed is counted, and not kept in app.key_count.
CREATE INDEX "key_order_pending" ON "app"."key_order"("key_id", "chain_id", "product_type", "status") WHERE "order_id" IS NULL;
CREATE INDEX "key_operation_pending" ON "app"."key_operation"("key_id", "chain_id", "product_type", "kind", "status")
    WHERE "operation_id" IS NULL;

-- SPAN of src/claims/list-search.ts is the same expression.
CREATE INDEX "key_order_span" ON "app"."key_order"("key_id", "chain_id", "product_type",
    width_bucket("updated_at" - "created_at", '{10 s,1 min,5 min,30 min,3 h,1 day,7 days,60 days}'::interval[]), "created_at");
CREATE INDEX "key_order_all_span" ON "app"."key_order"("chain_id", "product_type",
    width_bucket("updated_at" - "created_at", '{10 s,1 min,5 min,30 min,3 h,1 day,7 days,60 days}'::interval[]), "created_at");
CREATE INDEX "key_operation_span" ON "app"."key_operation"("key_id", "chain_id", "product_type",
    width_bucket("updated_at" - "created_at", '{10 s,1 min,5 min,30 min,3 h,1 day,7 days,60 days}'::interval[]), "created_at");
CREATE INDEX "key_operation_all_span" ON "app"."key_operation"("chain_id", "product_type",
    width_bucket("updated_at" - "created_at", '{10 s,1 min,5 min,30 min,3 h,1 day,7 days,60 days}'::interval[]), "created_at");

-- They count rows that are indexed. The projector alone writes these, one step of a chain at a time, so no step waits for another's counts;
-- what claims write of rows that are not indexed changes none.

CREATE FUNCTION "app"."count_added_orders"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO "app"."key_count" AS n ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", "row_count")
    SELECT "key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", sum("change") FROM (
        SELECT "key_id", "chain_id", "product_type", 'order' AS "kind", "status", "side", "order_type", 1 AS "change" FROM "added" WHERE "order_id" IS NOT NULL) d
    GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum("change") <> 0 ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type")
    DO UPDATE SET "row_count" = n."row_count" + excluded."row_count";
    RETURN NULL;
END
$$;

CREATE FUNCTION "app"."count_changed_orders"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO "app"."key_count" AS n ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", "row_count")
    SELECT "key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", sum("change") FROM (
        SELECT "key_id", "chain_id", "product_type", 'order' AS "kind", "status", "side", "order_type", 1 AS "change" FROM "added" WHERE "order_id" IS NOT NULL
        UNION ALL SELECT "key_id", "chain_id", "product_type", 'order' AS "kind", "status", "side", "order_type", -1 AS "change" FROM "removed" WHERE "order_id" IS NOT NULL) d
    GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum("change") <> 0 ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type")
    DO UPDATE SET "row_count" = n."row_count" + excluded."row_count";
    RETURN NULL;
END
$$;

CREATE FUNCTION "app"."count_removed_orders"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO "app"."key_count" AS n ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", "row_count")
    SELECT "key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", sum("change") FROM (
        SELECT "key_id", "chain_id", "product_type", 'order' AS "kind", "status", "side", "order_type", -1 AS "change" FROM "removed" WHERE "order_id" IS NOT NULL) d
    GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum("change") <> 0 ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type")
    DO UPDATE SET "row_count" = n."row_count" + excluded."row_count";
    RETURN NULL;
END
$$;

CREATE FUNCTION "app"."count_added_operations"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO "app"."key_count" AS n ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", "row_count")
    SELECT "key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", sum("change") FROM (
        SELECT "key_id", "chain_id", "product_type", "kind" AS "kind", "status", '' AS "side", '' AS "order_type", 1 AS "change" FROM "added" WHERE "operation_id" IS NOT NULL) d
    GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum("change") <> 0 ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type")
    DO UPDATE SET "row_count" = n."row_count" + excluded."row_count";
    RETURN NULL;
END
$$;

CREATE FUNCTION "app"."count_changed_operations"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO "app"."key_count" AS n ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", "row_count")
    SELECT "key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", sum("change") FROM (
        SELECT "key_id", "chain_id", "product_type", "kind" AS "kind", "status", '' AS "side", '' AS "order_type", 1 AS "change" FROM "added" WHERE "operation_id" IS NOT NULL
        UNION ALL SELECT "key_id", "chain_id", "product_type", "kind" AS "kind", "status", '' AS "side", '' AS "order_type", -1 AS "change" FROM "removed" WHERE "operation_id" IS NOT NULL) d
    GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum("change") <> 0 ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type")
    DO UPDATE SET "row_count" = n."row_count" + excluded."row_count";
    RETURN NULL;
END
$$;

CREATE FUNCTION "app"."count_removed_operations"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO "app"."key_count" AS n ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", "row_count")
    SELECT "key_id", "chain_id", "product_type", "kind", "status", "side", "order_type", sum("change") FROM (
        SELECT "key_id", "chain_id", "product_type", "kind" AS "kind", "status", '' AS "side", '' AS "order_type", -1 AS "change" FROM "removed" WHERE "operation_id" IS NOT NULL) d
    GROUP BY 1, 2, 3, 4, 5, 6, 7 HAVING sum("change") <> 0 ORDER BY 1, 2, 3, 4, 5, 6, 7
    ON CONFLICT ("key_id", "chain_id", "product_type", "kind", "status", "side", "order_type")
    DO UPDATE SET "row_count" = n."row_count" + excluded."row_count";
    RETURN NULL;
END
$$;

CREATE TRIGGER "key_order_count_added" AFTER INSERT ON "app"."key_order"
    REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "app"."count_added_orders"();
REVOKE ALL ON FUNCTION "app"."count_added_orders"() FROM PUBLIC;
CREATE TRIGGER "key_order_count_changed" AFTER UPDATE ON "app"."key_order"
    REFERENCING OLD TABLE AS "removed" NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "app"."count_changed_orders"();
REVOKE ALL ON FUNCTION "app"."count_changed_orders"() FROM PUBLIC;
CREATE TRIGGER "key_order_count_removed" AFTER DELETE ON "app"."key_order"
    REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "app"."count_removed_orders"();
REVOKE ALL ON FUNCTION "app"."count_removed_orders"() FROM PUBLIC;
CREATE TRIGGER "key_operation_count_added" AFTER INSERT ON "app"."key_operation"
    REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "app"."count_added_operations"();
REVOKE ALL ON FUNCTION "app"."count_added_operations"() FROM PUBLIC;
CREATE TRIGGER "key_operation_count_changed" AFTER UPDATE ON "app"."key_operation"
    REFERENCING OLD TABLE AS "removed" NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "app"."count_changed_operations"();
REVOKE ALL ON FUNCTION "app"."count_changed_operations"() FROM PUBLIC;
CREATE TRIGGER "key_operation_count_removed" AFTER DELETE ON "app"."key_operation"
    REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "app"."count_removed_operations"();
REVOKE ALL ON FUNCTION "app"."count_removed_operations"() FROM PUBLIC;

INSERT INTO "app"."key_count" SELECT "key_id", "chain_id", "product_type", 'order', "status", "side", "order_type", count(*)
FROM "app"."key_order" WHERE "order_id" IS NOT NULL GROUP BY 1, 2, 3, 5, 6, 7;
INSERT INTO "app"."key_count" SELECT "key_id", "chain_id", "product_type", "kind", "status", '', '', count(*)
FROM "app"."key_operation" WHERE "operation_id" IS NOT NULL GROUP BY 1, 2, 3, 4, 5;

-- What the rows of a key are of: no row before those of the chain are complete. The planner puts it in the place where it is called; a setting
-- of search_path would keep it from that.
CREATE FUNCTION "app"."key_state"("chain" integer, "key" uuid, "product" text)
    RETURNS TABLE ("version" text, "shown_block" bigint, "sequence" bigint) LANGUAGE sql STABLE AS $$
    SELECT (coalesce((SELECT h."version" FROM "app"."event_head" h
                WHERE h."key_id" = $2 AND h."chain_id" = $1 AND h."product_type" = $3), 0)
            + coalesce((SELECT sum(x."change") FROM "app"."key_change" x
                WHERE x."chain_id" = $1 AND x."key_id" = $2 AND x."product_type" = $3), 0))::text,
        c."block_number",
        coalesce((SELECT h."sequence" FROM "app"."event_head" h
            WHERE h."key_id" = $2 AND h."chain_id" = $1 AND h."product_type" = $3), 0)
    FROM "app"."event_chain" c WHERE c."chain_id" = $1 AND c."filled"
$$;
REVOKE ALL ON FUNCTION "app"."key_state"(integer, uuid, text) FROM PUBLIC;

CREATE VIEW "app"."shown_order" AS
    SELECT o."claim_id", o."ordinal", o."key_id", o."chain_id", o."product_type", o."tx_hash", o."source", o."created_at", o."updated_at",
        o."log_index", o."order_id", o."status", o."on_chain_status", o."side", o."order_type", o."stock_address", o."user_address",
        o."client_order_id", o."data", s."version", s."shown_block", s."sequence"
    FROM "app"."key_order" o CROSS JOIN LATERAL "app"."key_state"(o."chain_id", o."key_id", o."product_type") s;

CREATE VIEW "app"."shown_operation" AS
    SELECT o."claim_id", o."kind", o."ordinal", o."key_id", o."chain_id", o."product_type", o."tx_hash", o."source", o."created_at",
        o."updated_at", o."log_index", o."operation_id", o."status", o."token_address", o."user_address", o."data", s."version",
        s."shown_block", s."sequence"
    FROM "app"."key_operation" o CROSS JOIN LATERAL "app"."key_state"(o."chain_id", o."key_id", o."product_type") s;
