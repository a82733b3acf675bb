-- Requests of keys that were refused or wrote something (docs/dashboards.md#requests): partitioned by day of their time, in UTC. A new
-- table and functions alone: nothing is locked.

CREATE TABLE "app"."request_log" (
    "uuid" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "status" INTEGER NOT NULL,
    "err_code" TEXT,
    "field" TEXT,
    "revert" TEXT,
    "duration_ms" INTEGER NOT NULL,
    "request_id" UUID,
    "tx_hash" TEXT,

    CONSTRAINT "request_log_pkey" PRIMARY KEY ("uuid","at")
) PARTITION BY RANGE ("at");

-- CreateIndex
CREATE INDEX "request_log_at_uuid_idx" ON "app"."request_log"("at", "uuid");

-- CreateIndex
CREATE INDEX "request_log_key_id_at_uuid_idx" ON "app"."request_log"("key_id", "at", "uuid");

-- Returns the partitions of app.request_log, oldest first, with the day (UTC) that each one holds.
CREATE FUNCTION "app"."request_partitions"() RETURNS TABLE ("name" text, "day" date) LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT c.relname::text, to_date(right(c.relname, 8), 'YYYYMMDD')
    FROM pg_catalog.pg_inherits i JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'app.request_log'::regclass AND c.relname ~ '^request_log_p[0-9]{8}$'
    ORDER BY 1
$$;

-- Makes the partitions that are missing of yesterday, today and the days ahead, as app.make_partitions does for weeks.
CREATE FUNCTION "app"."make_request_partitions"("clock" timestamptz, "ahead" integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = '' SET lock_timeout = '200ms' AS $$
DECLARE
    "made" integer := 0;
    "name" text;
    "first" timestamp;
BEGIN
    IF "ahead" IS NULL OR "ahead" NOT BETWEEN 0 AND 60 THEN
        RAISE EXCEPTION 'partitions are made 0 to 60 days ahead, not %', "ahead" USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM "app"."require_clock"("clock");
    IF NOT pg_try_advisory_xact_lock(hashtextextended('app partitions', 0)) THEN
        RETURN 0;
    END IF;
    FOR "n" IN -1 .. "ahead" LOOP
        "first" := date_trunc('day', clock_timestamp() AT TIME ZONE 'UTC') + make_interval(days => "n");
        "name" := 'request_log_p' || to_char("first", 'YYYYMMDD');
        CONTINUE WHEN to_regclass(format('"app".%I', "name")) IS NOT NULL;
        EXECUTE format('CREATE TABLE "app".%I (LIKE "app"."request_log" INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', "name");
        EXECUTE format('ALTER TABLE "app"."request_log" ATTACH PARTITION "app".%I FOR VALUES FROM (%L) TO (%L)',
            "name", "first" AT TIME ZONE 'UTC', ("first" + interval '1 day') AT TIME ZONE 'UTC');
        "made" := "made" + 1;
    END LOOP;
    RETURN "made";
END
$$;

-- Drops the partitions whose last row is older than the retention. Locks app.request_log (ACCESS EXCLUSIVE) for that moment, and waits
-- at most 200 ms for it. Fails with lock_not_available where somebody reads for longer.
CREATE FUNCTION "app"."drop_request_partitions"("clock" timestamptz, "days" integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = '' SET lock_timeout = '200ms' AS $$
DECLARE
    "dropped" integer := 0;
    "r" record;
BEGIN
    PERFORM "app"."require_clock"("clock");
    IF "days" < 1 OR NOT pg_try_advisory_xact_lock(hashtextextended('app partitions', 0)) THEN
        RETURN 0;
    END IF;
    FOR "r" IN
        SELECT p."name" FROM "app"."request_partitions"() p
        WHERE p."day" + 1 <= (clock_timestamp() AT TIME ZONE 'UTC')::date - "days"
    LOOP
        LOCK TABLE ONLY "app"."request_log" IN ACCESS EXCLUSIVE MODE;
        EXECUTE format('DROP TABLE "app".%I', "r"."name");
        "dropped" := "dropped" + 1;
    END LOOP;
    RETURN "dropped";
END
$$;

REVOKE ALL ON FUNCTION "app"."request_partitions"(), "app"."make_request_partitions"(timestamptz, integer),
    "app"."drop_request_partitions"(timestamptz, integer) FROM PUBLIC;

SELECT "app"."make_request_partitions"(clock_timestamp(), 7);
