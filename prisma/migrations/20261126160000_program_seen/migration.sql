-- When a program of each kind was last alive, by the database's clock: a dashboard names the one that is not. Two rows.
CREATE TABLE "app"."program_seen" (
    "program" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT now(),
    CONSTRAINT "program_seen_pkey" PRIMARY KEY ("program"),
    CONSTRAINT "program_seen_program" CHECK ("program" IN ('worker', 'deliverer'))
);
