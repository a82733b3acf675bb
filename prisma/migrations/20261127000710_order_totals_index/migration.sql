-- Orders by the time from mapping to last change, as key_order_span, which it replaces; with it, the dashboard's totals of a month are read from
-- an index alone (docs/decisions/2026-11-25-row-indexes.md). SPAN of src/claims/list-search.ts is the same expression.
-- Blocks writes of the table while it is built: some five seconds for a million rows. Reads go on.

-- CreateIndex
CREATE INDEX IF NOT EXISTS "key_order_totals" ON "app"."key_order"("key_id", "chain_id", "product_type",
    width_bucket("updated_at" - "created_at", '{10 s,1 min,5 min,30 min,3 h,1 day,7 days,60 days}'::interval[]), "created_at",
    "stock_address", "status", "updated_at", "filled_notional");
