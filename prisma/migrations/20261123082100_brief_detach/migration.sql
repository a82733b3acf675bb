-- What is asked while a table is locked to detach a partition is one look-up in an index of that partition. Functions alone: no table is
-- locked.

-- Returns whether the newest row of a partition is younger than the retention.
CREATE FUNCTION "app"."partition_young"("this" text, "name" text, "days" integer) RETURNS boolean LANGUAGE plpgsql
SET search_path = '' SET enable_seqscan = off AS $$
DECLARE
    "young" boolean;
BEGIN
    EXECUTE format('SELECT max(%I) >= now() - make_interval(days => %s) FROM "app".%I',
        CASE "this" WHEN 'event' THEN 'created_at' ELSE 'event_at' END, "days", "name") INTO "young";
    RETURN coalesce("young", false);
END
$$;

-- Returns whether something pending needs a partition. Statistics that are out of date must not have it read from end to end.
CREATE FUNCTION "app"."partition_pending"("this" text, "name" text, "days" integer) RETURNS boolean LANGUAGE plpgsql
SET search_path = '' SET enable_seqscan = off AS $$
DECLARE
    "newest" timestamptz;
    "pending" boolean;
BEGIN
    IF "this" = 'event' THEN
        -- Deliveries read the event at each attempt. A week more is enough for what may be delivered at all.
        EXECUTE format('SELECT max("created_at") FROM "app".%I', "name") INTO "newest";
        IF NOT "app"."partition_young"("this", "name", "days" + 7) THEN
            RETURN false;
        END IF;
        RETURN EXISTS (
            SELECT FROM "app"."webhook" w CROSS JOIN LATERAL (
                SELECT min(d."event_at") AS "oldest" FROM "app"."webhook_delivery" d
                WHERE d."webhook_id" = w."webhook_id" AND d."state" = 'pending' OFFSET 0) q
            WHERE w."deleted_at" IS NULL AND w."disabled_at" IS NULL AND q."oldest" <= "newest");
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM "app".%I WHERE "state" = ''pending'')', "name") INTO "pending";
    RETURN "pending";
END
$$;

CREATE OR REPLACE FUNCTION "app"."detach_partition"("clock" timestamptz, "days" integer) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = '' SET lock_timeout = '200ms' AS $$
DECLARE
    "r" record;
    "last" bigint;
BEGIN
    PERFORM "app"."require_clock"("clock");
    IF "days" < 1 OR NOT pg_try_advisory_xact_lock(hashtextextended('app partitions', 0)) THEN
        RETURN NULL;
    END IF;
    FOR "r" IN SELECT * FROM "app"."partitions"() LOOP
        EXECUTE format('SELECT last_value FROM "app".%I', "r"."parent" || '_position_seq') INTO "last";
        CONTINUE WHEN "r"."upper" > "last" OR "app"."partition_young"("r"."parent", "r"."name", "days")
            OR "app"."partition_pending"("r"."parent", "r"."name", "days");
        EXECUTE format('LOCK TABLE ONLY "app".%I IN ACCESS EXCLUSIVE MODE', "r"."parent");
        EXECUTE format('LOCK TABLE "app".%I IN ACCESS EXCLUSIVE MODE', "r"."name");
        -- Asked again, now that nobody writes: a row may have been added, or a delivery revived. Deliveries of an event are not
        -- locked, so asking for them again would prove nothing.
        CONTINUE WHEN "app"."partition_young"("r"."parent", "r"."name", "days")
            OR ("r"."parent" <> 'event' AND "app"."partition_pending"("r"."parent", "r"."name", "days"));
        EXECUTE format('ALTER TABLE "app".%I DETACH PARTITION "app".%I', "r"."parent", "r"."name");
        IF "r"."parent" = 'event' THEN
            DELETE FROM "app"."event_mark" WHERE "position" <= "r"."upper";
        END IF;
        RETURN "r"."name";
    END LOOP;
    RETURN NULL;
END
$$;

DROP FUNCTION "app"."partition_needed"(text, text, integer);
REVOKE ALL ON FUNCTION "app"."partition_young"(text, text, integer), "app"."partition_pending"(text, text, integer) FROM PUBLIC;
