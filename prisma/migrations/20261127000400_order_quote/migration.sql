-- The quote at which a market order was placed, and how far its fills were from it (docs/dashboards.md#overview). A new table alone:
-- nothing is locked.

CREATE TABLE "app"."order_quote" (
    "chain_id" INTEGER NOT NULL,
    "product_type" TEXT NOT NULL,
    "order_id" TEXT NOT NULL,
    "key_id" UUID NOT NULL,
    "symbol" TEXT NOT NULL,
    "placed_at" TIMESTAMPTZ(0) NOT NULL,
    "price" DECIMAL(78, 0) NOT NULL,
    "filled_notional" DECIMAL(78, 0),
    "slippage_bps" DECIMAL,

    CONSTRAINT "order_quote_pkey" PRIMARY KEY ("chain_id","product_type","order_id")
);

CREATE INDEX "order_quote_placed_at_idx" ON "app"."order_quote"("placed_at");

-- Of few rows: what has not ended.
CREATE INDEX "order_quote_open_idx" ON "app"."order_quote"("chain_id", "placed_at") WHERE "slippage_bps" IS NULL;
