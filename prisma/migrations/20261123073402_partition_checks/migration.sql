-- Partitions, step 2 of 5: what the first partitions promise, not checked yet, and the position of deliveries. Changes the
-- catalogue alone: a column with a constant default rewrites no row. Both tables are locked (ACCESS EXCLUSIVE) for that moment.

-- Waits at most 200 ms for the locks, so that whoever comes behind waits no longer, and tries again; from the thirtieth time on
-- 2 s, which is long enough for PostgreSQL to end an autovacuum that is in the way.
DO $$
BEGIN
    FOR "attempt" IN 1 .. 200 LOOP
        BEGIN
            PERFORM set_config('lock_timeout', CASE WHEN "attempt" < 30 THEN '200ms' ELSE '2s' END, true);
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

-- 10^10 positions are a day: the bound is that of 2024-01-01, which no counted position comes near.
ALTER TABLE "app"."event" ADD CONSTRAINT "event_first_partition_check"
    CHECK ("position" IS NOT NULL AND "position" < 197230000000000) NOT VALID;

CREATE SEQUENCE "app"."webhook_delivery_position_seq";
ALTER TABLE "app"."webhook_delivery" ADD COLUMN "position" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "app"."webhook_delivery"
    ALTER COLUMN "position" SET DEFAULT nextval('"app".webhook_delivery_position_seq'::regclass);
ALTER SEQUENCE "app"."webhook_delivery_position_seq" OWNED BY "app"."webhook_delivery"."position";
ALTER TABLE "app"."webhook_delivery" ADD CONSTRAINT "webhook_delivery_first_partition_check"
    CHECK ("position" IS NOT NULL AND "position" < 197230000000000) NOT VALID;

-- Whoever inserts deliveries takes a position from now on; grants.sql follows only after the last migration.
DO $$
DECLARE
    "grantee" text;
BEGIN
    FOR "grantee" IN
        SELECT a."grantee"::regrole::text FROM pg_class c, aclexplode(c.relacl) a
        WHERE c.oid = '"app"."webhook_delivery"'::regclass AND a.privilege_type = 'INSERT' AND a."grantee" <> c.relowner
    LOOP
        EXECUTE format('GRANT USAGE ON SEQUENCE "app"."webhook_delivery_position_seq" TO %s', "grantee");
    END LOOP;
END
$$;
