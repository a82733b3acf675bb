-- The span that accepted a request to send, by which the worker continues its trace (docs/operations/tracing.md). Null where no trace
-- is recorded. A column without a default is added without rewriting the table.
ALTER TABLE "app"."send_request" ADD COLUMN "traceparent" TEXT;
