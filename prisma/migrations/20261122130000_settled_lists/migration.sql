-- Lists read settled rows, which have a composite index for each filter, and join only claims that are not settled yet
-- (docs/lists.md). Existing claims are settled by the worker, which needs nothing but these tables.

-- CreateTable
CREATE TABLE "app"."unsettled_claim" (
    "claim_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "tx_hash" TEXT,
    "ready_block" BIGINT,

    CONSTRAINT "unsettled_claim_pkey" PRIMARY KEY ("claim_id")
);

-- CreateTable
CREATE TABLE "app"."settled_order" (
    "claim_id" UUID NOT NULL,
    "log_index" INTEGER NOT NULL,
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "tx_hash" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "status" TEXT NOT NULL,
    "side" TEXT,
    "order_type" TEXT,
    "stock_address" TEXT,
    "user_address" TEXT,

    CONSTRAINT "settled_order_pkey" PRIMARY KEY ("claim_id","log_index")
);

-- CreateTable
CREATE TABLE "app"."settled_operation" (
    "claim_id" UUID NOT NULL,
    "log_index" INTEGER NOT NULL,
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "tx_hash" TEXT,
    "kind" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "status" TEXT NOT NULL,
    "token_address" TEXT,
    "user_address" TEXT,

    CONSTRAINT "settled_operation_pkey" PRIMARY KEY ("claim_id","log_index")
);

-- CreateTable
CREATE TABLE "app"."settled_chain" (
    "chain_id" INTEGER NOT NULL,
    "build_id" TEXT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "filled_to" UUID,
    "complete" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "settled_chain_pkey" PRIMARY KEY ("chain_id")
);

-- CreateIndex
CREATE INDEX "unsettled_claim_key_id_chain_id_product_type_idx" ON "app"."unsettled_claim"("key_id", "chain_id", "product_type");

-- CreateIndex
CREATE INDEX "unsettled_claim_chain_id_product_type_idx" ON "app"."unsettled_claim"("chain_id", "product_type");

-- CreateIndex
CREATE INDEX "unsettled_claim_chain_id_tx_hash_idx" ON "app"."unsettled_claim"("chain_id", "tx_hash");

-- CreateIndex
CREATE INDEX "settled_order_chain_id_tx_hash_idx" ON "app"."settled_order"("chain_id", "tx_hash");

-- CreateIndex
CREATE INDEX "settled_order_key_created" ON "app"."settled_order"("key_id", "chain_id", "product_type", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_order_key_updated" ON "app"."settled_order"("key_id", "chain_id", "product_type", "updated_at", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_order_key_status" ON "app"."settled_order"("key_id", "chain_id", "product_type", "status", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_order_key_side" ON "app"."settled_order"("key_id", "chain_id", "product_type", "side", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_order_key_type" ON "app"."settled_order"("key_id", "chain_id", "product_type", "order_type", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_order_key_stock" ON "app"."settled_order"("key_id", "chain_id", "product_type", "stock_address", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_order_key_user" ON "app"."settled_order"("key_id", "chain_id", "product_type", "user_address", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_order_created" ON "app"."settled_order"("chain_id", "product_type", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_order_updated" ON "app"."settled_order"("chain_id", "product_type", "updated_at", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_order_status" ON "app"."settled_order"("chain_id", "product_type", "status", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_order_stock" ON "app"."settled_order"("chain_id", "product_type", "stock_address", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_order_user" ON "app"."settled_order"("chain_id", "product_type", "user_address", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_operation_chain_id_tx_hash_idx" ON "app"."settled_operation"("chain_id", "tx_hash");

-- CreateIndex
CREATE INDEX "settled_operation_key_created" ON "app"."settled_operation"("key_id", "chain_id", "product_type", "kind", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_operation_key_updated" ON "app"."settled_operation"("key_id", "chain_id", "product_type", "kind", "updated_at", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_operation_key_status" ON "app"."settled_operation"("key_id", "chain_id", "product_type", "kind", "status", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_operation_key_token" ON "app"."settled_operation"("key_id", "chain_id", "product_type", "kind", "token_address", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_operation_key_user" ON "app"."settled_operation"("key_id", "chain_id", "product_type", "kind", "user_address", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_operation_created" ON "app"."settled_operation"("chain_id", "product_type", "kind", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_operation_updated" ON "app"."settled_operation"("chain_id", "product_type", "kind", "updated_at", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_operation_status" ON "app"."settled_operation"("chain_id", "product_type", "kind", "status", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_operation_token" ON "app"."settled_operation"("chain_id", "product_type", "kind", "token_address", "created_at", "claim_id", "log_index");

-- CreateIndex
CREATE INDEX "settled_operation_user" ON "app"."settled_operation"("chain_id", "product_type", "kind", "user_address", "created_at", "claim_id", "log_index");

-- AddForeignKey
ALTER TABLE "app"."unsettled_claim" ADD CONSTRAINT "unsettled_claim_claim_id_fkey" FOREIGN KEY ("claim_id") REFERENCES "app"."transaction_claim"("claim_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What follows Prisma's schema cannot say; its diff does not see it.

-- Claims come and go here: statistics that are minutes old would describe another table.
ALTER TABLE "app"."unsettled_claim" SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05);

-- Moves all that was settled of some transactions back to unsettled_claim, with every claim to them. It locks before it
-- deletes: a worker that settles one of them at the same time has committed by then, and its rows are deleted too.
-- Runs with its owner's rights, so no role that writes claims needs rights to these tables. A connection keeps the plans of
-- these statements, perhaps of when the tables were empty: each row is looked up by index, however large the tables become.
-- OFFSET 0 keeps PostgreSQL from joining the other way round, which would compare every claim there is with every row.
CREATE FUNCTION "app"."unsettle"("chains" integer[], "hashes" text[], "claims" uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO "app"."unsettled_claim" AS u ("claim_id", "key_id", "chain_id", "product_type", "tx_hash")
    SELECT c."claim_id", c."key_id", c."chain_id", c."product_type", c."tx_hash"
    FROM (
        SELECT t."claim_id" FROM unnest("chains", "hashes") AS h ("chain_id", "tx_hash")
        CROSS JOIN LATERAL (
            SELECT t."claim_id" FROM "app"."transaction_claim" t
            WHERE t."chain_id" = h."chain_id" AND t."tx_hash" = h."tx_hash" OFFSET 0) t
        UNION SELECT unnest("claims")) w
    CROSS JOIN LATERAL (
        SELECT * FROM "app"."transaction_claim" c WHERE c."claim_id" = w."claim_id" OFFSET 0) c
    ORDER BY c."claim_id"
    ON CONFLICT ("claim_id") DO UPDATE SET "tx_hash" = excluded."tx_hash", "ready_block" = NULL;

    FOR i IN 1 .. coalesce(cardinality("hashes"), 0) LOOP
        DELETE FROM "app"."settled_order" s WHERE s."chain_id" = "chains"[i] AND s."tx_hash" = "hashes"[i];
        DELETE FROM "app"."settled_operation" s WHERE s."chain_id" = "chains"[i] AND s."tx_hash" = "hashes"[i];
    END LOOP;
    DELETE FROM "app"."settled_order" s WHERE s."claim_id" = ANY("claims");
    DELETE FROM "app"."settled_operation" s WHERE s."claim_id" = ANY("claims");
END
$$;

REVOKE ALL ON FUNCTION "app"."unsettle"(integer[], text[], uuid[]) FROM PUBLIC;

-- A claim decides who owns what its transaction did, and by its suffix also what other transactions with it did
-- (src/claims/ownership.ts).
CREATE FUNCTION "app"."unsettle_claims"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = '' SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    "chains" integer[];
    "hashes" text[];
    "claims" uuid[];
BEGIN
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

CREATE TRIGGER "transaction_claim_unsettle" AFTER INSERT ON "app"."transaction_claim"
    REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "app"."unsettle_claims"();

-- The same of an update, for what the claim was before and what it is now.
CREATE FUNCTION "app"."unsettle_changed_claim"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    "hashes" text[];
BEGIN
    SELECT array_agg(t."tx_hash") INTO "hashes" FROM (
        SELECT OLD."tx_hash" WHERE OLD."tx_hash" IS NOT NULL
        UNION SELECT NEW."tx_hash" WHERE NEW."tx_hash" IS NOT NULL
        UNION SELECT e."tx_hash" FROM "app"."transaction_claim" e
        WHERE e."attribution_nonce" IN (OLD."attribution_nonce", NEW."attribution_nonce")
            AND e."chain_id" = NEW."chain_id" AND e."tx_hash" IS NOT NULL) t;
    PERFORM "app"."unsettle"(array_fill(NEW."chain_id", ARRAY[coalesce(cardinality("hashes"), 0)]), "hashes", ARRAY[NEW."claim_id"]);
    RETURN NULL;
END
$$;

-- That a claim became final changes no list: what it came to is read from the index by then.
CREATE TRIGGER "transaction_claim_unsettle_changed" AFTER UPDATE ON "app"."transaction_claim" FOR EACH ROW
    WHEN ((OLD."tx_hash", OLD."source", OLD."user_address", OLD."attribution_nonce", OLD."before_final")
            IS DISTINCT FROM (NEW."tx_hash", NEW."source", NEW."user_address", NEW."attribution_nonce", NEW."before_final")
        OR OLD."state" <> NEW."state" AND NEW."state" <> 'final')
    EXECUTE FUNCTION "app"."unsettle_changed_claim"();

-- A verified suffix voids the records of other keys.
CREATE FUNCTION "app"."unsettle_attributed"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM "app"."unsettle"(array_agg(n."chain_id"), array_agg(n."tx_hash"), ARRAY[]::uuid[]) FROM "changed" n;
    RETURN NULL;
END
$$;

CREATE TRIGGER "transaction_attribution_unsettle" AFTER INSERT ON "app"."transaction_attribution"
    REFERENCING NEW TABLE AS "changed" FOR EACH STATEMENT EXECUTE FUNCTION "app"."unsettle_attributed"();
