-- What a key sees of orders and operations, as rows (docs/projection.md). Tables are made; columns with constant defaults change the catalogue
-- alone. Locks app.transaction_claim, app.event_chain and app.event_head against writes for the moment in which columns and triggers are made.

-- AlterTable
ALTER TABLE "app"."event_chain" ADD COLUMN     "build_id" TEXT,
ADD COLUMN     "filled" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "filled_to" UUID DEFAULT '00000000-0000-0000-0000-000000000000'::uuid,
ADD COLUMN     "steps" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "app"."event_head" ADD COLUMN     "version" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "app"."key_order" (
    "claim_id" UUID NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "tx_hash" TEXT,
    "source" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "log_index" INTEGER NOT NULL,
    "order_id" TEXT,
    "status" TEXT NOT NULL,
    "on_chain_status" TEXT NOT NULL,
    "side" TEXT NOT NULL,
    "order_type" TEXT NOT NULL,
    "stock_address" TEXT,
    "user_address" TEXT,
    "client_order_id" TEXT,
    "filled_notional" DECIMAL(78,0),
    "data" TEXT,
    "data_shape" SMALLINT NOT NULL,
    "type" TEXT NOT NULL,
    "event_id" UUID,
    "unreported" BOOLEAN NOT NULL DEFAULT false,
    "row_hash" UUID,
    "block_number" BIGINT,

    CONSTRAINT "key_order_pkey" PRIMARY KEY ("claim_id","ordinal")
);

-- CreateTable
CREATE TABLE "app"."key_operation" (
    "claim_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "tx_hash" TEXT,
    "source" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "log_index" INTEGER NOT NULL,
    "operation_id" TEXT,
    "status" TEXT NOT NULL,
    "token_address" TEXT,
    "user_address" TEXT,
    "data" TEXT,
    "data_shape" SMALLINT NOT NULL,
    "type" TEXT NOT NULL,
    "event_id" UUID,
    "unreported" BOOLEAN NOT NULL DEFAULT false,
    "row_hash" UUID,
    "block_number" BIGINT,

    CONSTRAINT "key_operation_pkey" PRIMARY KEY ("claim_id","kind","ordinal")
);

-- CreateTable
CREATE TABLE "app"."key_change" (
    "change_id" BIGSERIAL NOT NULL,
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "change" BIGINT NOT NULL,

    CONSTRAINT "key_change_pkey" PRIMARY KEY ("change_id")
);

-- CreateIndex
CREATE INDEX "key_change_chain_id_key_id_product_type_idx" ON "app"."key_change"("chain_id", "key_id", "product_type");

-- What follows Prisma's schema cannot say; its diff does not see it.

-- Rows come and go here: what is dead must not be read for long.
ALTER TABLE "app"."key_change" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- A worker of the version before writes the log and no rows, and counts no step: the rows of the chain are then filled anew.
CREATE FUNCTION "app"."refill_rows"() RETURNS trigger LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    NEW."filled" := false;
    NEW."filled_to" := '00000000-0000-0000-0000-000000000000'::uuid;
    RETURN NEW;
END
$$;

CREATE TRIGGER "event_chain_refill" BEFORE UPDATE ON "app"."event_chain" FOR EACH ROW
    WHEN (OLD."steps" = NEW."steps") EXECUTE FUNCTION "app"."refill_rows"();

-- Claims write the rows of what is not indexed, so that their key sees them at once, whichever version writes the claim. A row that is
-- indexed is the projector's alone. What changes is marked as not reported, and moves the key's version. A row is removed by the projector
-- alone, which reports that; one is made only where the claim is due by the triggers of the log, so that the projector looks at it.
CREATE FUNCTION "app"."write_pending_rows"("claims" uuid[], "due" uuid[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = ''
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    WITH claim AS MATERIALIZED (
        SELECT c.*, greatest(c."created_at", c."updated_at") AS "changed_at", c."state" = 'reverted' AS "failed"
        FROM unnest("claims") AS l ("claim_id") CROSS JOIN LATERAL (
            SELECT * FROM "app"."transaction_claim" t WHERE t."claim_id" = l."claim_id" OFFSET 0) c
        WHERE c."state" <> 'dropped' AND NOT (c."source" = 'recorded' AND EXISTS (
            SELECT 1 FROM "app"."transaction_attribution" v
            WHERE v."chain_id" = c."chain_id" AND v."tx_hash" = c."tx_hash" AND v."key_id" <> c."key_id"))
    ), orders AS (
        INSERT INTO "app"."key_order" AS k ("claim_id", "ordinal", "key_id", "chain_id", "product_type", "tx_hash", "source", "created_at",
            "updated_at", "log_index", "status", "on_chain_status", "side", "order_type", "user_address", "client_order_id", "data_shape",
            "type", "unreported")
        SELECT c."claim_id", 0, c."key_id", c."chain_id", c."product_type", c."tx_hash", c."source"::text, c."created_at", c."changed_at", -1,
            CASE WHEN c."failed" THEN 'Failed' ELSE 'Init' END, CASE WHEN c."failed" THEN 'history' ELSE 'placing' END, '', '',
            c."user_address", c."client_order_id", 1, CASE WHEN c."failed" THEN 'order.failed' ELSE 'order.mapped' END, true
        FROM claim c WHERE c."operation_type" = 'trade' AND NOT EXISTS (
            SELECT 1 FROM "app"."key_order" i WHERE i."claim_id" = c."claim_id" AND i."order_id" IS NOT NULL)
          AND (c."claim_id" = ANY("due") OR EXISTS (SELECT 1 FROM "app"."key_order" i WHERE i."claim_id" = c."claim_id"))
        ORDER BY c."claim_id"
        ON CONFLICT ("claim_id", "ordinal") DO UPDATE SET "tx_hash" = excluded."tx_hash", "source" = excluded."source",
            "created_at" = excluded."created_at", "updated_at" = excluded."updated_at", "status" = excluded."status", "on_chain_status" = excluded."on_chain_status",
            "user_address" = excluded."user_address", "client_order_id" = excluded."client_order_id", "type" = excluded."type",
            "unreported" = k."unreported" OR (k."tx_hash", k."source", k."created_at", k."status", k."user_address", k."client_order_id")
                IS DISTINCT FROM (excluded."tx_hash", excluded."source", excluded."created_at", excluded."status", excluded."user_address",
                    excluded."client_order_id")
        WHERE k."order_id" IS NULL AND (k."tx_hash", k."source", k."created_at", k."status", k."user_address", k."client_order_id",
                k."updated_at")
            IS DISTINCT FROM (excluded."tx_hash", excluded."source", excluded."created_at", excluded."status", excluded."user_address",
                excluded."client_order_id", excluded."updated_at")
        RETURNING k."key_id", k."chain_id", k."product_type"
    ), operations AS (
        INSERT INTO "app"."key_operation" AS k ("claim_id", "kind", "ordinal", "key_id", "chain_id", "product_type", "tx_hash", "source",
            "created_at", "updated_at", "log_index", "status", "user_address", "data_shape", "type", "unreported")
        SELECT c."claim_id", c."operation_type"::text, 0, c."key_id", c."chain_id", c."product_type", c."tx_hash", c."source"::text,
            c."created_at", c."changed_at", -1, CASE WHEN c."failed" THEN 'failed' ELSE 'pending' END, c."user_address", 1,
            CASE WHEN c."failed" THEN 'operation.failed' ELSE 'operation.pending' END, true
        FROM claim c WHERE c."operation_type" <> 'trade' AND NOT EXISTS (
            SELECT 1 FROM "app"."key_operation" i WHERE i."claim_id" = c."claim_id" AND i."operation_id" IS NOT NULL)
          AND (c."claim_id" = ANY("due") OR EXISTS (SELECT 1 FROM "app"."key_operation" i WHERE i."claim_id" = c."claim_id"))
        ORDER BY c."claim_id"
        ON CONFLICT ("claim_id", "kind", "ordinal") DO UPDATE SET "tx_hash" = excluded."tx_hash", "source" = excluded."source",
            "created_at" = excluded."created_at", "updated_at" = excluded."updated_at", "status" = excluded."status", "user_address" = excluded."user_address",
            "type" = excluded."type",
            "unreported" = k."unreported" OR (k."tx_hash", k."source", k."created_at", k."status", k."user_address")
                IS DISTINCT FROM (excluded."tx_hash", excluded."source", excluded."created_at", excluded."status", excluded."user_address")
        WHERE k."operation_id" IS NULL AND (k."tx_hash", k."source", k."created_at", k."status", k."user_address", k."updated_at")
            IS DISTINCT FROM (excluded."tx_hash", excluded."source", excluded."created_at", excluded."status", excluded."user_address",
                excluded."updated_at")
        RETURNING k."key_id", k."chain_id", k."product_type")
    INSERT INTO "app"."key_change" ("key_id", "chain_id", "product_type", "change")
    SELECT t."key_id", t."chain_id", t."product_type", (random() * 9e15)::bigint + 1
    FROM (SELECT * FROM orders UNION SELECT * FROM operations) t;
END
$$;

REVOKE ALL ON FUNCTION "app"."write_pending_rows"(uuid[], uuid[]) FROM PUBLIC;

CREATE FUNCTION "app"."write_claimed_rows"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    "claims" uuid[];
    "due" uuid[];
BEGIN
    IF TG_OP = 'INSERT' THEN
        SELECT array_agg(n."claim_id") INTO "claims" FROM "after" n;
        "due" := "claims";
    ELSE
        -- As unsettle_changed_claims() enters them.
        SELECT array_agg(n."claim_id"), array_agg(n."claim_id") FILTER (
            WHERE (o."tx_hash", o."source", o."user_address", o."attribution_nonce", o."before_final", o."rule_version",
                    o."created_at")
                IS DISTINCT FROM (n."tx_hash", n."source", n."user_address", n."attribution_nonce", n."before_final", n."rule_version",
                    n."created_at")
                OR o."state" <> n."state" AND n."state" <> 'final')
        INTO "claims", "due" FROM "before" o JOIN "after" n ON n."claim_id" = o."claim_id"
        WHERE (o."tx_hash", o."source", o."user_address", o."state", o."created_at", o."updated_at", o."client_order_id")
            IS DISTINCT FROM (n."tx_hash", n."source", n."user_address", n."state", n."created_at", n."updated_at", n."client_order_id");
    END IF;
    IF "claims" IS NOT NULL THEN
        PERFORM "app"."write_pending_rows"("claims", "due");
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "transaction_claim_rows" AFTER INSERT ON "app"."transaction_claim"
    REFERENCING NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "app"."write_claimed_rows"();
CREATE TRIGGER "transaction_claim_changed_rows" AFTER UPDATE ON "app"."transaction_claim"
    REFERENCING OLD TABLE AS "before" NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "app"."write_claimed_rows"();
