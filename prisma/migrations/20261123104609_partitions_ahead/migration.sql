-- Limits how many partitions one call makes: a wrong argument made thousands, which every statement would then lock. As in the
-- migration "partitions" otherwise. A function alone: no table is locked, and the worker of the version before asks for 4.
CREATE OR REPLACE FUNCTION "app"."make_partitions"("clock" timestamptz, "ahead" integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = '' SET lock_timeout = '200ms' AS $$
DECLARE
    "made" integer := 0;
    "this" text;
    "name" text;
    "first" bigint;
BEGIN
    IF "ahead" IS NULL OR "ahead" NOT BETWEEN 0 AND 52 THEN
        RAISE EXCEPTION 'partitions are made 0 to 52 weeks ahead, not %', "ahead" USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM "app"."require_clock"("clock");
    -- Another worker makes them.
    IF NOT pg_try_advisory_xact_lock(hashtextextended('app partitions', 0)) THEN
        RETURN 0;
    END IF;
    FOREACH "this" IN ARRAY ARRAY['event', 'webhook_delivery'] LOOP
        FOR "week" IN 0 .. "ahead" LOOP
            "first" := "app"."week_position"(clock_timestamp()) + "week" * 70000000000;
            "name" := "this" || '_p' || to_char(timestamp '1970-01-01' + make_interval(days => ("first" / 10000000000)::integer), 'YYYYMMDD');
            -- Before the first partition ends there is no other.
            CONTINUE WHEN "first" < 197230000000000 OR to_regclass(format('"app".%I', "name")) IS NOT NULL;
            EXECUTE format('CREATE TABLE "app".%I (LIKE "app".%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', "name", "this");
            -- Within a partition these are unique by an index, across them by the rows that are locked to give them out:
            -- app.event_head, and app.webhook for its cursor.
            IF "this" = 'event' THEN
                EXECUTE format('ALTER TABLE "app".%I ADD PRIMARY KEY ("key_id", "chain_id", "product_type", "sequence")', "name");
            ELSE
                EXECUTE format('ALTER TABLE "app".%I ADD UNIQUE ("webhook_id", "sequence")', "name");
            END IF;
            EXECUTE format('ALTER TABLE "app".%I ATTACH PARTITION "app".%I FOR VALUES FROM (%s) TO (%s)',
                "this", "name", "first", "first" + 70000000000);
            "made" := "made" + 1;
        END LOOP;
    END LOOP;
    RETURN "made";
END
$$;
