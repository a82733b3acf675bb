-- What the log of events last said of delegations, and triggers that find those that changed here (docs/events.md). Locks
-- app.delegation against writes for the moment in which its trigger is made.

-- CreateTable
CREATE TABLE "app"."event_delegation" (
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "key_id" UUID NOT NULL,
    "user_address" TEXT NOT NULL,
    "event_id" UUID,
    "type" TEXT,
    "data_hash" UUID NOT NULL,
    "nonce" BIGINT NOT NULL,
    "row_hash" UUID,

    CONSTRAINT "event_delegation_pkey" PRIMARY KEY ("chain_id","product_type","key_id")
);

-- What follows Prisma's schema cannot say; its diff does not see it.

-- A delegation is a status for each key that ever enabled it; an entry has the key in the place of a claim.
CREATE OR REPLACE FUNCTION "app"."enter_sends"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO "app"."event_due" ("chain_id", "claim_id", "resource")
    SELECT n."chain_id", n."request_id", 'sends'
    FROM "before" o JOIN "after" n ON n."request_id" = o."request_id"
    WHERE n."state" NOT IN ('accepted', 'signed')
        AND (o."state", o."tx_hash", o."mined_success", o."mined_filler", o."outcome", o."err_code", o."revert")
            IS DISTINCT FROM (n."state", n."tx_hash", n."mined_success", n."mined_filler", n."outcome", n."err_code", n."revert");
    IF EXISTS (SELECT 1 FROM "after" n WHERE n."operation" IN ('1ct/enable', '1ct/disable')) THEN
        INSERT INTO "app"."event_due" ("chain_id", "claim_id", "resource")
        SELECT DISTINCT n."chain_id", e."key_id", '1ct/status'
        FROM "after" n CROSS JOIN LATERAL (
            SELECT e."key_id" FROM "app"."send_request" e
            WHERE e."chain_id" = n."chain_id" AND e."product_type" = n."product_type"
                AND e."user_address" = n."user_address" AND e."operation" = '1ct/enable' OFFSET 0) e
        WHERE n."operation" IN ('1ct/enable', '1ct/disable');
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION "app"."enter_delegations"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO "app"."event_due" ("chain_id", "claim_id", "resource")
    SELECT DISTINCT n."chain_id", e."key_id", '1ct/status'
    FROM "after" n CROSS JOIN LATERAL (
        SELECT e."key_id" FROM "app"."send_request" e
        WHERE e."chain_id" = n."chain_id" AND e."product_type" = n."product_type"
            AND e."user_address" = n."user_address" AND e."operation" = '1ct/enable' OFFSET 0) e;
    RETURN NULL;
END
$$;

CREATE TRIGGER "delegation_events" AFTER UPDATE ON "app"."delegation"
    REFERENCING NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "app"."enter_delegations"();
