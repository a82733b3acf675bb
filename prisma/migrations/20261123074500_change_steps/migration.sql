-- Larger random steps. After a failover that lost commits, a standby that has them must not come to the sum of the new primary:
-- reads of replicas compare the two (docs/decisions/2026-11-23-read-replicas.md). A slot lasts for 10^10 changes.
CREATE OR REPLACE FUNCTION "app"."count_change"("chain" integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    "free" bigint;
    "step" bigint := 1 + floor(random() * 1000000000)::bigint;
    "counted" text := 'partner.counted_' || "chain";
BEGIN
    IF current_setting("counted", true) = 'yes' THEN
        RETURN;
    END IF;
    SELECT c."slot" INTO "free" FROM "app"."claim_change" c WHERE c."chain_id" = "chain"
    ORDER BY c."slot" LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
    IF FOUND THEN
        UPDATE "app"."claim_change" c SET "changes" = c."changes" + "step" WHERE c."chain_id" = "chain" AND c."slot" = "free";
    ELSE
        INSERT INTO "app"."claim_change" ("chain_id", "changes") VALUES ("chain", "step");
    END IF;
    PERFORM set_config("counted", 'yes', true);
END
$$;
