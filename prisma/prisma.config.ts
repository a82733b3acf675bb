import { readFileSync } from "node:fs";
import { defineConfig } from "prisma/config";
import { externalTables } from "./external.ts";

// For Prisma's own CLI: `prisma <command> --config prisma/prisma.config.ts`. Paths are relative to this file.
const schema = readFileSync(new URL("./schema.prisma", import.meta.url), "utf8");

export default defineConfig({
  schema: "./schema.prisma",
  migrations: { path: "./migrations" },
  // `prisma generate` needs no database; the commands that do say so themselves.
  ...(process.env.DATABASE_URL ? { datasource: { url: process.env.DATABASE_URL } } : {}),
  experimental: { externalTables: true },
  tables: { external: externalTables(schema) },
});
