-- Which ends of keys the log of events has reported (docs/events.md). A new table: app.api_key is locked for the moment that it takes to add
-- a foreign key to an empty table.

CREATE TABLE "app"."key_expiry_report" (
    "key_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "days" INTEGER NOT NULL,
    "reported_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "key_expiry_report_pkey" PRIMARY KEY ("key_id","expires_at","days")
);

-- AddForeignKey
ALTER TABLE "app"."key_expiry_report" ADD CONSTRAINT "key_expiry_report_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "app"."api_key"("key_id") ON DELETE CASCADE ON UPDATE CASCADE;
