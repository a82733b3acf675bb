-- Times that nothing reads. Each step of a request has a time of its own; the age of a delegation decides nothing.

-- AlterTable
ALTER TABLE "app"."send_request" DROP COLUMN "updated_at";

-- AlterTable
ALTER TABLE "app"."delegation" DROP COLUMN "updated_at";
