-- What a key sees of orders and operations, as rows (docs/projection.md). Two tables are made; columns with constant defaults change the catalogue
-- alone; app.event_chain, which has a row for each chain, is locked for the moment in which its trigger is made.

-- AlterTable
ALTER TABLE "app"."event_chain" ADD COLUMN     "build_id" TEXT,
ADD COLUMN     "filled" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "filled_to" UUID DEFAULT '00000000-0000-0000-0000-000000000000'::uuid,
ADD COLUMN     "steps" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "app"."event_head" ADD COLUMN     "version" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "app"."key_order" (
    "claim_id" UUID NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "tx_hash" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "log_index" INTEGER NOT NULL,
    "order_id" TEXT,
    "status" TEXT NOT NULL,
    "on_chain_status" TEXT NOT NULL,
    "side" TEXT NOT NULL,
    "order_type" TEXT NOT NULL,
    "stock_address" TEXT,
    "user_address" TEXT,
    "client_order_id" TEXT,
    "filled_notional" DECIMAL(78,0),
    "data" TEXT,
    "data_shape" SMALLINT NOT NULL,
    "type" TEXT NOT NULL,
    "event_id" UUID,
    "row_hash" UUID,
    "block_number" BIGINT,

    CONSTRAINT "key_order_pkey" PRIMARY KEY ("claim_id","ordinal")
);

-- CreateTable
CREATE TABLE "app"."key_operation" (
    "claim_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "key_id" UUID NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "tx_hash" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "log_index" INTEGER NOT NULL,
    "operation_id" TEXT,
    "status" TEXT NOT NULL,
    "token_address" TEXT,
    "user_address" TEXT,
    "data" TEXT,
    "data_shape" SMALLINT NOT NULL,
    "type" TEXT NOT NULL,
    "event_id" UUID,
    "row_hash" UUID,
    "block_number" BIGINT,

    CONSTRAINT "key_operation_pkey" PRIMARY KEY ("claim_id","kind","ordinal")
);

-- What follows Prisma's schema cannot say; its diff does not see it.

-- A worker of the version before writes the log and no rows, and counts no step: the rows of the chain are then filled anew.
CREATE FUNCTION "app"."refill_rows"() RETURNS trigger LANGUAGE plpgsql SET search_path = '' AS $$
BEGIN
    NEW."filled" := false;
    NEW."filled_to" := '00000000-0000-0000-0000-000000000000'::uuid;
    RETURN NEW;
END
$$;

CREATE TRIGGER "event_chain_refill" BEFORE UPDATE ON "app"."event_chain" FOR EACH ROW
    WHEN (OLD."steps" = NEW."steps") EXECUTE FUNCTION "app"."refill_rows"();
