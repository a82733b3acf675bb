-- Requests that a restored backup lacked and that `wallets resume` re-creates from their transactions
-- (docs/operations/restore.md). Locks app.send_request against writes for the moment in which the foreign key is made.

-- CreateTable
CREATE TABLE "app"."recreated_request" (
    "request_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "idempotency_mac" BYTEA NOT NULL,
    "client_order_mac" BYTEA NOT NULL,

    CONSTRAINT "recreated_request_pkey" PRIMARY KEY ("request_id")
);

-- CreateIndex
CREATE INDEX "recreated_request_key_id_chain_id_product_type_idempotency__idx" ON "app"."recreated_request"("key_id", "chain_id", "product_type", "idempotency_mac");

-- CreateIndex
CREATE INDEX "recreated_request_key_id_chain_id_product_type_client_order_idx" ON "app"."recreated_request"("key_id", "chain_id", "product_type", "client_order_mac");

-- AddForeignKey
ALTER TABLE "app"."recreated_request" ADD CONSTRAINT "recreated_request_request_id_fkey" FOREIGN KEY ("request_id") REFERENCES "app"."send_request"("request_id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- What follows Prisma's schema cannot say; its diff does not see it.

-- Writes requests that the chain has and the database lacks, each with its claim and its MACs. It runs with the rights of its owner:
-- so the operator's role needs no right to make requests. Each is made with the nonce that it was sent with, so none is ever signed
-- by a worker that finds it. A cancel keeps its operation key where no other request has it by now.
CREATE FUNCTION "app"."recreate_requests"("requests" jsonb) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO "app"."send_request" ("request_id", "key_id", "chain_id", "product_type", "operation", "user_address", "wallet",
        "to_address", "call_data", "gas_limit", "deadline", "notional", "input_hash", "operation_key", "claim_id", "state", "nonce",
        "accepted_at", "signed_at", "broadcast_at")
    SELECT f."requestId", f."keyId", f."chainId", f."productType", f."operation", f."user", f."wallet", f."to",
        decode(substr(f."data", 3), 'hex'), f."gasLimit", f."deadline", f."notional", f."inputMac",
        CASE WHEN f."nonce" = max(f."nonce") OVER (PARTITION BY f."productType", f."operationKey") AND NOT EXISTS (
            SELECT FROM "app"."send_request" o
            WHERE o."chain_id" = f."chainId" AND o."product_type" = f."productType" AND o."operation_key" = f."operationKey")
        THEN f."operationKey" END,
        f."claimId", 'broadcast', f."nonce", f."sentAt", f."sentAt", f."sentAt"
    FROM jsonb_to_recordset("requests") AS f ("requestId" uuid, "keyId" uuid, "chainId" integer, "productType" text, "operation" text,
        "user" text, "wallet" text, "to" text, "data" text, "gasLimit" bigint, "deadline" bigint, "notional" numeric,
        "inputMac" text, "operationKey" text, "claimId" uuid, "nonce" bigint, "sentAt" timestamptz)
    ORDER BY f."nonce";
    INSERT INTO "app"."transaction_claim" ("claim_id", "key_id", "chain_id", "product_type", "operation_type", "source",
        "user_address", "created_at", "updated_at")
    SELECT f."claimId", f."keyId", f."chainId", f."productType", f."operationType", 'send', f."user", f."sentAt", f."sentAt"
    FROM jsonb_to_recordset("requests") AS f ("keyId" uuid, "chainId" integer, "productType" text, "user" text, "claimId" uuid,
        "operationType" "app"."operation_type", "sentAt" timestamptz)
    WHERE f."claimId" IS NOT NULL;
    INSERT INTO "app"."recreated_request" ("request_id", "key_id", "chain_id", "product_type", "idempotency_mac", "client_order_mac")
    SELECT f."requestId", f."keyId", f."chainId", f."productType", decode(substr(f."idempotencyMac", 3), 'hex'),
        decode(substr(f."clientOrderMac", 3), 'hex')
    FROM jsonb_to_recordset("requests") AS f ("requestId" uuid, "keyId" uuid, "chainId" integer, "productType" text,
        "idempotencyMac" text, "clientOrderMac" text);
END
$$;

REVOKE ALL ON FUNCTION "app"."recreate_requests"(jsonb) FROM PUBLIC;
