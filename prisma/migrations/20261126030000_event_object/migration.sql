-- The object of an event is a column, written with the event. Deliveries of one object keep their order, and read it from there. Locks
-- app.event (reads, too) for the moment in which the catalogue changes; no row is read or written.

ALTER TABLE "app"."event" ADD COLUMN "object" TEXT;

-- The object of an event that has no such column yet, by what the event says, as release 0.3.0 has it: a mapping's number names an order or
-- operation before and after it is indexed. Events without any of these are ordered within their whole resource. PostgreSQL reads no
-- field of JSON that holds an escaped zero byte, as a token's symbol may; in a string, quotes are escaped. Once no event is older than this
-- migration, nothing reads it but the trigger below.
CREATE FUNCTION "app"."event_object"("resource" text, "data" json) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT "resource" || ' ' || CASE WHEN strpos("data"::text, '\u0000') = 0 THEN coalesce(
        "data" ->> 'requestId', "data" -> 'mapping' ->> 'mappingId', "data" ->> 'mappingId', "data" ->> 'webhookId',
        "data" ->> 'userAddress', '')
    ELSE coalesce(substring("data"::text FROM '"requestId":"([^"]*)"'), substring("data"::text FROM '"mappingId":"([^"]*)"'), '')
    END
$$;
REVOKE ALL ON FUNCTION "app"."event_object"(text, json) FROM PUBLIC;

-- Fills the column for whoever does not: the worker of release 0.3.0, and app.append_webhook_disabled.
CREATE FUNCTION "app"."set_event_object"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW."object" := "app"."event_object"(NEW."resource", NEW."data");
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION "app"."set_event_object"() FROM PUBLIC;

CREATE TRIGGER "event_object" BEFORE INSERT ON "app"."event" FOR EACH ROW
    WHEN (NEW."object" IS NULL) EXECUTE FUNCTION "app"."set_event_object"();
