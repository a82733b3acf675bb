-- Events are removed from the front of the log alone (docs/operations/partitions.md): a partition that stays keeps those behind it. The
-- times of its rows follow the database's clock, which may have been ahead for a while, while a reader goes on behind a sequence. Without
-- this, a younger partition could go before an older one, and a cursor between them would pass over its events. A function alone: no
-- table is locked.

CREATE OR REPLACE FUNCTION "app"."detach_partition"("clock" timestamptz, "days" integer) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = '' SET lock_timeout = '200ms' AS $$
DECLARE
    "r" record;
    "last" bigint;
    "kept" boolean := false;
BEGIN
    PERFORM "app"."require_clock"("clock");
    IF "days" < 1 OR NOT pg_try_advisory_xact_lock(hashtextextended('app partitions', 0)) THEN
        RETURN NULL;
    END IF;
    FOR "r" IN SELECT * FROM "app"."partitions"() LOOP
        CONTINUE WHEN "kept" AND "r"."parent" = 'event';
        "kept" := "kept" OR "r"."parent" = 'event';
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
