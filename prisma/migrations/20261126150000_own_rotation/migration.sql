-- A partner rotates the secret of its own key (docs/authentication.md#rotating-your-secret). A new function: nothing is locked.

-- Gives the calling key a second secret, and audits it. It runs with the rights of its owner: the api that calls it may not change keys or
-- write the audit log. `seen` is the revision that the request was checked against, `by_previous` says which of the key's secrets signed it.
-- That one keeps working until the overlap is over, and never for longer than was said before; any third secret ends.
-- Outcomes: rotated; limited: as often in the last hour as is allowed, until `at`; changed: the key is not as the request was checked.
CREATE FUNCTION "app"."rotate_own_secret"("key" uuid, "seen" integer, "by_previous" boolean, "sealed" bytea, "master" text,
    "overlap_seconds" integer, OUT "outcome" text, OUT "at" timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    k "app"."api_key";
    -- The lock is waited for: the transaction's time is before it.
    clock timestamptz(3);
BEGIN
    IF coalesce("overlap_seconds" NOT BETWEEN 300 AND 604800, true) THEN
        RAISE EXCEPTION 'an overlap is from 300 to 604800 seconds';
    END IF;
    SELECT * INTO k FROM "app"."api_key" o WHERE o."key_id" = "key" FOR UPDATE;
    clock := clock_timestamp();
    IF k."revision" IS DISTINCT FROM "seen" OR NOT k."active" OR k."access" <> 'WRITABLE' OR k."expires_at" <= clock
        OR ("by_previous" AND coalesce(k."previous_secret_until" <= clock, true)) THEN
        "outcome" := 'changed';
        RETURN;
    END IF;
    -- Its own rotations alone: those of the operator count for nobody.
    SELECT a."created_at" + INTERVAL '1 hour' INTO "at" FROM "app"."audit_entry" a
    WHERE a."subject" = k."api_key" AND a."action" = 'key.rotate' AND a."actor" = k."api_key" AND a."created_at" > clock - INTERVAL '1 hour'
    ORDER BY a."created_at" DESC OFFSET 4 LIMIT 1;
    IF FOUND THEN
        "outcome" := 'limited';
        RETURN;
    END IF;
    "outcome" := 'rotated';
    "at" := clock + make_interval(secs => "overlap_seconds");
    IF "by_previous" THEN
        "at" := least("at", k."previous_secret_until");
        UPDATE "app"."api_key" SET "secret_sealed" = "sealed", "master_key_id" = "master", "previous_secret_until" = "at"
        WHERE "key_id" = "key";
    ELSE
        UPDATE "app"."api_key" SET "previous_secret_sealed" = "secret_sealed", "previous_master_key_id" = "master_key_id",
            "previous_secret_until" = "at", "secret_sealed" = "sealed", "master_key_id" = "master"
        WHERE "key_id" = "key";
    END IF;
    INSERT INTO "app"."audit_entry" ("actor", "action", "subject", "detail", "created_at")
    VALUES (k."api_key", 'key.rotate', k."api_key", jsonb_build_object('keyId', "key", 'masterKeyId', "master", 'previousUntil', "at",
        'signedBy', CASE WHEN "by_previous" THEN 'previous' ELSE 'current' END), clock);
END
$$;

REVOKE ALL ON FUNCTION "app"."rotate_own_secret"(uuid, integer, boolean, bytea, text, integer) FROM PUBLIC;
