import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type pg from "pg";
import { Registry } from "prom-client";
import { freePort } from "../../packages/sandbox/src/ports.ts";
import { createKeyExpiryMetric, readExpiringKeys } from "../../src/auth/key-expiry.ts";
import { readClockOffset } from "../../src/db/pool-metrics.ts";
import { createRoles } from "../../src/db/roles.ts";
import { createServerMetrics, readServerState } from "../../src/db/server-metrics.ts";
import { until } from "../support/assert/until.ts";
import { openPool } from "../support/db/pool.ts";
import {
  createDatabase,
  type PostgresServer,
  startPostgres,
  type TestDatabase,
} from "../support/db/postgres.ts";
import { startTcpProxy } from "../support/db/tcp-proxy.ts";
import { makeEnv, startTestApi, type TestEnv } from "../support/http/api.ts";

// Metrics of the database's server, of a server of the test's own: its archive fails, and a standby is gone.

let server: PostgresServer;
let admin: pg.Pool;
/** The worker's role has no right to anything here but to connect. */
let worker: pg.Pool;
let database: TestDatabase;
let env: TestEnv;

beforeAll(async () => {
  server = await startPostgres({ flags: ["-c", "archive_mode=on"] });
  admin = openPool({ connectionString: server.adminUrl, max: 2 });
  await createRoles(server.adminUrl);
  const options = "-c role=partner_worker";
  worker = openPool({ connectionString: server.adminUrl, options, max: 2 });
  database = await createDatabase();
  env = makeEnv(database.url, "http://127.0.0.1:1");
});
afterAll(async () => {
  await Promise.all([admin?.end(), worker?.end(), env?.dispose()]);
  await Promise.all([server?.stop(), database?.drop()]);
});

const shown = async (registry: Registry, name: string) =>
  (await registry.metrics()).split("\n").filter((line) => line.startsWith(name));

/** Has the server archive its log of writes by a command, and waits until that failed, or worked. */
async function archiveBy(command: "false" | "true"): Promise<void> {
  await admin.query(`ALTER SYSTEM SET archive_command = '${command}'`);
  await admin.query("SELECT pg_reload_conf()");
  await admin.query("CREATE TABLE IF NOT EXISTS something AS SELECT 1");
  await admin.query("SELECT pg_switch_wal()");
  const isFailing = command === "false";
  await until(`archiving by ${command} was tried`, async () => {
    return (await readServerState(worker)).isArchiveFailing === isFailing;
  });
}

it("shows that the archive fails, and that it works again", async () => {
  const registry = new Registry();
  createServerMetrics(registry, worker);
  await archiveBy("false");
  expect(await shown(registry, "database_archive_failing")).toEqual(["database_archive_failing 1"]);
  await archiveBy("true");
  expect(await shown(registry, "database_archive_failing")).toEqual(["database_archive_failing 0"]);
});

it("shows nothing of an archive where there is none, nor of a server that does not answer", async () => {
  const registry = new Registry();
  createServerMetrics(registry, env.pool);
  expect(await shown(registry, "database_archive_failing")).toEqual([]);
  expect((await readServerState(env.pool)).isArchiveFailing).toBeNull();
  const nowhere = openPool({ connectionString: `postgresql://a:b@127.0.0.1:${await freePort()}/c` });
  const other = new Registry();
  createServerMetrics(other, nowhere);
  expect(await shown(other, "database_")).toEqual([]);
  await nowhere.end();
});

it("shows a slot whose standby is gone, and what is kept for it", async () => {
  await admin.query("SELECT pg_create_physical_replication_slot('gone', true)");
  await admin.query("CREATE TABLE written AS SELECT generate_series(1, 20000) AS n");
  const registry = new Registry();
  createServerMetrics(registry, worker);
  expect(await shown(registry, "database_replication_slot_active")).toEqual([
    'database_replication_slot_active{slot="gone"} 0',
  ]);
  const [retained = ""] = await shown(registry, "database_replication_slot_retained_bytes");
  expect(retained).toMatch(/^database_replication_slot_retained_bytes\{slot="gone"\} \d+$/);
  expect(Number(retained.split(" ")[1])).toBeGreaterThan(500_000);
  await admin.query("SELECT pg_drop_replication_slot('gone')");
  expect(await shown(registry, "database_replication_slot")).toEqual([]);
});

it("shows how far the clocks are apart, by the database's", async () => {
  expect(Math.abs(await readClockOffset(env.pool))).toBeLessThan(5);
  const ahead = await readClockOffset(env.pool, () => Date.now() + 60_000);
  expect(ahead).toBeLessThan(-55);
  expect(ahead).toBeGreaterThan(-65);
});

it("shows keys in use that expire within two weeks, by their ids", async () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
  const soon = await env.makeKey({ name: "soon", expiresAt: inDays(13) });
  await env.makeKey({ name: "later", expiresAt: inDays(15) });
  await env.makeKey({ name: "never" });
  for (const [name, change] of [
    ["revoked", "active = false, revoked_at = now()"],
    ["off", "active = false"],
    ["expired", "expires_at = now() - interval '1 hour'"],
  ] as const) {
    const { keyId } = await env.makeKey({ name, expiresAt: inDays(1) });
    await env.pool.query(`UPDATE app.api_key SET ${change} WHERE key_id = $1`, [keyId]);
  }
  const [key, ...others] = await readExpiringKeys(env.pool);
  expect(others).toEqual([]);
  const registry = new Registry();
  createKeyExpiryMetric(registry, env.pool);
  expect(await shown(registry, "api_key_expiry_timestamp_seconds")).toEqual([
    `api_key_expiry_timestamp_seconds{api_key="${soon.apiKey}",name="soon"} ${Number(key?.expiresAt) / 1000}`,
  ]);
});

it("a pooler that is down is told from a database that is: PostgreSQL answers on the connection beside it", async () => {
  const pooler = await startTcpProxy(Number(new URL(database.url).port));
  const through = new URL(database.url);
  through.port = String(pooler.port);
  const api = await startTestApi(
    { ...env.env, DATABASE_URL: through.href, DATABASE_LISTEN_URL: database.url },
    { metricsMaxAgeMs: 0 },
  );
  const stateIs = (database: 0 | 1, beside: 0 | 1) =>
    until(`the database is ${database}, and beside the pooler ${beside}`, async () => {
      const page = await (await fetch(`${api.operatorUrl}/metrics`)).text();
      const isUp = page.includes(`readiness_check_up{check="database"} ${database}\n`);
      return isUp && page.includes(`\ndatabase_notifications_up ${beside}\n`);
    });
  await stateIs(1, 1);
  pooler.targetPort = await freePort();
  pooler.cut();
  await stateIs(0, 1);
  await api.stop();
  await pooler.close();
});
