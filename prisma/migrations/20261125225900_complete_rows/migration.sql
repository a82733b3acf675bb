-- Refuses a database on which no worker of release 0.3.0 has written the rows of keys: the migrations behind this one drop what marks such a chain, and
-- what an older version answers from. It changes nothing.

DO $$
DECLARE
    "missing" text;
BEGIN
    SELECT string_agg(c."chain_id"::text, ', ' ORDER BY c."chain_id") INTO "missing" FROM "app"."event_chain" c WHERE NOT c."filled";
    IF "missing" IS NOT NULL THEN
        RAISE EXCEPTION 'the rows of chain % are not complete: run the worker of release 0.3.0 until "partner-trading-admin projection show" says "filled", then migrate again', "missing";
    END IF;
END
$$;
