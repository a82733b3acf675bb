-- Rate limits are counted here, so that all replicas share them: one row per key and kind of request, updated once per
-- batch of requests.

-- CreateTable
CREATE TABLE "app"."key_usage" (
    "key_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "used" INTEGER NOT NULL DEFAULT 0,
    "window_ends_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "key_usage_pkey" PRIMARY KEY ("key_id","kind")
);

-- AddForeignKey
ALTER TABLE "app"."key_usage" ADD CONSTRAINT "key_usage_key_id_fkey" FOREIGN KEY ("key_id") REFERENCES "app"."api_key"("key_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What follows Prisma's schema cannot say; its diff does not see it.

ALTER TABLE "app"."key_usage"
    ADD CONSTRAINT "key_usage_kind_check" CHECK ("kind" IN ('reads', 'writes')),
    ADD CONSTRAINT "key_usage_used_check" CHECK ("used" >= 0);

-- No index covers what changes, so with room on its page an update touches the table alone (HOT).
ALTER TABLE "app"."key_usage" SET (fillfactor = 50);

-- The rows exist as long as their key, so that counting is always an update: requests of a key without them are refused.
CREATE FUNCTION "app"."add_key_usage"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "app"."key_usage" ("key_id", "kind") VALUES (NEW."key_id", 'reads'), (NEW."key_id", 'writes');
    RETURN NULL;
END
$$;

CREATE TRIGGER "api_key_usage" AFTER INSERT ON "app"."api_key"
    FOR EACH ROW EXECUTE FUNCTION "app"."add_key_usage"();

INSERT INTO "app"."key_usage" ("key_id", "kind")
SELECT "key_id", "kind" FROM "app"."api_key", unnest(ARRAY['reads', 'writes']) AS "kind";
