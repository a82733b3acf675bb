-- Retired wallets whose users are undelegated on the chain, and how far that is (docs/sending.md#retiring-a-wallet).

-- CreateTable
CREATE TABLE "app"."wallet_retirement" (
    "chain_id" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "retired_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "pass" INTEGER NOT NULL DEFAULT 1,
    "after_product" TEXT NOT NULL DEFAULT '',
    "after_user" TEXT NOT NULL DEFAULT '',
    "checked" INTEGER NOT NULL DEFAULT 0,
    "delegated" INTEGER NOT NULL DEFAULT 0,
    "pass_block" BIGINT,
    "clear_block" BIGINT,
    "run" BIGINT NOT NULL DEFAULT 0,
    "next_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "wallet_retirement_pkey" PRIMARY KEY ("chain_id","address")
);

-- AddForeignKey
ALTER TABLE "app"."wallet_retirement" ADD CONSTRAINT "wallet_retirement_chain_id_address_fkey" FOREIGN KEY ("chain_id", "address") REFERENCES "app"."delegatee_wallet"("chain_id", "address") ON DELETE CASCADE ON UPDATE RESTRICT;

-- Wallets that were retired before: their users were disabled here, and are delegated on the chain still.
INSERT INTO "app"."wallet_retirement" ("chain_id", "address")
SELECT "chain_id", "address" FROM "app"."delegatee_wallet" WHERE NOT "assignable";

-- What follows Prisma's schema cannot say; its diff does not see it.

-- Queues `undelegateFor(user)` at a retired wallet, for the key of the user's newest enable of that wallet and to its contract. It
-- runs with the rights of its owner: so the worker that calls it needs no right to make requests, and can make no other.
-- Returns false where the wallet is not retired, the user never enabled it, or the operation key is taken.
CREATE FUNCTION "app"."queue_undelegation"("request" uuid, "chain" integer, "product" text, "delegator" text, "retired" text,
    "gas" bigint, "hash" text, "operation" text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = '' AS $$
BEGIN
    INSERT INTO "app"."send_request" ("request_id", "key_id", "chain_id", "product_type", "operation", "user_address",
        "wallet", "to_address", "call_data", "gas_limit", "input_hash", "operation_key")
    SELECT "request", e."key_id", "chain", "product", '1ct/disable', "delegator", "retired", e."to_address",
        '\xb1ee33e1000000000000000000000000'::bytea || decode(substr("delegator", 3), 'hex'), "gas", "hash",
        "queue_undelegation"."operation"
    FROM "app"."send_request" e
    WHERE e."chain_id" = "chain" AND e."wallet" = "retired" AND e."product_type" = "product" AND e."user_address" = "delegator"
        AND e."operation" = '1ct/enable'
        AND EXISTS (SELECT 1 FROM "app"."wallet_retirement" r WHERE r."chain_id" = "chain" AND r."address" = "retired")
    ORDER BY e."sequence" DESC LIMIT 1
    ON CONFLICT DO NOTHING;
    RETURN FOUND;
END
$$;

REVOKE ALL ON FUNCTION "app"."queue_undelegation"(uuid, integer, text, text, text, bigint, text, text) FROM PUBLIC;
