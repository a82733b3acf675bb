-- Partitions, step 1 of 5 (docs/decisions/2026-11-23-partitions.md): events of before there was a position get one below all others.
-- Locks these rows only: the log is read and written meanwhile.
UPDATE "app"."event" e SET "position" = n."position"
FROM (
    SELECT x."key_id", x."chain_id", x."product_type", x."sequence",
        row_number() OVER (ORDER BY x."created_at", x."sequence", x."key_id", x."chain_id", x."product_type")
            - count(*) OVER () - 1 AS "position"
    FROM "app"."event" x WHERE x."position" IS NULL) n
WHERE e."key_id" = n."key_id" AND e."chain_id" = n."chain_id" AND e."product_type" = n."product_type"
    AND e."sequence" = n."sequence";
