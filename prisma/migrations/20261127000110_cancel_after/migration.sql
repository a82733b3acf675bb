-- A dead man's switch for each key and scope (docs/sending.md#cancel-after). A new table: nothing is locked.

CREATE TABLE "app"."cancel_after" (
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "seconds" INTEGER,
    "cancel_at" TIMESTAMPTZ(3),
    "fired_at" TIMESTAMPTZ(3),
    "requested" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "err_code" TEXT,

    CONSTRAINT "cancel_after_pkey" PRIMARY KEY ("key_id","chain_id","product_type")
);

CREATE INDEX "cancel_after_cancel_at_idx" ON "app"."cancel_after"("cancel_at");

-- What follows Prisma's schema cannot say; its diff does not see it.

-- Carries a switch out that is due: writes the cancel of each order that is given and still open, for the key's user at the wallet of
-- the user's delegation, and disarms the switch, all or nothing. It runs with the rights of its owner: so the worker that calls it needs no
-- right to make requests, and can make no other. An order whose cancel is under way keeps that one.
-- Returns the number of requests written; null where the switch is not due, or the delegation is of another epoch: nothing is changed.
-- "sends" has objects {requestId, orderId, callData, gasLimit, inputHash}.
CREATE FUNCTION "app"."fire_cancel_after"("owner" uuid, "chain" integer, "product" text, "epoch_read" integer, "target" text,
    "sends" jsonb, "refused_count" integer, "cause" text) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
DECLARE
    "delegate" text;
    "bound" text;
    "written" integer := 0;
BEGIN
    SELECT k."user_address" INTO "bound" FROM "app"."api_key" k WHERE k."key_id" = "owner";
    IF jsonb_array_length("sends") > 0 THEN
        -- In the order of the transaction that arms: the delegation, then the switch.
        SELECT d."delegatee" INTO "delegate" FROM "app"."delegation" d
        WHERE d."chain_id" = "chain" AND d."product_type" = "product" AND d."user_address" = "bound"
            AND d."epoch" = "epoch_read" AND NOT d."blocked" FOR SHARE;
        IF NOT FOUND THEN RETURN NULL; END IF;
    END IF;
    PERFORM 1 FROM "app"."cancel_after" c
    WHERE c."key_id" = "owner" AND c."chain_id" = "chain" AND c."product_type" = "product"
        AND c."cancel_at" <= clock_timestamp() FOR UPDATE;
    IF NOT FOUND THEN RETURN NULL; END IF;
    INSERT INTO "app"."send_request" ("request_id", "key_id", "chain_id", "product_type", "operation", "user_address", "wallet",
        "to_address", "call_data", "gas_limit", "symbol", "input_hash", "operation_key")
    SELECT s."requestId", "owner", "chain", "product", 'orders/cancel', "bound", "delegate", "target", decode(substr(s."callData", 3), 'hex'),
        s."gasLimit", s."symbol", s."inputHash", 'cancel:' || s."orderId"
    FROM jsonb_to_recordset("sends") AS s ("requestId" uuid, "orderId" text, "callData" text, "gasLimit" bigint, "symbol" text,
        "inputHash" text)
    JOIN "app"."key_order" o ON o."key_id" = "owner" AND o."chain_id" = "chain" AND o."product_type" = "product"
        AND o."order_id" = s."orderId" AND o."user_address" = "bound" AND o."order_type" = 'Limit' AND o."on_chain_status" = 'open'
    -- executeFor(user, cancelLimitOrder(orderId)) has the id at this place.
    WHERE substr(s."callData", 3 + 2 * 104, 64) = substr(s."orderId", 3)
    -- As POST /orders/cancel/send writes them, so that the two cannot deadlock.
    ORDER BY o."created_at" DESC, o."claim_id" DESC, o."log_index" DESC
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS "written" = ROW_COUNT;
    UPDATE "app"."cancel_after" c SET "cancel_at" = NULL, "fired_at" = clock_timestamp(), "requested" = "written",
        "refused" = "refused_count", "err_code" = "cause"
    WHERE c."key_id" = "owner" AND c."chain_id" = "chain" AND c."product_type" = "product";
    RETURN "written";
END
$$;

REVOKE ALL ON FUNCTION "app"."fire_cancel_after"(uuid, integer, text, integer, text, jsonb, integer, text) FROM PUBLIC;
