-- A key that is being rotated has two secrets: the previous one also works until a time.

-- AlterTable
ALTER TABLE "app"."api_key" ADD COLUMN     "previous_master_key_id" TEXT,
ADD COLUMN     "previous_secret_sealed" BYTEA,
ADD COLUMN     "previous_secret_until" TIMESTAMPTZ(3);

-- What follows Prisma's schema cannot say; its diff does not see it.

ALTER TABLE "app"."api_key"
    ADD CONSTRAINT "api_key_previous_secret_check" CHECK (octet_length("previous_secret_sealed") > 28),
    -- All of a previous secret is there, or none of it.
    ADD CONSTRAINT "api_key_previous_check" CHECK (num_nulls("previous_secret_sealed", "previous_master_key_id", "previous_secret_until") IN (0, 3));

-- Removes previous secrets whose overlap is over, and audits it. It runs with the rights of its owner: so the worker that
-- calls it needs no right to change keys or to write the audit log.
CREATE FUNCTION "app"."end_rotations"() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    ended integer;
BEGIN
    WITH "past" AS (
        UPDATE "app"."api_key" SET "previous_secret_sealed" = NULL, "previous_master_key_id" = NULL, "previous_secret_until" = NULL
        WHERE "previous_secret_until" <= now() RETURNING "api_key"
    )
    INSERT INTO "app"."audit_entry" ("actor", "action", "subject", "detail")
    SELECT 'worker', 'key.rotate.finish', "api_key", '{"overlap": "ended"}' FROM "past";
    GET DIAGNOSTICS ended = ROW_COUNT;
    RETURN ended;
END
$$;

REVOKE ALL ON FUNCTION "app"."end_rotations"() FROM PUBLIC;
