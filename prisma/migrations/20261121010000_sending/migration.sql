-- Sending on a user's behalf, exactly once: what must hold is said to the database, so that no mistake in the code
-- can break it. A nonce belongs to one request for ever; every attempt of a request has the request's nonce.

-- CreateTable
CREATE TABLE "app"."delegatee_wallet" (
    "chain_id" INTEGER NOT NULL,
    "address" TEXT NOT NULL,
    "next_nonce" BIGINT,
    "state" TEXT NOT NULL DEFAULT 'active',
    "state_reason" TEXT,
    "assignable" BOOLEAN NOT NULL DEFAULT true,
    "lease_owner" TEXT,
    "lease_epoch" BIGINT NOT NULL DEFAULT 0,
    "lease_until" TIMESTAMPTZ(3),
    "balance_wei" DECIMAL(78,0),
    "chain_nonce" BIGINT,
    "observed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "delegatee_wallet_pkey" PRIMARY KEY ("chain_id","address")
);

-- CreateTable
CREATE TABLE "app"."delegation" (
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "user_address" TEXT NOT NULL,
    "delegatee" TEXT NOT NULL,
    "blocked" BOOLEAN NOT NULL DEFAULT false,
    "epoch" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "delegation_pkey" PRIMARY KEY ("chain_id","product_type","user_address")
);

-- CreateTable
CREATE TABLE "app"."key_policy" (
    "key_id" UUID NOT NULL,
    "daily_notional_cap" DECIMAL(78,0),
    "allowed_symbols" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "allowed_operations" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "expires_at" TIMESTAMPTZ(3),
    "killed" BOOLEAN NOT NULL DEFAULT false,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "key_policy_pkey" PRIMARY KEY ("key_id")
);

-- CreateTable
CREATE TABLE "app"."send_request" (
    "request_id" UUID NOT NULL,
    "sequence" BIGSERIAL NOT NULL,
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "user_address" TEXT NOT NULL,
    "wallet" TEXT NOT NULL,
    "to_address" TEXT NOT NULL,
    "call_data" BYTEA NOT NULL,
    "gas_limit" BIGINT NOT NULL,
    "deadline" BIGINT,
    "notional" DECIMAL(78,0),
    "symbol" TEXT,
    "idempotency_key" TEXT,
    "input_hash" TEXT NOT NULL,
    "client_order_id" TEXT,
    "operation_key" TEXT,
    "delegation_epoch" INTEGER,
    "claim_id" UUID,
    "state" TEXT NOT NULL DEFAULT 'accepted',
    "nonce" BIGINT,
    "tx_hash" TEXT,
    "fill_reason" TEXT,
    "mined_block" BIGINT,
    "mined_block_hash" TEXT,
    "mined_success" BOOLEAN,
    "mined_filler" BOOLEAN,
    "outcome" TEXT,
    "err_code" TEXT,
    "revert" TEXT,
    "reason" TEXT,
    "accepted_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "signed_at" TIMESTAMPTZ(3),
    "broadcast_at" TIMESTAMPTZ(3),
    "mined_at" TIMESTAMPTZ(3),
    "final_at" TIMESTAMPTZ(3),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "send_request_pkey" PRIMARY KEY ("request_id")
);

-- CreateTable
CREATE TABLE "app"."send_attempt" (
    "attempt_id" BIGSERIAL NOT NULL,
    "request_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "wallet" TEXT NOT NULL,
    "nonce" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "gas_limit" BIGINT NOT NULL,
    "max_fee_per_gas" DECIMAL(78,0) NOT NULL,
    "max_priority_fee" DECIMAL(78,0) NOT NULL,
    "signed_bytes" BYTEA,
    "tx_hash" TEXT,
    "broadcasts" INTEGER NOT NULL DEFAULT 0,
    "taken" INTEGER NOT NULL DEFAULT 0,
    "answer" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "first_broadcast_at" TIMESTAMPTZ(3),
    "last_broadcast_at" TIMESTAMPTZ(3),

    CONSTRAINT "send_attempt_pkey" PRIMARY KEY ("attempt_id")
);

-- CreateIndex
CREATE INDEX "send_request_chain_id_wallet_state_sequence_idx" ON "app"."send_request"("chain_id", "wallet", "state", "sequence");

-- CreateIndex
CREATE INDEX "send_request_key_id_accepted_at_idx" ON "app"."send_request"("key_id", "accepted_at");

-- CreateIndex
CREATE UNIQUE INDEX "send_request_chain_id_wallet_nonce_key" ON "app"."send_request"("chain_id", "wallet", "nonce");

-- CreateIndex
CREATE UNIQUE INDEX "send_request_key_id_chain_id_product_type_idempotency_key_key" ON "app"."send_request"("key_id", "chain_id", "product_type", "idempotency_key");

-- CreateIndex
CREATE UNIQUE INDEX "send_request_key_id_chain_id_product_type_client_order_id_key" ON "app"."send_request"("key_id", "chain_id", "product_type", "client_order_id");

-- CreateIndex
CREATE UNIQUE INDEX "send_request_chain_id_product_type_operation_key_key" ON "app"."send_request"("chain_id", "product_type", "operation_key");

-- CreateIndex
CREATE UNIQUE INDEX "send_request_request_id_chain_id_wallet_nonce_key" ON "app"."send_request"("request_id", "chain_id", "wallet", "nonce");

-- CreateIndex
CREATE UNIQUE INDEX "send_request_claim_id_key" ON "app"."send_request"("claim_id");

-- CreateIndex
CREATE UNIQUE INDEX "send_attempt_tx_hash_key" ON "app"."send_attempt"("tx_hash");

-- CreateIndex
CREATE INDEX "send_attempt_request_id_idx" ON "app"."send_attempt"("request_id");

-- AddForeignKey
ALTER TABLE "app"."key_policy" ADD CONSTRAINT "key_policy_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "app"."api_key"("key_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "app"."send_request" ADD CONSTRAINT "send_request_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "app"."api_key"("key_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "app"."send_request" ADD CONSTRAINT "send_request_chain_id_wallet_fkey" FOREIGN KEY ("chain_id", "wallet") REFERENCES "app"."delegatee_wallet"("chain_id", "address") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "app"."send_attempt" ADD CONSTRAINT "send_attempt_request_id_chain_id_wallet_nonce_fkey" FOREIGN KEY ("request_id", "chain_id", "wallet", "nonce") REFERENCES "app"."send_request"("request_id", "chain_id", "wallet", "nonce") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- What Prisma's schema cannot say
ALTER TABLE "app"."delegatee_wallet"
  ADD CONSTRAINT "delegatee_wallet_state_check" CHECK ("state" IN ('active', 'paused', 'halted')),
  ADD CONSTRAINT "delegatee_wallet_address_check" CHECK ("address" ~ '^0x[0-9a-f]{40}$'),
  ADD CONSTRAINT "delegatee_wallet_nonce_check" CHECK ("next_nonce" >= 0);

ALTER TABLE "app"."delegation"
  ADD CONSTRAINT "delegation_address_check" CHECK ("user_address" ~ '^0x[0-9a-f]{40}$' AND "delegatee" ~ '^0x[0-9a-f]{40}$');

ALTER TABLE "app"."send_request"
  ADD CONSTRAINT "send_request_state_check"
    CHECK ("state" IN ('accepted', 'signed', 'broadcast', 'mined', 'final', 'failed', 'canceled')),
  ADD CONSTRAINT "send_request_nonce_check"
    CHECK (("state" = 'accepted' AND "nonce" IS NULL) OR ("state" IN ('signed', 'broadcast', 'mined', 'final') AND "nonce" IS NOT NULL)
      OR "state" IN ('failed', 'canceled')),
  ADD CONSTRAINT "send_request_outcome_check"
    CHECK (("state" = 'final') = ("outcome" IS NOT NULL) AND "outcome" IN ('confirmed', 'reverted')),
  ADD CONSTRAINT "send_request_mined_check"
    CHECK ("state" <> 'mined' OR ("mined_block" IS NOT NULL AND "mined_block_hash" IS NOT NULL AND "mined_success" IS NOT NULL)),
  ADD CONSTRAINT "send_request_failure_check"
    CHECK ("state" NOT IN ('failed', 'canceled') OR "err_code" IS NOT NULL),
  ADD CONSTRAINT "send_request_gas_check" CHECK ("gas_limit" > 0);

ALTER TABLE "app"."send_attempt"
  ADD CONSTRAINT "send_attempt_kind_check" CHECK ("kind" IN ('call', 'filler')),
  ADD CONSTRAINT "send_attempt_signed_check" CHECK (("signed_bytes" IS NULL) = ("tx_hash" IS NULL)),
  ADD CONSTRAINT "send_attempt_hash_check" CHECK ("tx_hash" ~ '^0x[0-9a-f]{64}$');

-- A nonce is never changed, taken back or recycled; what ended stays ended.
CREATE FUNCTION "app"."send_request_guard"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."nonce" IS NOT NULL AND NEW."nonce" IS DISTINCT FROM OLD."nonce" THEN
    RAISE EXCEPTION 'send_request %: its nonce is % for ever', OLD."request_id", OLD."nonce";
  END IF;
  IF (NEW."chain_id", NEW."wallet", NEW."call_data", NEW."to_address") IS DISTINCT FROM
     (OLD."chain_id", OLD."wallet", OLD."call_data", OLD."to_address") THEN
    RAISE EXCEPTION 'send_request %: what it sends never changes', OLD."request_id";
  END IF;
  IF OLD."state" IN ('final', 'failed', 'canceled') AND
     (NEW."state", NEW."outcome", NEW."err_code", NEW."tx_hash") IS DISTINCT FROM
     (OLD."state", OLD."outcome", OLD."err_code", OLD."tx_hash") THEN
    RAISE EXCEPTION 'send_request %: % is its last state', OLD."request_id", OLD."state";
  END IF;
  IF NEW."state" = 'accepted' AND OLD."state" <> 'accepted' THEN
    RAISE EXCEPTION 'send_request %: it was signed already', OLD."request_id";
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER "send_request_guard" BEFORE UPDATE ON "app"."send_request"
  FOR EACH ROW EXECUTE FUNCTION "app"."send_request_guard"();

-- Signed bytes, once stored, are what is broadcast: never others in their place.
CREATE FUNCTION "app"."send_attempt_guard"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."signed_bytes" IS NOT NULL AND NEW."signed_bytes" IS DISTINCT FROM OLD."signed_bytes" THEN
    RAISE EXCEPTION 'send_attempt %: its bytes are stored', OLD."attempt_id";
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER "send_attempt_guard" BEFORE UPDATE ON "app"."send_attempt"
  FOR EACH ROW EXECUTE FUNCTION "app"."send_attempt_guard"();

CREATE FUNCTION "app"."delegatee_wallet_guard"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."next_nonce" < OLD."next_nonce" OR (NEW."next_nonce" IS NULL AND OLD."next_nonce" IS NOT NULL) THEN
    RAISE EXCEPTION 'delegatee_wallet %: the next nonce never goes back', OLD."address";
  END IF;
  IF NEW."lease_epoch" < OLD."lease_epoch" THEN
    RAISE EXCEPTION 'delegatee_wallet %: the lease epoch never goes back', OLD."address";
  END IF;
  RETURN NEW;
END $$;

CREATE TRIGGER "delegatee_wallet_guard" BEFORE UPDATE ON "app"."delegatee_wallet"
  FOR EACH ROW EXECUTE FUNCTION "app"."delegatee_wallet_guard"();
