-- key_order_totals begins like this index, and has taken its place. Reads wait, too, while it goes: some milliseconds.

-- DropIndex
DROP INDEX IF EXISTS "app"."key_order_span";
