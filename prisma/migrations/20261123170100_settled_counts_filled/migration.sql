-- Counts the rows that were settled before there were counts, in a transaction of its own: no claim waits for it, and workers
-- settle once it is done (one to two seconds for a million orders).
SELECT "app"."recount_settled"();
