import type pg from "pg";
import { Gauge, type Registry } from "prom-client";
import { z } from "zod";
import { queryMaybeOne, queryRows } from "./query.ts";
import { createSharedRead } from "./shared-read.ts";
import { sql } from "./sql.ts";

const archiveSchema = z.object({ isFailing: z.boolean() });

const slotSchema = z.object({
  slotName: z.string(),
  active: z.boolean(),
  /** Log of writes that the server keeps for it. */
  retainedBytes: z.coerce.number(),
});

/** State of the archive and the standbys of the database's server. */
export interface ServerState {
  /** True where the last attempt to archive the log of writes failed; null where the server does not archive. */
  isArchiveFailing: boolean | null;
  slots: z.output<typeof slotSchema>[];
}

/** Returns it from the primary. Every role may read it. */
export async function readServerState(pool: pg.Pool): Promise<ServerState> {
  const archive = await queryMaybeOne(
    pool,
    sql`
      SELECT coalesce(last_failed_time > last_archived_time, last_failed_time IS NOT NULL) AS is_failing
      FROM pg_stat_archiver WHERE current_setting('archive_mode') <> 'off'`,
    archiveSchema,
  );
  const slots = await queryRows(
    pool,
    sql`
      SELECT slot_name, active, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::text AS retained_bytes
      FROM pg_replication_slots ORDER BY slot_name`,
    slotSchema,
  );
  return { isArchiveFailing: archive?.isFailing ?? null, slots };
}

/** Adds what /metrics shows of the database's server: every worker shows the same. */
export function createServerMetrics(registry: Registry, pool: pg.Pool): void {
  const readShared = createSharedRead(() => readServerState(pool));
  new Gauge({
    name: "database_archive_failing",
    help: "1: the last attempt of PostgreSQL to archive its log of writes failed",
    registers: [registry],
    async collect() {
      const failing = (await readShared())?.isArchiveFailing ?? null;
      // Absent where it is not known, and where nothing is archived.
      if (failing === null) this.remove();
      else this.set(failing ? 1 : 0);
    },
  });
  const ofSlots = (name: string, help: string, of: (slot: ServerState["slots"][number]) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ["slot"],
      registers: [registry],
      async collect() {
        const state = await readShared();
        this.reset();
        for (const slot of state?.slots ?? []) this.set({ slot: slot.slotName }, of(slot));
      },
    });
  ofSlots("database_replication_slot_active", "1: a standby streams by this slot", ({ active }) =>
    active ? 1 : 0,
  );
  ofSlots(
    "database_replication_slot_retained_bytes",
    "Log of writes that PostgreSQL keeps because the slot's standby has not received it",
    ({ retainedBytes }) => retainedBytes,
  );
}
