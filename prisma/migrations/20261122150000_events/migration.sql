-- The log of events (docs/events.md): what was said, what the log last said of each object, and what is to be compared next.

-- CreateTable
CREATE TABLE "app"."event" (
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "event_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "resource" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "block_number" BIGINT,
    "tx_hash" TEXT,
    "retracts" UUID,
    "data" JSON NOT NULL,

    CONSTRAINT "event_pkey" PRIMARY KEY ("key_id","chain_id","product_type","sequence")
);

-- CreateTable
CREATE TABLE "app"."event_head" (
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,

    CONSTRAINT "event_head_pkey" PRIMARY KEY ("key_id","chain_id","product_type")
);

-- CreateTable
CREATE TABLE "app"."event_memory" (
    "claim_id" UUID NOT NULL,
    "resource" TEXT NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "tx_hash" TEXT,
    "object_id" TEXT,
    "event_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "data_hash" UUID NOT NULL,
    "fingerprint" UUID NOT NULL,
    "row_hash" UUID,
    "block_number" BIGINT,

    CONSTRAINT "event_memory_pkey" PRIMARY KEY ("claim_id","resource","ordinal")
);

-- CreateTable
CREATE TABLE "app"."event_unowned" (
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "object_id" TEXT NOT NULL,
    "tx_hash" TEXT NOT NULL,
    "row_hash" UUID NOT NULL,
    "block_number" BIGINT NOT NULL,

    CONSTRAINT "event_unowned_pkey" PRIMARY KEY ("chain_id","product_type","object_id")
);

-- CreateTable
CREATE TABLE "app"."event_due" (
    "chain_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "claim_id" UUID NOT NULL,
    "seen" BIGINT,
    "resource" TEXT,
    "ordinal" INTEGER,

    CONSTRAINT "event_due_pkey" PRIMARY KEY ("chain_id","id")
);

-- CreateTable
CREATE TABLE "app"."event_chain" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "verified_block" BIGINT NOT NULL,

    CONSTRAINT "event_chain_pkey" PRIMARY KEY ("chain_id")
);

-- CreateIndex
CREATE INDEX "event_created_at_idx" ON "app"."event"("created_at");

-- CreateIndex
CREATE INDEX "event_memory_chain_id_block_number_idx" ON "app"."event_memory"("chain_id", "block_number");

-- CreateIndex
CREATE INDEX "event_memory_object_id_idx" ON "app"."event_memory"("object_id");

-- CreateIndex
CREATE INDEX "event_unowned_chain_id_block_number_idx" ON "app"."event_unowned"("chain_id", "block_number");

-- What follows Prisma's schema cannot say; its diff does not see it.

-- Rows come and go here: what is dead must not be read for long.
ALTER TABLE "app"."event_due" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- Who writes a claim changes what its key sees: the claims that unsettle() moves are those that the log compares next. They
-- are entered by the same statement, only where a claim was written: the archive's own calls change nothing that keys see.
DROP FUNCTION "app"."unsettle"(integer[], text[], uuid[]);
CREATE FUNCTION "app"."unsettle"("chains" integer[], "hashes" text[], "claims" uuid[], "written" boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    WITH moved AS (
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
        ON CONFLICT ("claim_id") DO UPDATE SET "tx_hash" = excluded."tx_hash", "ready_block" = NULL
        RETURNING u."chain_id", u."claim_id")
    INSERT INTO "app"."event_due" ("chain_id", "claim_id")
    SELECT m."chain_id", m."claim_id" FROM moved m WHERE "written";

    FOR i IN 1 .. coalesce(cardinality("hashes"), 0) LOOP
        DELETE FROM "app"."settled_order" s WHERE s."chain_id" = "chains"[i] AND s."tx_hash" = "hashes"[i];
        DELETE FROM "app"."settled_operation" s WHERE s."chain_id" = "chains"[i] AND s."tx_hash" = "hashes"[i];
    END LOOP;
    DELETE FROM "app"."settled_order" s WHERE s."claim_id" = ANY("claims");
    DELETE FROM "app"."settled_operation" s WHERE s."claim_id" = ANY("claims");
END
$$;

REVOKE ALL ON FUNCTION "app"."unsettle"(integer[], text[], uuid[], boolean) FROM PUBLIC;

CREATE OR REPLACE FUNCTION "app"."unsettle_claims"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = '' SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
    "chains" integer[];
    "hashes" text[];
    "claims" uuid[];
BEGIN
    -- Claims without a transaction concern no other claim, and nothing of new ones is settled: so every send begins.
    IF NOT EXISTS (SELECT 1 FROM "changed" n WHERE n."tx_hash" IS NOT NULL OR n."attribution_nonce" IS NOT NULL) THEN
        WITH moved AS (
            INSERT INTO "app"."unsettled_claim" ("claim_id", "key_id", "chain_id", "product_type")
            SELECT n."claim_id", n."key_id", n."chain_id", n."product_type" FROM "changed" n)
        INSERT INTO "app"."event_due" ("chain_id", "claim_id") SELECT n."chain_id", n."claim_id" FROM "changed" n;
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
    PERFORM "app"."unsettle"("chains", "hashes", "claims", true);
    RETURN NULL;
END
$$;

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
    PERFORM "app"."unsettle"("chains", "hashes", "claims", true);
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION "app"."unsettle_attributed"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM "app"."unsettle"(array_agg(n."chain_id"), array_agg(n."tx_hash"), ARRAY[]::uuid[], true) FROM "changed" n;
    RETURN NULL;
END
$$;
