-- A request that the api writes has a value of at least 0, so that it frees nothing of a cap, and values that workers can read: one that they
-- cannot would stop its wallet for everybody. Replaces a function: no table is locked.
CREATE OR REPLACE FUNCTION "app"."send_request_of_api"() RETURNS trigger LANGUAGE plpgsql AS $$
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
    IF NEW."state" <> 'accepted' OR abs(extract(epoch FROM NEW."accepted_at" - now())) > 60 OR num_nonnulls(NEW."nonce", NEW."tx_hash",
        NEW."fill_reason", NEW."mined_block", NEW."mined_block_hash", NEW."mined_success", NEW."mined_filler", NEW."outcome",
        NEW."signed_at", NEW."broadcast_at", NEW."mined_at", NEW."final_at", NEW."signed_notional") > 0 THEN
        RAISE EXCEPTION 'send_request %: a request begins as accepted', NEW."request_id" USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- NaN is above every number.
    IF NEW."notional" NOT BETWEEN 0 AND 1e78 OR NEW."user_address" !~ '^0x[0-9a-f]{40}$' OR NEW."to_address" !~ '^0x[0-9a-f]{40}$' THEN
        RAISE EXCEPTION 'send_request %: a value has another form', NEW."request_id" USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END
$$;
