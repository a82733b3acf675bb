-- Who wrote an entry, as PostgreSQL knows it: `actor` is what the command says. Each operator has a login (docs/DATABASE.md). Locks
-- app.audit_entry (reads, too) for the moment in which the catalogue changes; entries of before have none.

ALTER TABLE "app"."audit_entry" ADD COLUMN "login" TEXT;

CREATE FUNCTION "app"."sign_audit_entry"() RETURNS trigger LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    NEW."login" := session_user;
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION "app"."sign_audit_entry"() FROM PUBLIC;

CREATE TRIGGER "audit_entry_login" BEFORE INSERT ON "app"."audit_entry" FOR EACH ROW EXECUTE FUNCTION "app"."sign_audit_entry"();
