-- What a key's orders of a UTC day are worth together is counted as they are written, instead of summed up anew for each of them
-- (docs/sending.md#policies). A trigger counts, so the orders of the version before count too.

-- AlterTable
ALTER TABLE "app"."key_policy" ADD COLUMN "counted" DECIMAL(78,0),
ADD COLUMN "counted_day" DATE;

-- What follows Prisma's schema cannot say; its diff does not see it.

-- What does not count after all: few requests of a day.
CREATE INDEX IF NOT EXISTS "send_request_uncounted_idx" ON "app"."send_request"("key_id", "accepted_at") INCLUDE ("notional")
    WHERE "notional" IS NOT NULL AND ("state" IN ('failed', 'canceled') OR "outcome" = 'reverted');

-- Counts an order. Where no day of its key is counted, as for lack of a cap, it updates nothing, and waits for no other order.
CREATE FUNCTION "app"."count_notional"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('notional ' || NEW."key_id", 0));
    UPDATE "app"."key_policy" SET "counted" = "counted" + NEW."notional"
    WHERE "key_id" = NEW."key_id" AND "counted_day" = (NEW."accepted_at" AT TIME ZONE 'UTC')::date;
    RETURN NULL;
END
$$;

CREATE TRIGGER "send_request_notional" AFTER INSERT ON "app"."send_request"
    FOR EACH ROW WHEN (NEW."notional" IS NOT NULL) EXECUTE FUNCTION "app"."count_notional"();

-- Begins to count a day of a key, at what its orders of that day are worth so far. Where the key had no policy until now, an order
-- may be on its way without the policy's lock: it is waited for, or counts itself afterwards.
CREATE FUNCTION "app"."begin_notional"("policy_key" uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM FROM "app"."key_policy" WHERE "key_id" = "policy_key" FOR NO KEY UPDATE;
    PERFORM pg_advisory_xact_lock(hashtextextended('notional ' || "policy_key", 0));
    UPDATE "app"."key_policy" p SET "counted_day" = (now() AT TIME ZONE 'UTC')::date, "counted" = (
        SELECT coalesce(sum(r."notional"), 0) FROM "app"."send_request" r
        WHERE r."key_id" = "policy_key" AND r."accepted_at" >= date_trunc('day', now(), 'UTC'))
    WHERE p."key_id" = "policy_key" AND coalesce(p."counted_day" < (now() AT TIME ZONE 'UTC')::date, true);
END
$$;

REVOKE ALL ON FUNCTION "app"."begin_notional"(uuid) FROM PUBLIC;
