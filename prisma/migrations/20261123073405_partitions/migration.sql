-- Partitions, step 5 of 5 (docs/decisions/2026-11-23-partitions.md): app.event and app.webhook_delivery become partitioned by position,
-- and the tables as they are their first partitions. No row is read, moved or checked again: what steps 2 to 4 have proved makes
-- each ATTACH a change of the catalogue. Both tables are locked (ACCESS EXCLUSIVE), and app.webhook against writes (SHARE ROW
-- EXCLUSIVE, for the foreign key), for some milliseconds. Names of tables and columns stay, so programs of the version before go on.

-- As in step 2.
DO $$
BEGIN
    FOR "attempt" IN 1 .. 200 LOOP
        BEGIN
            PERFORM set_config('lock_timeout', CASE WHEN "attempt" < 30 THEN '200ms' ELSE '2s' END, true);
            LOCK TABLE "app"."webhook" IN SHARE ROW EXCLUSIVE MODE;
            LOCK TABLE "app"."event", "app"."webhook_delivery" IN ACCESS EXCLUSIVE MODE;
            EXIT;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            IF "attempt" = 200 THEN
                RAISE;
            END IF;
            PERFORM pg_sleep(1);
        END;
    END LOOP;
END
$$;

-- The log of events.

-- The check proves it: no row is read.
ALTER TABLE "app"."event" ALTER COLUMN "position" SET NOT NULL;
ALTER TABLE "app"."event" RENAME TO "event_p00000000";
ALTER INDEX "app"."event_pkey" RENAME TO "event_p00000000_pkey";
ALTER INDEX "app"."event_created_at_idx" RENAME TO "event_p00000000_created_at_idx";
ALTER INDEX "app"."event_subject_idx" RENAME TO "event_p00000000_subject_idx";
ALTER INDEX "app"."event_chain_id_position_key" RENAME TO "event_p00000000_chain_id_position_key";
DROP INDEX "app"."event_chain_id_position_idx";

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
    "position" BIGINT NOT NULL DEFAULT nextval('"app".event_position_seq'::regclass)
) PARTITION BY RANGE ("position");

CREATE UNIQUE INDEX "event_chain_id_position_key" ON "app"."event"("chain_id", "position");
CREATE INDEX "event_created_at_idx" ON "app"."event"("created_at");
-- As in the migration "timeline".
CREATE INDEX "event_subject_idx" ON "app"."event"
    ("left"(coalesce("data" -> 'mapping' ->> 'mappingId', "data" ->> 'mappingId', "data" ->> 'requestId'), 36), "sequence")
    WHERE strpos("data"::text, '\u0000') = 0;

ALTER TABLE "app"."event" ATTACH PARTITION "app"."event_p00000000" FOR VALUES FROM (MINVALUE) TO (197230000000000);
ALTER TABLE "app"."event_p00000000" DROP CONSTRAINT "event_first_partition_check";
-- It must outlive the first partition.
ALTER SEQUENCE "app"."event_position_seq" OWNED BY "app"."event"."position";

-- Deliveries.

ALTER TABLE "app"."webhook_delivery" DROP CONSTRAINT "webhook_delivery_pkey";
ALTER TABLE "app"."webhook_delivery" ADD CONSTRAINT "webhook_delivery_p00000000_pkey"
    PRIMARY KEY USING INDEX "webhook_delivery_delivery_id_position_key";
ALTER TABLE "app"."webhook_delivery" RENAME TO "webhook_delivery_p00000000";
ALTER INDEX "app"."webhook_delivery_webhook_id_state_sequence_idx" RENAME TO "webhook_delivery_p00000000_state_idx";
ALTER INDEX "app"."webhook_delivery_event_at_idx" RENAME TO "webhook_delivery_p00000000_event_at_idx";
ALTER INDEX "app"."webhook_delivery_webhook_id_sequence_key" RENAME TO "webhook_delivery_p00000000_sequence_key";
ALTER INDEX "app"."webhook_delivery_due_idx" RENAME TO "webhook_delivery_p00000000_due_idx";
ALTER INDEX "app"."webhook_delivery_lease_idx" RENAME TO "webhook_delivery_p00000000_lease_idx";
ALTER INDEX "app"."webhook_delivery_object_idx" RENAME TO "webhook_delivery_p00000000_object_idx";

CREATE TABLE "app"."webhook_delivery" (
    "delivery_id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "webhook_id" UUID NOT NULL,
    "sequence" BIGINT NOT NULL,
    "event_id" UUID NOT NULL,
    "event_type" TEXT NOT NULL,
    "event_at" TIMESTAMPTZ(3) NOT NULL,
    "object" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "began_at" TIMESTAMPTZ(3),
    "next_at" TIMESTAMPTZ(3),
    "lease" UUID,
    "last_attempt_at" TIMESTAMPTZ(3),
    "last_status_code" INTEGER,
    "last_error" TEXT,
    "last_duration_ms" INTEGER,
    "ended_at" TIMESTAMPTZ(3),
    "position" BIGINT NOT NULL DEFAULT nextval('"app".webhook_delivery_position_seq'::regclass),

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("delivery_id","position"),
    CONSTRAINT "webhook_delivery_state_check" CHECK (
        "state" IN ('pending', 'delivered', 'dead')
        AND ("state" = 'pending') = ("ended_at" IS NULL)
        AND ("state" = 'pending' OR ("next_at" IS NULL AND "lease" IS NULL))
        AND ("lease" IS NULL OR ("next_at" IS NOT NULL AND "began_at" IS NOT NULL)))
) PARTITION BY RANGE ("position");

ALTER TABLE "app"."webhook_delivery" ADD CONSTRAINT "webhook_delivery_webhook_id_fkey" FOREIGN KEY ("webhook_id")
    REFERENCES "app"."webhook"("webhook_id") ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE INDEX "webhook_delivery_webhook_id_state_sequence_idx" ON "app"."webhook_delivery"("webhook_id", "state", "sequence");
CREATE INDEX "webhook_delivery_event_at_idx" ON "app"."webhook_delivery"("event_at");
-- As in the migration "webhooks".
CREATE INDEX "webhook_delivery_due_idx" ON "app"."webhook_delivery" ("webhook_id", "next_at")
    WHERE "state" = 'pending' AND "next_at" IS NOT NULL;
CREATE INDEX "webhook_delivery_lease_idx" ON "app"."webhook_delivery" ("webhook_id") WHERE "lease" IS NOT NULL;
CREATE INDEX "webhook_delivery_object_idx" ON "app"."webhook_delivery" ("webhook_id", "object", "sequence")
    WHERE "state" = 'pending';

ALTER TABLE "app"."webhook_delivery" ATTACH PARTITION "app"."webhook_delivery_p00000000"
    FOR VALUES FROM (MINVALUE) TO (197230000000000);
ALTER TABLE "app"."webhook_delivery_p00000000" DROP CONSTRAINT "webhook_delivery_first_partition_check";
ALTER SEQUENCE "app"."webhook_delivery_position_seq" OWNED BY "app"."webhook_delivery"."position";

-- Programs that run go on with the privileges that they had; partitions themselves are the owner's alone.
DO $$
DECLARE
    "parent" text;
    "r" record;
BEGIN
    FOREACH "parent" IN ARRAY ARRAY['event', 'webhook_delivery'] LOOP
        FOR "r" IN
            SELECT a.privilege_type AS "privilege", '' AS "columns", a.grantee::regrole::text AS "role"
            FROM pg_class c, aclexplode(c.relacl) a
            WHERE c.oid = format('"app".%I', "parent" || '_p00000000')::regclass AND a.grantee NOT IN (0, c.relowner)
            UNION ALL
            SELECT a.privilege_type, format(' (%I)', t.attname), a.grantee::regrole::text
            FROM pg_attribute t, aclexplode(t.attacl) a
            WHERE t.attrelid = format('"app".%I', "parent" || '_p00000000')::regclass AND a.grantee <> 0
        LOOP
            EXECUTE format('GRANT %s%s ON "app".%I TO %s', "r"."privilege", "r"."columns", "parent", "r"."role");
            EXECUTE format('REVOKE ALL ON "app".%I FROM %s', "parent" || '_p00000000', "r"."role");
        END LOOP;
    END LOOP;
END
$$;

-- The end of each log where a partition of events begins: whoever reads behind a sequence begins in the last partition whose
-- mark is not beyond it.
CREATE TABLE "app"."event_mark" (
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "position" BIGINT NOT NULL,
    "sequence" BIGINT NOT NULL,

    CONSTRAINT "event_mark_pkey" PRIMARY KEY ("key_id","chain_id","product_type","position")
);
DO $$
DECLARE
    "grantee" text;
BEGIN
    FOR "grantee" IN
        SELECT DISTINCT a."grantee"::regrole::text FROM pg_class c, aclexplode(c.relacl) a
        WHERE c.oid = '"app"."event"'::regclass AND a.privilege_type = 'SELECT' AND a."grantee" NOT IN (0, c.relowner)
    LOOP
        EXECUTE format('GRANT SELECT ON "app"."event_mark" TO %s', "grantee");
    END LOOP;
END
$$;

-- The worker's job (src/db/partitions.ts): it runs with the rights of the owner, so the worker needs none to make or drop tables.

-- Holds while the clocks of the caller and of the server agree to an hour: the time of one alone neither makes nor drops anything.
CREATE FUNCTION "app"."require_clock"("clock" timestamptz) RETURNS void LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    IF abs(extract(epoch FROM clock_timestamp() - "clock")) > 3600 THEN
        RAISE EXCEPTION 'the clocks of the worker (%) and of the database (%) differ by more than an hour', "clock", clock_timestamp();
    END IF;
END
$$;

-- Returns the position at which the week of a time begins: 10^10 positions a day, weeks begin on Monday, in UTC.
CREATE FUNCTION "app"."week_position"("at" timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE SET search_path = '' AS $$
    SELECT (d - mod(d - 4, 7)) * 10000000000 FROM floor(extract(epoch FROM "at") / 86400) AS f (n), LATERAL (SELECT n::bigint) AS b (d)
$$;

-- Returns the partitions of app.event and app.webhook_delivery that are attached, oldest first.
CREATE FUNCTION "app"."partitions"()
RETURNS TABLE ("parent" text, "name" text, "oid" oid, "lower" bigint, "upper" bigint)
LANGUAGE sql STABLE SET search_path = '' AS $$
    SELECT p.relname::text, c.relname::text, c.oid,
        substring(b.bound FROM 'FROM \(''?(-?[0-9]+)')::bigint, substring(b.bound FROM 'TO \(''?(-?[0-9]+)')::bigint
    FROM pg_catalog.pg_class p
    JOIN pg_catalog.pg_inherits i ON i.inhparent = p.oid
    JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid
    CROSS JOIN LATERAL (SELECT pg_catalog.pg_get_expr(c.relpartbound, c.oid) AS bound) b
    WHERE p.relnamespace = 'app'::regnamespace AND p.relname IN ('event', 'webhook_delivery') AND p.relkind = 'p'
    ORDER BY 1, 4 NULLS FIRST
$$;

-- Makes the partitions of this week and of those ahead that are missing. Attaching locks the parent against schema changes only, and
-- for deliveries app.webhook against writes.
CREATE FUNCTION "app"."make_partitions"("clock" timestamptz, "ahead" integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = '' SET lock_timeout = '200ms' AS $$
DECLARE
    "made" integer := 0;
    "this" text;
    "name" text;
    "first" bigint;
BEGIN
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

-- Moves the positions of both tables to this week's partition, once it is there. Until then rows go on into the one before: no row
-- is ever without a partition. Positions never go back, whatever clocks do.
CREATE FUNCTION "app"."enter_partitions"("clock" timestamptz) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = '' SET lock_timeout = '200ms' AS $$
DECLARE
    "entered" integer := 0;
    "r" record;
    "last" bigint;
BEGIN
    PERFORM "app"."require_clock"("clock");
    IF NOT pg_try_advisory_xact_lock(hashtextextended('app partitions', 0)) THEN
        RETURN 0;
    END IF;
    -- A sequence moves at once, also where the transaction is rolled back: so only into what is committed.
    FOR "r" IN
        SELECT p."parent", p."lower", format('"app".%I', p."parent" || '_position_seq') AS "positions" FROM "app"."partitions"() p
        JOIN pg_catalog.pg_class c ON c.oid = p."oid"
        WHERE p."lower" = "app"."week_position"(clock_timestamp()) AND c.xmin <> pg_current_xact_id()::xid
    LOOP
        EXECUTE format('SELECT last_value FROM %s', "r"."positions") INTO "last";
        CONTINUE WHEN "last" >= "r"."lower";
        IF "r"."parent" = 'event' THEN
            -- Whoever appends locks a row of it until the commit: so everybody's events are before this, or behind it.
            LOCK TABLE "app"."event_head" IN SHARE ROW EXCLUSIVE MODE;
            INSERT INTO "app"."event_mark" ("key_id", "chain_id", "product_type", "position", "sequence")
            SELECT h."key_id", h."chain_id", h."product_type", "r"."lower", h."sequence" FROM "app"."event_head" h;
        END IF;
        PERFORM setval("r"."positions"::regclass, "r"."lower");
        "entered" := "entered" + 1;
    END LOOP;
    RETURN "entered";
END
$$;

-- Returns why a partition of which nothing is written any more must stay; null where nothing in it is needed.
CREATE FUNCTION "app"."partition_needed"("this" text, "name" text, "days" integer) RETURNS text LANGUAGE plpgsql
SET search_path = '' AS $$
DECLARE
    "newest" timestamptz;
    "pending" boolean;
BEGIN
    EXECUTE format('SELECT max(%I) FROM "app".%I', CASE "this" WHEN 'event' THEN 'created_at' ELSE 'event_at' END, "name") INTO "newest";
    IF "newest" >= now() - make_interval(days => "days") THEN
        RETURN 'young';
    END IF;
    IF "this" = 'event' THEN
        -- Deliveries read the event at each attempt. A week more is enough for what may be delivered at all.
        SELECT "newest" >= now() - make_interval(days => "days" + 7) AND EXISTS (
            SELECT FROM "app"."webhook_delivery" d JOIN "app"."webhook" w ON w."webhook_id" = d."webhook_id"
            WHERE d."state" = 'pending' AND d."event_at" <= "newest" AND w."deleted_at" IS NULL AND w."disabled_at" IS NULL)
        INTO "pending";
    ELSE
        EXECUTE format('SELECT EXISTS (SELECT FROM "app".%I WHERE "state" = ''pending'')', "name") INTO "pending";
    END IF;
    RETURN CASE WHEN "pending" THEN 'pending' END;
END
$$;

-- Detaches the oldest partition in which nothing is needed: its rows are gone for readers. Locks its parent (ACCESS EXCLUSIVE) for
-- that moment, and waits at most 200 ms for it.
-- Returns its name, null where there is none. Fails with lock_not_available where somebody reads for longer.
CREATE FUNCTION "app"."detach_partition"("clock" timestamptz, "days" integer) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
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
        CONTINUE WHEN "r"."upper" > "last" OR "app"."partition_needed"("r"."parent", "r"."name", "days") IS NOT NULL;
        EXECUTE format('LOCK TABLE ONLY "app".%I IN ACCESS EXCLUSIVE MODE', "r"."parent");
        EXECUTE format('LOCK TABLE "app".%I IN ACCESS EXCLUSIVE MODE', "r"."name");
        -- Asked again, now that nobody writes: a delivery may have been revived.
        CONTINUE WHEN "app"."partition_needed"("r"."parent", "r"."name", "days") IS NOT NULL;
        EXECUTE format('ALTER TABLE "app".%I DETACH PARTITION "app".%I', "r"."parent", "r"."name");
        IF "r"."parent" = 'event' THEN
            DELETE FROM "app"."event_mark" WHERE "position" <= "r"."upper";
        END IF;
        RETURN "r"."name";
    END LOOP;
    RETURN NULL;
END
$$;

-- Drops what was detached, also by a worker that died then. Readers do not know these tables any more.
CREATE FUNCTION "app"."drop_detached_partitions"() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = '' SET lock_timeout = '200ms' AS $$
DECLARE
    "name" text;
    "dropped" integer := 0;
BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtextextended('app partitions', 0)) THEN
        RETURN 0;
    END IF;
    FOR "name" IN
        SELECT c.relname FROM pg_catalog.pg_class c
        WHERE c.relnamespace = 'app'::regnamespace AND c.relkind = 'r' AND NOT c.relispartition
            AND c.relname ~ '^(event|webhook_delivery)_p[0-9]{8}$'
    LOOP
        EXECUTE format('DROP TABLE "app".%I', "name");
        "dropped" := "dropped" + 1;
    END LOOP;
    RETURN "dropped";
END
$$;

-- Gives the planner the figures of both tables over all partitions, which autovacuum does not gather.
CREATE FUNCTION "app"."analyze_partitioned"() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    ANALYZE "app"."event", "app"."webhook_delivery";
END
$$;

REVOKE ALL ON FUNCTION "app"."require_clock"(timestamptz), "app"."week_position"(timestamptz), "app"."partitions"(),
    "app"."make_partitions"(timestamptz, integer), "app"."enter_partitions"(timestamptz),
    "app"."partition_needed"(text, text, integer), "app"."detach_partition"(timestamptz, integer),
    "app"."drop_detached_partitions"(), "app"."analyze_partitioned"() FROM PUBLIC;

SELECT "app"."make_partitions"(clock_timestamp(), 4);
