-- What the dashboard's overview plots (docs/dashboards.md): samples of each minute, and indexes of its series and lists.
--
-- Adds a column without a default: the catalogue alone changes. Building an index blocks writes of its table meanwhile, about
-- two seconds for a million rows; reads go on. Where that is too long, build it before the migration with CREATE INDEX
-- CONCURRENTLY, under the same name and as written here.

-- AlterTable
ALTER TABLE "app"."settled_order" ADD COLUMN "filled_notional" DECIMAL(78,0);

-- CreateTable
CREATE TABLE "app"."chain_sample" (
    "chain_id" INTEGER NOT NULL,
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "lag_seconds" DOUBLE PRECISION,
    "lag_blocks" INTEGER,

    CONSTRAINT "chain_sample_pkey" PRIMARY KEY ("chain_id","minute")
);

-- CreateTable
CREATE TABLE "app"."wallet_sample" (
    "chain_id" INTEGER NOT NULL,
    "wallet" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "depth" INTEGER NOT NULL,
    "oldest_seconds" DOUBLE PRECISION NOT NULL,
    "balance_wei" DECIMAL(78,0),

    CONSTRAINT "wallet_sample_pkey" PRIMARY KEY ("chain_id","wallet","minute")
);

-- CreateTable
CREATE TABLE "app"."request_sample" (
    "minute" TIMESTAMPTZ(0) NOT NULL,
    "requests" BIGINT NOT NULL,
    "client_errors" BIGINT NOT NULL,
    "server_errors" BIGINT NOT NULL,
    "latencies" BIGINT[],

    CONSTRAINT "request_sample_pkey" PRIMARY KEY ("minute")
);

-- CreateIndex
CREATE INDEX IF NOT EXISTS "send_request_accepted_at_idx" ON "app"."send_request"("accepted_at");

-- CreateIndex
CREATE INDEX IF NOT EXISTS "api_key_created_at_key_id_idx" ON "app"."api_key"("created_at", "key_id");

-- What follows Prisma's schema cannot say; its diff does not see it.

CREATE INDEX IF NOT EXISTS "send_request_final_at_idx" ON "app"."send_request"("final_at") WHERE "final_at" IS NOT NULL;

-- One count for each bucket of src/dashboard/overview/latency.ts, and one for what is slower than all of them.
ALTER TABLE "app"."request_sample" ALTER COLUMN "latencies" SET NOT NULL;
ALTER TABLE "app"."request_sample" ADD CONSTRAINT "request_sample_latencies_check" CHECK (
    cardinality("latencies") = 25 AND array_position("latencies", NULL) IS NULL);
