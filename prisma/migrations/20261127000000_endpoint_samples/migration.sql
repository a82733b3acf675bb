-- Requests of partners by endpoint, of ten minutes each (docs/dashboards.md#overview). A new table alone: nothing is locked.

CREATE TABLE "app"."endpoint_sample" (
    "begin" TIMESTAMPTZ(0) NOT NULL,
    "endpoint" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "client_errors" BIGINT NOT NULL,
    "server_errors" BIGINT NOT NULL,
    "latencies" BIGINT[] NOT NULL,

    CONSTRAINT "endpoint_sample_pkey" PRIMARY KEY ("begin","endpoint"),
    CONSTRAINT "endpoint_sample_latencies_check" CHECK (
        cardinality("latencies") = 25 AND array_position("latencies", NULL) IS NULL)
);
