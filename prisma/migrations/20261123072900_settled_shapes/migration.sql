-- Lists with two filters read what they answer (docs/lists.md): a key's settled orders are found by shape, that is status, side and
-- type, besides stock and user, and what changed after a time but was mapped before it by how long that took.
--
-- Building an index blocks writes of its table meanwhile, about half a minute for a million rows of
-- orders; reads go on. Where that is too long, build them before the migration with CREATE INDEX CONCURRENTLY, under the same names and as written here.

-- CreateIndex
CREATE INDEX IF NOT EXISTS "settled_order_key_shape" ON "app"."settled_order"("key_id", "chain_id", "product_type", "status", "side", "order_type", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX IF NOT EXISTS "settled_order_key_stock_shape" ON "app"."settled_order"("key_id", "chain_id", "product_type", "stock_address", "status", "side", "order_type", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX IF NOT EXISTS "settled_order_key_user_shape" ON "app"."settled_order"("key_id", "chain_id", "product_type", "user_address", "status", "side", "order_type", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX IF NOT EXISTS "settled_order_key_user_stock" ON "app"."settled_order"("key_id", "chain_id", "product_type", "user_address", "stock_address", "status", "side", "order_type", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX IF NOT EXISTS "settled_operation_key_token_status" ON "app"."settled_operation"("key_id", "chain_id", "product_type", "kind", "token_address", "status", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX IF NOT EXISTS "settled_operation_key_user_status" ON "app"."settled_operation"("key_id", "chain_id", "product_type", "kind", "user_address", "status", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX IF NOT EXISTS "settled_operation_key_user_token" ON "app"."settled_operation"("key_id", "chain_id", "product_type", "kind", "user_address", "token_address", "status", "created_at", "claim_id", "log_index");

-- DropIndex
DROP INDEX "app"."settled_order_key_status";

-- DropIndex
DROP INDEX "app"."settled_order_key_side";

-- DropIndex
DROP INDEX "app"."settled_order_key_type";

-- DropIndex
DROP INDEX "app"."settled_order_key_stock";

-- DropIndex
DROP INDEX "app"."settled_order_key_user";

-- DropIndex
DROP INDEX "app"."settled_operation_key_token";

-- DropIndex
DROP INDEX "app"."settled_operation_key_user";

-- What follows Prisma's schema cannot say; its diff does not see it.

-- SPAN of src/claims/settled-search.ts is the same expression.
CREATE INDEX IF NOT EXISTS "settled_order_key_span" ON "app"."settled_order"("key_id", "chain_id", "product_type",
    width_bucket("updated_at" - "created_at", '{10 s,1 min,5 min,30 min,3 h,1 day,7 days,60 days}'::interval[]), "created_at");
CREATE INDEX IF NOT EXISTS "settled_order_span" ON "app"."settled_order"("chain_id", "product_type",
    width_bucket("updated_at" - "created_at", '{10 s,1 min,5 min,30 min,3 h,1 day,7 days,60 days}'::interval[]), "created_at");
CREATE INDEX IF NOT EXISTS "settled_operation_key_span" ON "app"."settled_operation"("key_id", "chain_id", "product_type",
    width_bucket("updated_at" - "created_at", '{10 s,1 min,5 min,30 min,3 h,1 day,7 days,60 days}'::interval[]), "created_at");
CREATE INDEX IF NOT EXISTS "settled_operation_span" ON "app"."settled_operation"("chain_id", "product_type",
    width_bucket("updated_at" - "created_at", '{10 s,1 min,5 min,30 min,3 h,1 day,7 days,60 days}'::interval[]), "created_at");

-- What failed has no order, so neither a side nor a type; empty ones are found by an index as any others are. A worker of the
-- version before writes NULL.
CREATE FUNCTION "app"."settle_without_shape"() RETURNS trigger LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    NEW."side" := coalesce(NEW."side", '');
    NEW."order_type" := coalesce(NEW."order_type", '');
    RETURN NEW;
END
$$;
CREATE TRIGGER "settled_order_shape" BEFORE INSERT ON "app"."settled_order" FOR EACH ROW
    WHEN (NEW."side" IS NULL OR NEW."order_type" IS NULL) EXECUTE FUNCTION "app"."settle_without_shape"();
UPDATE "app"."settled_order" SET "side" = coalesce("side", ''), "order_type" = coalesce("order_type", '')
WHERE "side" IS NULL OR "order_type" IS NULL;
