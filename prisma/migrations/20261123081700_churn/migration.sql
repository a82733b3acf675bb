-- Tables that are not partitioned stay small (docs/operations/partitions.md#tables-that-are-not-partitioned). Settings alone: each locks its table
-- against schema changes and vacuum (SHARE UPDATE EXCLUSIVE) for a moment, and no row is changed.

-- An attempt is inserted once and updated at each broadcast, in columns that no index has: where its page has room, no index
-- grows with it. Pages that are full already keep what they have.
ALTER TABLE "app"."send_attempt" SET (fillfactor = 70);

-- Every authenticated request writes here. To give empty pages at the end back, vacuum would lock the table (ACCESS EXCLUSIVE), on
-- replicas also against whoever reads; the next minutes fill those pages again.
ALTER TABLE "app"."api_nonce" SET (vacuum_truncate = false);
