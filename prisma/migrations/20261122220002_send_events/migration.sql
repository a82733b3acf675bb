-- Requests to send whose reply changed are entered into what the log of events compares next, in the statement that changes them
-- (docs/events.md). Locks app.send_request against writes for the moment in which the trigger is made.
--
-- Once for a statement: requests change in groups. What has not been broadcast is told by no event, and an entry has the request
-- in the place of a claim.
CREATE FUNCTION "app"."enter_sends"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO "app"."event_due" ("chain_id", "claim_id", "resource")
    SELECT n."chain_id", n."request_id", 'sends'
    FROM "before" o JOIN "after" n ON n."request_id" = o."request_id"
    WHERE n."state" NOT IN ('accepted', 'signed')
        AND (o."state", o."tx_hash", o."mined_success", o."mined_filler", o."outcome", o."err_code", o."revert")
            IS DISTINCT FROM (n."state", n."tx_hash", n."mined_success", n."mined_filler", n."outcome", n."err_code", n."revert");
    RETURN NULL;
END
$$;

CREATE TRIGGER "send_request_events" AFTER UPDATE ON "app"."send_request"
    REFERENCING OLD TABLE AS "before" NEW TABLE AS "after" FOR EACH STATEMENT EXECUTE FUNCTION "app"."enter_sends"();
