-- The worker holds keys to their daily caps by what it signed (docs/sending.md#policies), from rows that the api's role cannot write.
-- Takes a lock of app.send_request for a moment: it adds a column and two triggers, and reads no row.

-- AlterTable
ALTER TABLE "app"."send_request" ADD COLUMN "signed_notional" DECIMAL(78,0);

-- CreateTable
CREATE TABLE "app"."signed_total" (
    "key_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "total" DECIMAL(78,0) NOT NULL,

    CONSTRAINT "signed_total_pkey" PRIMARY KEY ("key_id")
);

-- AddForeignKey
ALTER TABLE "app"."signed_total" ADD CONSTRAINT "signed_total_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "app"."api_key"("key_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What follows Prisma's schema cannot say; its diff does not see it.

-- Counts what is signed, by whichever version of the worker, where a day of its key is counted. The version before does not write what it
-- is worth by its own valuation: then the api's counts.
CREATE FUNCTION "app"."count_signed"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('signed ' || NEW."key_id", 0));
    UPDATE "app"."signed_total" SET "total" = "total" + coalesce(NEW."signed_notional", NEW."notional")
    WHERE "key_id" = NEW."key_id" AND "day" = (NEW."signed_at" AT TIME ZONE 'UTC')::date;
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION "app"."count_signed"() FROM PUBLIC;

CREATE TRIGGER "send_request_signed" AFTER UPDATE OF "nonce" ON "app"."send_request"
    FOR EACH ROW WHEN (OLD."nonce" IS NULL AND NEW."nonce" IS NOT NULL AND coalesce(NEW."signed_notional", NEW."notional") IS NOT NULL)
    EXECUTE FUNCTION "app"."count_signed"();

-- What the api writes begins as accepted, now, and without anything that the worker alone finds out. What is signed is not the api's to end.
CREATE FUNCTION "app"."send_request_of_api"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_user <> 'partner_api' THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        IF OLD."nonce" IS NOT NULL THEN
            RAISE EXCEPTION 'send_request %: it is signed', OLD."request_id" USING ERRCODE = 'insufficient_privilege';
        END IF;
        RETURN NEW;
    END IF;
    IF NEW."state" <> 'accepted' OR NEW."accepted_at" < now() - interval '1 minute' OR num_nonnulls(NEW."nonce", NEW."tx_hash",
        NEW."fill_reason", NEW."mined_block", NEW."mined_block_hash", NEW."mined_success", NEW."mined_filler", NEW."outcome",
        NEW."signed_at", NEW."broadcast_at", NEW."mined_at", NEW."final_at", NEW."signed_notional") > 0 THEN
        RAISE EXCEPTION 'send_request %: a request begins as accepted', NEW."request_id" USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION "app"."send_request_of_api"() FROM PUBLIC;

CREATE TRIGGER "send_request_of_api" BEFORE INSERT OR UPDATE ON "app"."send_request"
    FOR EACH ROW EXECUTE FUNCTION "app"."send_request_of_api"();
