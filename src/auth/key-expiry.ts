import type pg from "pg";
import { Gauge, type Registry } from "prom-client";
import { z } from "zod";
import { queryRows } from "../db/query.ts";
import { createSharedRead } from "../db/shared-read.ts";
import { sql } from "../db/sql.ts";

/** Days ahead that an expiry shows: as long as partners may take to exchange a key. */
export const EXPIRY_SHOWN_DAYS = 14;

const expirySchema = z.object({ apiKey: z.string(), name: z.string(), expiresAt: z.date() });

/** Returns the keys in use that expire soon. */
export function readExpiringKeys(pool: pg.Pool): Promise<z.output<typeof expirySchema>[]> {
  return queryRows(
    pool,
    sql`
      SELECT api_key, name, expires_at FROM app.api_key
      WHERE active AND revoked_at IS NULL AND expires_at > now() AND expires_at < now() + make_interval(days => ${EXPIRY_SHOWN_DAYS})
      ORDER BY expires_at`,
    expirySchema,
  );
}

/** Adds when keys expire that do so soon, read from the database: every worker shows the same. */
export function createKeyExpiryMetric(registry: Registry, pool: pg.Pool): void {
  const readShared = createSharedRead(() => readExpiringKeys(pool));
  new Gauge({
    name: "api_key_expiry_timestamp_seconds",
    help: "When a key expires, Unix seconds, of keys in use that do so within two weeks",
    labelNames: ["api_key", "name"],
    registers: [registry],
    async collect() {
      const keys = await readShared();
      this.reset();
      for (const { apiKey, name, expiresAt } of keys ?? [])
        this.set({ api_key: apiKey, name }, expiresAt.getTime() / 1000);
    },
  });
}
