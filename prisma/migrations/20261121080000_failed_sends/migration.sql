-- A send that failed for good says so in its claim, where it was dropped, or lived again as pending, before.

UPDATE "app"."transaction_claim" c SET "state" = 'reverted', "updated_at" = now()
FROM "app"."send_request" r
WHERE r."claim_id" = c."claim_id" AND r."state" IN ('failed', 'canceled') AND c."state" IN ('dropped', 'pending');
