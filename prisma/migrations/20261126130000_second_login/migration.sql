-- Actions that cannot be undone may need two logins (docs/DATABASE.md#two-people): who begins one leaves a request, and the same action of
-- another login within ten minutes confirms it. Locks app.api_key, app.dashboard_user, app.delegatee_wallet, app.wallet_retirement (writes)
-- and app.audit_entry (reads, too) for the moment in which the catalogue changes.

-- The actions that need it. The owner enters them: who is confined by a rule does not lift it.
CREATE TABLE "app"."second_login" (
    "action" TEXT NOT NULL,
    CONSTRAINT "second_login_pkey" PRIMARY KEY ("action"),
    CONSTRAINT "second_login_action" CHECK ("action" IN ('key.revoke', 'dashboard-users revoke', 'wallets retire'))
);

CREATE TABLE "app"."action_request" (
    "request_id" BIGSERIAL NOT NULL,
    "action" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "requested_by" TEXT NOT NULL DEFAULT session_user,
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    "confirmed_by" TEXT,
    "confirmed_at" TIMESTAMPTZ(3),
    CONSTRAINT "action_request_pkey" PRIMARY KEY ("request_id"),
    CONSTRAINT "action_request_whole" CHECK (("confirmed_by" IS NULL) = ("confirmed_at" IS NULL)),
    CONSTRAINT "action_request_other" CHECK ("confirmed_by" <> "requested_by"),
    CONSTRAINT "action_request_in_time" CHECK ("confirmed_at" <= "requested_at" + INTERVAL '10 minutes')
);
CREATE INDEX "action_request_open" ON "app"."action_request" ("action", "subject") WHERE "confirmed_at" IS NULL;

-- Confirms the requests of other logins, or refuses the action. Both are operators by logins of their own: partner_operator itself is
-- nobody. SQLSTATE PT002; the message ends with what src/auth/second-login.ts reads.
CREATE FUNCTION "app"."confirm_action"("asked" text, "object" text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM "app"."second_login" s WHERE s."action" = "asked") THEN
        RETURN;
    END IF;
    UPDATE "app"."action_request" r SET "confirmed_by" = session_user, "confirmed_at" = clock_timestamp()
    WHERE r."action" = "asked" AND r."subject" = "object" AND r."confirmed_at" IS NULL
        AND r."requested_by" NOT IN (session_user, 'partner_operator')
        AND r."requested_at" > clock_timestamp() - INTERVAL '10 minutes'
        AND session_user <> 'partner_operator' AND pg_has_role(session_user, 'partner_operator', 'MEMBER');
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'PT002',
            MESSAGE = 'needs a second login: ' || json_build_object('action', "asked", 'subject', "object");
    END IF;
END
$$;
REVOKE ALL ON FUNCTION "app"."confirm_action"(text, text) FROM PUBLIC;

-- Confirms a change of a row: the arguments are the action, and the columns that make its subject. In the transaction of the change, so a
-- statement by hand is confined, too.
CREATE FUNCTION "app"."confirm_change"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    PERFORM "app"."confirm_action"(TG_ARGV[0], (
        SELECT string_agg(to_jsonb(NEW) ->> TG_ARGV[n], ':' ORDER BY n) FROM generate_series(1, TG_NARGS - 1) n));
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION "app"."confirm_change"() FROM PUBLIC;
CREATE TRIGGER "api_key_second_login" BEFORE UPDATE OF "revoked_at" ON "app"."api_key" FOR EACH ROW
    WHEN (OLD."revoked_at" IS NULL AND NEW."revoked_at" IS NOT NULL)
    EXECUTE FUNCTION "app"."confirm_change"('key.revoke', 'api_key');
CREATE TRIGGER "dashboard_user_second_login" BEFORE UPDATE OF "revoked_at" ON "app"."dashboard_user" FOR EACH ROW
    WHEN (OLD."revoked_at" IS NULL AND NEW."revoked_at" IS NOT NULL)
    EXECUTE FUNCTION "app"."confirm_change"('dashboard-users revoke', 'name');
CREATE TRIGGER "delegatee_wallet_second_login" BEFORE UPDATE OF "assignable" ON "app"."delegatee_wallet" FOR EACH ROW
    WHEN (OLD."assignable" AND NOT NEW."assignable")
    EXECUTE FUNCTION "app"."confirm_change"('wallets retire', 'chain_id', 'address');

-- Workers undelegate the users of a wallet that has a row here: it has one when it takes no users any more.
CREATE FUNCTION "app"."confirm_retirement"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    IF EXISTS (SELECT FROM "app"."delegatee_wallet" w
        WHERE w."chain_id" = NEW."chain_id" AND w."address" = NEW."address" AND w."assignable") THEN
        PERFORM "app"."confirm_action"('wallets retire', NEW."chain_id" || ':' || NEW."address");
    END IF;
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION "app"."confirm_retirement"() FROM PUBLIC;
CREATE TRIGGER "wallet_retirement_second_login" BEFORE INSERT OR UPDATE OF "chain_id", "address" ON "app"."wallet_retirement" FOR EACH ROW
    EXECUTE FUNCTION "app"."confirm_retirement"();

-- An entry has both logins: whose request its transaction confirmed, and who confirmed it.
ALTER TABLE "app"."audit_entry" ADD COLUMN "requested_by" TEXT;
CREATE OR REPLACE FUNCTION "app"."sign_audit_entry"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    NEW."login" := session_user;
    NEW."requested_by" := (
        SELECT string_agg(DISTINCT r."requested_by", ', ') FROM "app"."action_request" r
        WHERE r."action" = NEW."action" AND r."subject" = NEW."subject" AND r."confirmed_by" = session_user
            AND r."confirmed_at" >= date_trunc('milliseconds', now()));
    RETURN NEW;
END
$$;
