import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { pino } from "pino";
import { Registry } from "prom-client";
import { freePort } from "../../packages/sandbox/src/ports.ts";
import { readAudit } from "../../src/auth/audit.ts";
import { hashToken } from "../../src/auth/dashboard/token.ts";
import { findByTokenHash, noteUse } from "../../src/auth/dashboard/user-store.ts";
import { createUser, listUsers, revokeUser, rotateToken } from "../../src/auth/dashboard/users-admin.ts";
import { createKey, listKeys, resealKeys, revokeKey, updateKey } from "../../src/auth/keys-admin.ts";
import { createNonceClaimer } from "../../src/auth/nonce-store.ts";
import { finishRotation, rotateKey } from "../../src/auth/rotation.ts";
import { findAttributedKey } from "../../src/claims/attribution/claim.ts";
import { cursorScopeOf, readSyncCursor, writeSyncCursor } from "../../src/claims/attribution/sync-cursor.ts";
import { requireRecordingQuota } from "../../src/claims/recording-limit.ts";
import { createRequestCounts } from "../../src/dashboard/overview/request-counts.ts";
import { removeOldSamples, sampleGauges } from "../../src/dashboard/overview/sampler.ts";
import { createRequestLog } from "../../src/dashboard/requests/keep.ts";
import { prismaOn } from "../../src/db/client.ts";
import { migrate } from "../../src/db/migrate.ts";
import { keepPartitions, readPartitionState } from "../../src/db/partitions.ts";
import { createRoles, ROLES, type RoleName } from "../../src/db/roles.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { removeExpiredEvents } from "../../src/events/writer/log-store.ts";
import { lockAnyWebhook, pauseWebhook, readOverview } from "../../src/webhooks/admin-store.ts";
import { enqueueAll, runAttempt } from "../../src/webhooks/deliver.ts";
import { listDeliveries, redeliver } from "../../src/webhooks/deliveries.ts";
import { revive } from "../../src/webhooks/delivery-store.ts";
import { readQueueState } from "../../src/webhooks/metrics-store.ts";
import { removeOldDeliveries } from "../../src/webhooks/outcome-store.ts";
import { boundPending } from "../../src/webhooks/pending-store.ts";
import { leaseAttempts } from "../../src/webhooks/queue-store.ts";
import { resealSecrets } from "../../src/webhooks/reseal.ts";
import { enableWebhook } from "../../src/webhooks/store.ts";
import { runTest } from "../../src/webhooks/test-runner.ts";
import { claimTest, insertTest, readTest, removeOldTests } from "../../src/webhooks/test-store.ts";
import * as webhooks from "../../src/webhooks/webhooks.ts";
import { ALLOWED, UNUSED_RIGHTS } from "../../tools/migrations/allowed.ts";
import { present } from "../support/assert/until.ts";
import { createApiKey } from "../support/db/builders/keys.ts";
import { createWallet } from "../support/db/builders/sends.ts";
import { openPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { appendEvent } from "../support/events/append-event.ts";
import { CHAIN_ID, deployments, MASTER_KEYS, PRODUCT } from "../support/http/auth.ts";

/** One role per program, with the least that it needs. What each needs is shown by the sandbox, which runs on them. */
const silent = { info: () => undefined };
const DENIED = { code: "42501" };

const OTHER_MASTER_KEY = { id: "k2", key: Buffer.alloc(32, 9) };

let database: TestDatabase;
let admin: pg.Client;
let existing: string[];
let apiPool: pg.Pool;
const clients: Partial<Record<RoleName, pg.Client>> = {};

async function connect(url: string, role?: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, ...(role ? { options: `-c role=${role}` } : {}) });
  await client.connect();
  return client;
}

const as = (role: RoleName) => present(clients[role], role);

/** Returns the partition of events that is the farthest ahead. */
async function lastPartition(): Promise<string> {
  const { rows } = await admin.query<{ name: string }>(
    "SELECT 'app.' || name AS name FROM app.partitions() WHERE parent = 'event' ORDER BY lower DESC NULLS LAST LIMIT 1",
  );
  return present(rows[0], "a partition").name;
}

beforeAll(async () => {
  // A database that one role has served so far, with an index in it.
  database = await createDatabase();
  admin = await connect(database.url);
  existing = (await admin.query<{ rolname: string }>("SELECT rolname FROM pg_roles")).rows.map(
    ({ rolname }) => rolname,
  );
  await admin.query(`
    CREATE SCHEMA onchain_old; CREATE SCHEMA onchain; CREATE SCHEMA ponder_sync;
    CREATE TYPE onchain_old.side AS ENUM ('Buy', 'Sell');
    CREATE TABLE onchain_old.stock_order (id serial, side onchain_old.side);
    CREATE FUNCTION onchain_old.noted() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
    CREATE TRIGGER noted AFTER INSERT ON onchain_old.stock_order EXECUTE FUNCTION onchain_old.noted();
    CREATE VIEW onchain.stock_order AS SELECT * FROM onchain_old.stock_order`);
  await createRoles(database.url);
  await migrate(database.url, silent);
  for (const [name, role] of Object.entries(ROLES) as [RoleName, string][]) {
    clients[name] = await connect(database.url, role);
  }
  apiPool = openPool({ connectionString: database.url, options: `-c role=${ROLES.api}`, max: 1 });
});

it("the api's statements are not compiled", async () => {
  const { rows } = await admin.query(
    `SELECT s.setconfig FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole
     JOIN pg_database d ON d.oid = s.setdatabase WHERE d.datname = current_database() AND r.rolname = $1`,
    [ROLES.api],
  );
  expect(rows).toEqual([{ setconfig: ["jit=off"] }]);
});

afterAll(async () => {
  await Promise.all([admin, apiPool, ...Object.values(clients)].map((client) => client.end()));
  await database.drop();
  // Roles belong to the server, which may be the caller's own.
  const server = await connect(present(process.env.TEST_DATABASE_ADMIN_URL, "the server"));
  for (const role of Object.values(ROLES)) {
    if (!existing.includes(role)) await server.query(`DROP ROLE ${role}`);
  }
  await server.end();
});

it("names every table and sequence of app.* in grants.sql, so that none is left undecided", async () => {
  const grants = readFileSync("prisma/grants.sql", "utf8");
  const { rows } = await admin.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c
     WHERE c.relnamespace = 'app'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'S') AND NOT c.relispartition`,
  );
  expect(rows.length).toBeGreaterThan(12);
  const undecided = rows.filter(({ name }) => !new RegExp(`\\b${name.replace(".", "\\.")}\\b`).test(grants));
  expect(undecided).toEqual([]);
});

it("lets nobody call a function of app.* that grants.sql does not name", async () => {
  const { rows } = await admin.query(
    `SELECT p.proname AS name FROM pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
     WHERE p.pronamespace = 'app'::regnamespace AND a.grantee = 0`,
  );
  expect(rows).toEqual([]);
});

it("changes nothing when it is repeated", async () => {
  const rights = async () =>
    (
      await admin.query(`
        SELECT c.oid::regclass::text AS name, c.relowner::regrole::text AS owner, c.relacl::text AS rights
        FROM pg_class c WHERE c.relnamespace IN ('app'::regnamespace, 'onchain'::regnamespace) ORDER BY 1`)
    ).rows;
  const before = await rights();
  await createRoles(database.url);
  await migrate(database.url, silent);
  expect(await rights()).toEqual(before);
});

/** Returns every right of a program in app.*, granted for a table or for a column. */
async function rightsOfPrograms(): Promise<string[]> {
  const { rows } = await admin.query<{ right: string }>(
    `SELECT format('%s: %s %s.%s', r.role, p.privilege, c.oid::regclass, a.attname) AS right
     FROM unnest($1::text[]) r (role), pg_class c
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped,
       unnest('{SELECT,INSERT,UPDATE}'::text[]) p (privilege)
     WHERE c.relnamespace = 'app'::regnamespace AND c.relkind IN ('r', 'p', 'v')
       AND has_column_privilege(r.role, c.oid, a.attnum, p.privilege)
     UNION ALL SELECT format('%s: DELETE %s', r.role, c.oid::regclass) FROM unnest($1::text[]) r (role), pg_class c
     WHERE c.relnamespace = 'app'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND has_table_privilege(r.role, c.oid, 'DELETE')
     UNION ALL SELECT format('%s: USAGE %s', r.role, c.oid::regclass) FROM unnest($1::text[]) r (role), pg_class c
     WHERE c.relnamespace = 'app'::regnamespace AND c.relkind = 'S' AND has_sequence_privilege(r.role, c.oid, 'USAGE')
     UNION ALL SELECT format('%s: EXECUTE %s', r.role, f.oid::regprocedure) FROM unnest($1::text[]) r (role), pg_proc f
     WHERE f.pronamespace = 'app'::regnamespace AND has_function_privilege(r.role, f.oid, 'EXECUTE')`,
    [[ROLES.api, ROLES.worker, ROLES.deliverer, ROLES.operator]],
  );
  return rows.map(({ right }) => right);
}

/** Grants what the last release did. A statement about objects that migrations have dropped since, as allowed, is passed over. */
async function grantAsReleased(): Promise<void> {
  const dropped = new Set(
    Object.values(ALLOWED)
      .flatMap((reasons) => Object.values(reasons).flat())
      .flatMap((what) => /^drops the (?:table|function) (.+)$/.exec(what)?.[1] ?? []),
  );
  for (const statement of readFileSync("prisma/grants.released.sql", "utf8")
    .replace(/^--.*$/gm, "")
    .split(";"))
    await admin.query(statement).catch((error: unknown) => {
      const names = statement.match(/\bapp\.\w+/g) ?? [];
      if (names.length === 0 || !names.every((name) => dropped.has(name))) throw error;
    });
}

it("leaves the programs of the version before every right that they use", async () => {
  const now = new Set(await rightsOfPrograms());
  await grantAsReleased();
  const before = await rightsOfPrograms();
  await migrate(database.url, silent);
  expect(before.length).toBeGreaterThan(400);
  const unused = Object.keys(UNUSED_RIGHTS);
  const gone = before.filter((right) => !now.has(right));
  expect(gone.filter((right) => !unused.some((begin) => right.startsWith(begin)))).toEqual([]);
  expect(unused.filter((begin) => !gone.some((right) => right.startsWith(begin)))).toEqual([]);
});

interface Addresses {
  user?: string;
  to?: string;
}

describe("requests of the api", () => {
  let keyId: string;

  beforeAll(async () => {
    ({ keyId } = await createApiKey(admin));
    await createWallet(admin, WALLET);
  });
  afterAll(async () => {
    await admin.query("DELETE FROM app.send_request WHERE wallet = $1", [WALLET]);
    await admin.query("DELETE FROM app.delegatee_wallet WHERE address = $1", [WALLET]);
    await admin.query("DELETE FROM app.api_key WHERE key_id = $1", [keyId]);
  });

  const insert = (role: RoleName, more = "", values = "", { user = WALLET, to = WALLET }: Addresses = {}) =>
    as(role).query<{ request_id: string }>(
      `INSERT INTO app.send_request (request_id, key_id, chain_id, product_type, operation, user_address, wallet, to_address,
         call_data, gas_limit, input_hash${more}) VALUES (gen_random_uuid(), $1, 31337, 'Sandbox', '1ct/enable', $3, $2, $4,
         '', 21000, ''${values}) RETURNING request_id`,
      [keyId, WALLET, user, to],
    );

  it.each([
    ["final", ", state, nonce, outcome", ", 'final', 1, 'confirmed'"],
    ["signed", ", state, nonce", ", 'signed', 1"],
    ["ended", ", state, err_code", ", 'failed', 'INTERNAL'"],
    ["of yesterday", ", accepted_at", ", now() - interval '1 day'"],
    ["of never", ", accepted_at", ", 'infinity'"],
    ["valued as a worker does", ", signed_notional", ", 0"],
    ["mined", ", mined_success", ", true"],
  ])("do not begin as %s: an enable that is in force would be forged", async (_what, more, values) => {
    await expect(insert("api", more, values)).rejects.toMatchObject(DENIED);
  });

  it.each<[string, string, Addresses]>([
    ["a value below 0, which frees a cap", ", -1", {}],
    ["a value that is no number", ", 'NaN'", {}],
    ["a user that is no address", ", 1", { user: "0xA" }],
    ["a target that is no address", ", 1", { to: "\n" }],
  ])("have no %s: workers could not read it, or would count it", async (_what, value, addresses) => {
    await expect(insert("api", ", notional", value, addresses)).rejects.toMatchObject(DENIED);
    expect(await insert("api", ", notional", ", 0")).toMatchObject({ rowCount: 1 });
  });

  it("are the worker's once they are signed", async () => {
    const { rows } = await insert("api");
    const id = present(rows[0], "a request").request_id;
    const end = "UPDATE app.send_request SET state = 'failed', err_code = 'INTERNAL' WHERE request_id = $1";
    await as("worker").query(
      "UPDATE app.send_request SET state = 'signed', nonce = 1, signed_at = now() WHERE request_id = $1",
      [id],
    );
    await expect(as("api").query(end, [id])).rejects.toMatchObject(DENIED);
    const waiting = present((await insert("api")).rows[0], "a request").request_id;
    expect((await as("api").query(end, [waiting])).rowCount).toBe(1);
  });
});

const WALLET = `0x${"a".repeat(40)}` as const;
const ZERO = "00000000-0000-0000-0000-000000000000";

describe("refuses", () => {
  const forbidden: [RoleName, string, string][] = [
    ["api", "to change a key", "UPDATE app.api_key SET active = true"],
    ["api", "to make a key", "INSERT INTO app.api_key DEFAULT VALUES"],
    ["api", "to widen a key's addresses", `INSERT INTO app.api_key_ip VALUES ('${ZERO}', '0.0.0.0/0')`],
    ["api", "to widen a key's scopes", `INSERT INTO app.api_key_scope VALUES ('${ZERO}', 1, 'x')`],
    ["api", "to end rotations", "SELECT app.end_rotations()"],
    ["api", "to give a key another secret", "UPDATE app.api_key SET secret_sealed = ''"],
    ["worker", "to rotate a key", `SELECT app.rotate_own_secret('${ZERO}', 0, false, '', 'k', 300)`],
    ["deliverer", "to rotate a key", `SELECT app.rotate_own_secret('${ZERO}', 0, false, '', 'k', 300)`],
    [
      "operator",
      "to rotate in a key's name",
      `SELECT app.rotate_own_secret('${ZERO}', 0, false, '', 'k', 300)`,
    ],
    ["api", "to forget what a key has used", "DELETE FROM app.key_usage"],
    ["api", "to forget a nonce", "DELETE FROM app.api_nonce"],
    ["api", "to date a nonce back", "UPDATE app.api_nonce SET claimed_at = now()"],
    ["api", "to lift a key's cap", "UPDATE app.key_policy SET daily_notional_cap = NULL"],
    ["api", "to count a key's orders as nothing", "UPDATE app.key_policy SET counted = 0"],
    ["api", "to release a key's kill switch", "UPDATE app.key_policy SET killed = false"],
    ["api", "to give a request a nonce", "UPDATE app.send_request SET nonce = 1"],
    ["api", "to give a request another call", "UPDATE app.send_request SET call_data = ''"],
    ["api", "to take a transaction for mined", "UPDATE app.send_request SET mined_success = true"],
    ["api", "to give a request an outcome", "UPDATE app.send_request SET outcome = 'confirmed'"],
    ["api", "to remove a request", "DELETE FROM app.send_request"],
    ["api", "to count what a worker signed as nothing", "UPDATE app.signed_total SET total = 0"],
    ["api", "to read what a worker signed", "SELECT * FROM app.signed_total"],
    ["api", "to value what a worker signs", "UPDATE app.send_request SET signed_notional = 0"],
    ["api", "to store signed bytes", "INSERT INTO app.send_attempt DEFAULT VALUES"],
    ["api", "to change an attempt", "UPDATE app.send_attempt SET signed_bytes = NULL"],
    ["api", "to add a wallet", "INSERT INTO app.delegatee_wallet (chain_id, address) VALUES (1, '0x')"],
    ["api", "to take a wallet's lease", "UPDATE app.delegatee_wallet SET lease_epoch = 9"],
    [
      "api",
      "to say that a switch was carried out",
      "UPDATE app.cancel_after SET fired_at = now(), requested = 0",
    ],
    [
      "api",
      "to carry out a switch",
      `SELECT app.fire_cancel_after('${ZERO}', 1, 'x', 0, '0x', '[]', 0, NULL)`,
    ],
    ["api", "to change a set of cancels", "UPDATE app.cancel_batch SET more = false"],
    ["worker", "to arm a switch", "INSERT INTO app.cancel_after DEFAULT VALUES"],
    ["worker", "to make a switch due", "UPDATE app.cancel_after SET cancel_at = now()"],
    ["worker", "to read which orders a call canceled", "SELECT * FROM app.cancel_batch"],
    ["deliverer", "to read switches", "SELECT * FROM app.cancel_after"],
    ["deliverer", "to read which orders a call canceled", "SELECT * FROM app.cancel_batch"],
    ["api", "to remove a claim", "DELETE FROM app.transaction_claim"],
    ["api", "to make a dashboard user", "INSERT INTO app.dashboard_user DEFAULT VALUES"],
    ["api", "to give a dashboard user another role", "UPDATE app.dashboard_user SET role = 'operator'"],
    ["api", "to let a dashboard user in again", "UPDATE app.dashboard_user SET revoked_at = NULL"],
    ["worker", "to read who may see dashboards", "SELECT * FROM app.dashboard_user"],
    ["operator", "to remove a dashboard user", "DELETE FROM app.dashboard_user"],
    ["api", "to change a request that was kept", "UPDATE app.request_log SET status = 200"],
    ["api", "to remove a request that was kept", "DELETE FROM app.request_log"],
    ["worker", "to read who asked what", "SELECT key_id FROM app.request_log"],
    ["deliverer", "to read who asked what", "SELECT * FROM app.request_log"],
    ["api", "to drop days of requests", "SELECT app.drop_request_partitions(now(), 1)"],
    ["api", "to write the audit log", "INSERT INTO app.audit_entry DEFAULT VALUES"],
    ["api", "to read the worker's cursor", "SELECT * FROM app.attribution_place"],
    ["api", "to change the index", "INSERT INTO onchain_old.stock_order DEFAULT VALUES"],
    ["api", "to change the index through a view", "DELETE FROM onchain.stock_order"],
    ["api", "to make a table", "CREATE TABLE public.mine (id int)"],
    ["api", "to make a table in app", "CREATE TABLE app.mine (id int)"],
    ["api", "to make a schema", "CREATE SCHEMA mine"],
    ["api", "to change the migrations", "DELETE FROM public._prisma_migrations"],
    ["api", "to drop a guard", "DROP TRIGGER send_request_guard ON app.send_request"],
    ["worker", "to make a request", `INSERT INTO app.send_request (request_id) VALUES ('${ZERO}')`],
    ["worker", "to change a key", "UPDATE app.api_key SET active = true"],
    ["worker", "to lengthen a rotation", "UPDATE app.api_key SET previous_secret_until = now()"],
    ["worker", "to change a rate limit's count", "UPDATE app.key_usage SET used = 0"],
    ["worker", "to change a policy", "UPDATE app.key_policy SET killed = false"],
    ["worker", "to claim a nonce", `INSERT INTO app.api_nonce VALUES ('${ZERO}', '${ZERO}')`],
    ["worker", "to make a delegation", "INSERT INTO app.delegation VALUES (1, 'x', '0x', '0x')"],
    ["worker", "to remove a wallet", "DELETE FROM app.delegatee_wallet"],
    ["worker", "to remove an attempt", "DELETE FROM app.send_attempt"],
    ["worker", "to write the audit log", "INSERT INTO app.audit_entry DEFAULT VALUES"],
    ["worker", "to change the index", "INSERT INTO onchain_old.stock_order DEFAULT VALUES"],
    ["worker", "to drop the index", "DROP SCHEMA onchain CASCADE"],
    ["worker", "to make a schema", "CREATE SCHEMA mine"],
    ["worker", "to give a webhook a secret", "UPDATE app.webhook_secret SET sealed = ''"],
    ["api", "to lead a webhook elsewhere", "UPDATE app.webhook SET url = 'https://x'"],
    ["api", "to take a delivery's lease", "UPDATE app.webhook_delivery SET lease = NULL"],
    ["operator", "to lead a webhook elsewhere", "UPDATE app.webhook SET url = 'https://x'"],
    ["api", "to give a test an outcome", "UPDATE app.webhook_test SET error = NULL"],
    ["api", "to say that a webhook was disabled", `SELECT app.append_webhook_disabled('${ZERO}', '{}')`],
    ["deliverer", "to read what signs requests", "SELECT secret_sealed FROM app.api_key"],
    ["deliverer", "to read keys' addresses", "SELECT * FROM app.api_key_ip"],
    ["deliverer", "to read policies", "SELECT * FROM app.key_policy"],
    ["deliverer", "to claim a nonce", `INSERT INTO app.api_nonce VALUES ('${ZERO}', '${ZERO}')`],
    ["deliverer", "to read requests to send", "SELECT * FROM app.send_request"],
    ["deliverer", "to make a request", `INSERT INTO app.send_request (request_id) VALUES ('${ZERO}')`],
    ["deliverer", "to read signed bytes", "SELECT * FROM app.send_attempt"],
    ["deliverer", "to read wallets", "SELECT * FROM app.delegatee_wallet"],
    ["deliverer", "to read delegations", "SELECT * FROM app.delegation"],
    ["deliverer", "to read claims", "SELECT * FROM app.transaction_claim"],
    ["deliverer", "to write the log of events", "INSERT INTO app.event DEFAULT VALUES"],
    ["deliverer", "to remove from the log of events", "DELETE FROM app.event"],
    ["deliverer", "to number a log", "UPDATE app.event_head SET sequence = 0"],
    ["deliverer", "to lead a webhook elsewhere", "UPDATE app.webhook SET url = 'https://x'"],
    ["deliverer", "to make a webhook", "INSERT INTO app.webhook DEFAULT VALUES"],
    ["deliverer", "to give a webhook a secret", "UPDATE app.webhook_secret SET sealed = ''"],
    ["deliverer", "to ask for a test", "INSERT INTO app.webhook_test DEFAULT VALUES"],
    ["deliverer", "to read dashboard users", "SELECT * FROM app.dashboard_user"],
    ["deliverer", "to read the audit log", "SELECT * FROM app.audit_entry"],
    ["deliverer", "to read the index", "SELECT * FROM onchain.stock_order"],
    ["deliverer", "to make a table", "CREATE TABLE public.mine (id int)"],
    ["indexer", "to read webhooks", "SELECT * FROM app.webhook"],
    ["indexer", "to read keys", "SELECT * FROM app.api_key"],
    ["indexer", "to read claims", "SELECT * FROM app.transaction_claim"],
    ["indexer", "to write requests", "UPDATE app.send_request SET state = 'final'"],
    ["indexer", "to make a table in app", "CREATE TABLE app.mine (id int)"],
    ["indexer", "to drop app", "DROP SCHEMA app CASCADE"],
    ["indexer", "to read the migrations", "SELECT * FROM public._prisma_migrations"],
    ["operator", "to say that rows are filled", "UPDATE app.event_chain SET filled = true"],
    ["operator", "to change what keys see", "UPDATE app.key_order SET status = 'Filled'"],
    ["operator", "to change the audit log", "UPDATE app.audit_entry SET actor = 'nobody'"],
    ["operator", "to remove from the audit log", "DELETE FROM app.audit_entry"],
    ["operator", "to store signed bytes", "UPDATE app.send_attempt SET signed_bytes = NULL"],
    ["operator", "to make a request", `INSERT INTO app.send_request (request_id) VALUES ('${ZERO}')`],
    ["operator", "to change the index", "INSERT INTO onchain_old.stock_order DEFAULT VALUES"],
    ["operator", "to make a table in app", "CREATE TABLE app.mine (id int)"],
    ["owner", "to make a role", "CREATE ROLE mine"],
    ["owner", "to make a database", "CREATE DATABASE mine"],
    ["owner", "to change the index", "INSERT INTO onchain_old.stock_order DEFAULT VALUES"],
  ];

  it.each(forbidden)("the %s %s", async (role, _what, statement) => {
    await expect(as(role).query(statement)).rejects.toMatchObject(DENIED);
  });
});

describe("lets", () => {
  it("the operator make and rotate a key, the api count for it, and the worker end its rotation, with its audit", async () => {
    const { rows } = await as("operator").query<{ key_id: string }>(
      `INSERT INTO app.api_key (name, api_key, secret_sealed, master_key_id, access, previous_secret_sealed,
         previous_master_key_id, previous_secret_until)
       VALUES ('n', 'pk_roles', $1, 'k', 'WRITABLE', $1, 'k', now()) RETURNING key_id`,
      [Buffer.alloc(40)],
    );
    const keyId = present(rows[0], "a key").key_id;
    const claim = createNonceClaimer(apiPool, { limits: { reads: 5, writes: 5 } });
    const { rows: keys } = await as("api").query<{ revision: number }>(
      "SELECT revision FROM app.api_key WHERE key_id = $1",
      [keyId],
    );
    const revision = present(keys[0], "the key").revision;
    expect(await claim({ keyId, revision, nonce: randomUUID(), kind: "reads", cost: 2 })).toMatchObject({
      outcome: "claimed",
      quota: { remaining: 3 },
    });
    expect((await as("worker").query("SELECT app.end_rotations() AS ended")).rows).toEqual([{ ended: 1 }]);
    const audit = await as("operator").query("SELECT action FROM app.audit_entry WHERE subject = 'pk_roles'");
    expect(audit.rows).toEqual([{ action: "key.rotate.finish" }]);
  });

  it("the api rotate a WRITABLE key that is as it was seen, within bounds, and nothing else of it", async () => {
    const made = async (access: string) => {
      const { rows } = await admin.query<{ key_id: string; api_key: string }>(
        `INSERT INTO app.api_key (name, api_key, secret_sealed, master_key_id, access)
         VALUES ('n', 'pk_' || gen_random_uuid(), $1, 'k', $2::app.access) RETURNING key_id, api_key`,
        [Buffer.alloc(40, 1), access],
      );
      return present(rows[0], "a key");
    };
    const rotate = (keyId: string, seen: number, overlap: number | null = 300) =>
      as("api").query("SELECT * FROM app.rotate_own_secret($1, $2, false, $3, 'k2', $4)", [
        keyId,
        seen,
        Buffer.alloc(41, 2),
        overlap,
      ]);
    const [writer, reader] = [await made("WRITABLE"), await made("READ_ONLY")];
    const before = (await admin.query("SELECT * FROM app.api_key WHERE key_id = $1", [writer.key_id]))
      .rows[0];
    for (const overlap of [0, 299, 604_801, null])
      await expect(rotate(writer.key_id, 0, overlap)).rejects.toThrow(
        "an overlap is from 300 to 604800 seconds",
      );
    for (const [keyId, seen] of [
      [writer.key_id, 7],
      [reader.key_id, 0],
      [ZERO, 0],
    ] as const)
      expect((await rotate(keyId, seen)).rows).toEqual([{ outcome: "changed", at: null }]);
    expect((await rotate(writer.key_id, 0)).rows).toMatchObject([{ outcome: "rotated" }]);
    const after = (await admin.query("SELECT * FROM app.api_key WHERE key_id = $1", [writer.key_id])).rows[0];
    expect(after).toEqual({
      ...before,
      secret_sealed: Buffer.alloc(41, 2),
      master_key_id: "k2",
      previous_secret_sealed: before.secret_sealed,
      previous_master_key_id: "k",
      previous_secret_until: expect.any(Date),
      revision: 1,
    });
    const audit = await admin.query(
      "SELECT actor, login, subject FROM app.audit_entry WHERE action = 'key.rotate'",
    );
    expect(audit.rows).toContainEqual({
      actor: writer.api_key,
      login: expect.any(String),
      subject: writer.api_key,
    });
    await admin.query("DELETE FROM app.api_key WHERE key_id = ANY($1)", [[writer.key_id, reader.key_id]]);
  });

  it.each(["api", "worker", "operator"] as const)(
    "the %s read what a new build of the indexer makes",
    async (role) => {
      const schema = `onchain_${role}`;
      await as("indexer").query(`
        CREATE SCHEMA ${schema};
        CREATE TABLE ${schema}.stock_order (id int);
        INSERT INTO ${schema}.stock_order VALUES (7);
        DROP SCHEMA onchain CASCADE; CREATE SCHEMA onchain;
        CREATE VIEW onchain.stock_order AS SELECT * FROM ${schema}.stock_order`);
      const { rows } = await as(role).query("SELECT id FROM onchain.stock_order");
      expect(rows).toEqual([{ id: 7 }]);
      await expect(as(role).query("DELETE FROM onchain.stock_order")).rejects.toMatchObject(DENIED);
    },
  );

  it("the worker remove events that have expired, and keep partitions without a right to tables", async () => {
    const pool = openPool({ connectionString: database.url, options: `-c role=${ROLES.worker}`, max: 1 });
    try {
      await expect(removeExpiredEvents(pool, { days: 30 })).resolves.toBeUndefined();
      await admin.query(`DROP TABLE ${await lastPartition()}`);
      const changes = await keepPartitions(
        pool,
        { info: () => undefined, warn: () => undefined },
        { days: 30 },
      );
      expect(changes).toMatchObject({ made: 1, entered: 2 });
      expect(changes.dropped).toBe(changes.detached.length);
      expect(await readPartitionState(pool)).toMatchObject([
        { parent: "event" },
        { parent: "request_log" },
        { parent: "webhook_delivery" },
      ]);
      const made = await lastPartition();
      const { rows } = await admin.query(
        "SELECT relowner::regrole::text AS owner, relacl AS rights FROM pg_class WHERE oid = $1::regclass",
        [made],
      );
      expect(rows).toEqual([{ owner: ROLES.owner, rights: null }]);
      for (const role of ["api", "worker", "deliverer", "operator"] as const)
        await expect(as(role).query(`SELECT FROM ${made}`)).rejects.toMatchObject(DENIED);
      for (const statement of [`DROP TABLE ${made}`, "SELECT app.partition_pending('event', 'x', 1)"])
        await expect(as("worker").query(statement)).rejects.toMatchObject(DENIED);
      for (const role of ["api", "operator"] as const)
        await expect(as(role).query("SELECT app.detach_partition(now(), 1)")).rejects.toMatchObject(DENIED);
    } finally {
      await pool.end();
    }
  });

  it("the worker keep the blocks that it has projected", async () => {
    const insert = (hash: string) =>
      as("worker").query(
        `INSERT INTO app.projected_block AS b VALUES (1, 2, $1) ON CONFLICT (chain_id, number) DO UPDATE
         SET hash = excluded.hash WHERE b.hash IS DISTINCT FROM excluded.hash`,
        [hash],
      );
    for (const hash of ["0x1", "0x2"])
      expect({ hash, inserted: await insert(hash) }).toMatchObject({ hash, inserted: { rowCount: 1 } });
    const { rows } = await as("worker").query("DELETE FROM app.projected_block RETURNING hash");
    expect(rows).toEqual([{ hash: "0x2" }]);
  });

  it("the worker sample wallets and the api count requests, and the worker remove both", async () => {
    const now = Date.now();
    const options = { pool: apiPool, log: pino({ level: "silent" }), now: () => now, except: [] };
    for (const counts of [createRequestCounts(options), createRequestCounts(options)]) {
      counts.observe({ method: "GET", route: null, status: 404, seconds: 1 });
      await counts.stop();
    }
    const { rows } = await admin.query("SELECT requests FROM app.request_sample");
    expect(rows).toEqual([{ requests: "2" }]);
    const wallet = `0x${"5a".repeat(20)}`;
    await admin.query("INSERT INTO app.delegatee_wallet (chain_id, address) VALUES (1, $1)", [wallet]);
    const pool = openPool({ connectionString: database.url, options: `-c role=${ROLES.worker}`, max: 2 });
    const deps = { pool, prisma: prismaOn(pool), chains: new Map(), now: () => now };
    try {
      await sampleGauges(deps);
      expect((await admin.query("SELECT wallet FROM app.wallet_sample")).rows).toEqual([{ wallet }]);
      await removeOldSamples({ ...deps, now: () => now + 33 * 86_400_000 });
    } finally {
      await pool.end();
    }
    expect((await admin.query("SELECT FROM app.wallet_sample")).rows).toEqual([]);
    expect((await admin.query("SELECT FROM app.request_sample")).rows).toEqual([]);
    expect((await admin.query("SELECT FROM app.endpoint_sample")).rows).toEqual([]);
  });

  it("the api keep requests and read them", async () => {
    const registry = new Registry();
    const log = { warn: () => undefined };
    const kept = createRequestLog({ pool: apiPool, log, registry, now: Date.now, fields: new Set() });
    const caller = {
      keyId: ZERO,
      apiKey: "pk",
      access: "READ_ONLY",
      chainId: 1,
      productType: "x",
      userAddress: null,
    } as const;
    const refused = {
      uuid: randomUUID(),
      request: { method: "GET" },
      route: "/orders",
      caller,
      error: null,
      written: null,
    };
    kept.observe(refused, { status: 429, ms: 1 });
    await kept.stop();
    const { rows } = await apiPool.query("SELECT uuid, status FROM app.request_log");
    expect(rows).toEqual([{ uuid: refused.uuid, status: 429 }]);
  });

  it("the operator's functions change keys under its role, and Prisma read and write under the others'", async () => {
    const poolOf = (role: RoleName) =>
      openPool({ connectionString: database.url, options: `-c role=${ROLES[role]}`, max: 1 });
    const pools = { operator: poolOf("operator"), worker: poolOf("worker") };
    // Its secret is none.
    await admin.query("DELETE FROM app.api_key WHERE api_key = 'pk_roles'");
    try {
      const prisma = prismaOn(pools.operator);
      const deps = { prisma, deployments, masterKeys: MASTER_KEYS, now: Date.now, actor: "an operator" };
      const scopes = [{ chainId: CHAIN_ID, productType: PRODUCT }];
      const { apiKey, keyId } = await createKey(deps, {
        name: "k",
        access: "WRITABLE",
        scopes,
        ips: ["::1"],
      });
      await updateKey(deps, apiKey, { addIps: ["10.0.0.1"], removeIps: ["::1"] });
      await rotateKey(deps, apiKey, { overlapSeconds: 60 });
      expect(await resealKeys({ ...deps, masterKeys: [OTHER_MASTER_KEY, ...MASTER_KEYS] })).toBe(2);
      await finishRotation(deps, apiKey);
      await prisma.keyPolicy.upsert({ where: { keyId }, create: { keyId }, update: { killed: true } });
      expect(await listKeys(deps)).toMatchObject([{ apiKey, ips: ["10.0.0.1"] }]);
      expect(await revokeKey(deps, apiKey)).toBe(true);

      const cursor = { block: 1n, index: 2, txHash: `0x${"ab".repeat(32)}` as const };
      const product = { chainId: CHAIN_ID, productType: PRODUCT, router: "0x01", startBlock: 0 } as const;
      const scope = cursorScopeOf([], product);
      const worker = prismaOn(pools.worker);
      await writeSyncCursor(worker, scope, cursor);
      await writeSyncCursor(worker, scope, { ...cursor, index: 3 });
      expect(await readSyncCursor(worker, scope)).toEqual({ ...cursor, index: 3 });
      const api = prismaOn(apiPool);
      expect(await findAttributedKey(api, CHAIN_ID, cursor.txHash)).toBeNull();
      await expect(requireRecordingQuota(apiPool, keyId)).resolves.toBeUndefined();
    } finally {
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
    }
  });

  it("the api make, change and test webhooks, the deliverer deliver to them and disable them, the operator pause and resume them", async () => {
    const poolOf = (role: RoleName) =>
      openPool({ connectionString: database.url, options: `-c role=${ROLES[role]}`, max: 2 });
    const pools = {
      api: poolOf("api"),
      worker: poolOf("worker"),
      deliverer: poolOf("deliverer"),
      operator: poolOf("operator"),
    };
    try {
      await tryWebhooks(pools);
    } finally {
      await Promise.all(Object.values(pools).map((pool) => pool.end()));
    }
  });

  it("each operator work by a login of their own, which the audit log has whatever a statement says", async () => {
    const login = `operator_alice_${process.pid}`;
    await admin.query(`CREATE ROLE ${login} LOGIN PASSWORD 'a' IN ROLE ${ROLES.operator}`);
    const url = new URL(database.url);
    [url.username, url.password] = [login, "a"];
    const alice = await connect(url.href);
    try {
      await alice.query(`SET ROLE ${ROLES.operator}`);
      await alice.query(`INSERT INTO app.audit_entry (actor, login, action, subject, detail)
        VALUES ('bob', 'operator_bob', 'key.revoke', 'login', '{}')`);
      const entries = await readAudit(prismaOn(apiPool), { login }, { limit: 10 });
      expect(entries).toMatchObject([{ actor: "bob", login, subject: "login" }]);
      await expect(alice.query("UPDATE app.audit_entry SET login = 'x'")).rejects.toMatchObject(DENIED);
    } finally {
      await alice.end();
      await admin.query(`DROP ROLE ${login}`);
    }
  });

  it("the operator make, rotate, list and revoke a dashboard user, and the api let them in and show the audit log", async () => {
    const operator = openPool({
      connectionString: database.url,
      options: `-c role=${ROLES.operator}`,
      max: 1,
    });
    try {
      const deps = { prisma: prismaOn(operator), now: Date.now, actor: "an operator" };
      await createUser(deps, { name: "roles", role: "viewer", expiresAt: null });
      const { token } = await rotateToken(deps, { name: "roles", expiresAt: null });
      const stored = present(await findByTokenHash(apiPool, hashToken(token)), "the user");
      expect(stored).toMatchObject({ name: "roles", role: "viewer", lastUsedAt: null });
      await noteUse(apiPool, stored.userId);
      expect(await listUsers(deps)).toMatchObject([{ name: "roles", lastUsedAt: expect.any(Date) }]);
      await revokeUser(deps, "roles");
      const entries = await readAudit(prismaOn(apiPool), { subject: "roles" }, { limit: 10 });
      expect(entries.map(({ action }) => action.split(" ")[1])).toEqual(["revoke", "rotate", "create"]);
    } finally {
      await operator.end();
    }
  });

  it("the indexer remove what it made before it had a role of its own", async () => {
    await as("indexer").query("DROP SCHEMA onchain_old CASCADE; DROP SCHEMA ponder_sync CASCADE");
    const { rows } = await admin.query("SELECT to_regnamespace('onchain_old') AS found");
    expect(rows).toEqual([{ found: null }]);
  });

  it("the owner make a table, which is nobody else's until grants.sql says so", async () => {
    await as("owner").query("CREATE TABLE app.later (id int)");
    try {
      for (const role of ["api", "worker", "deliverer", "indexer", "operator"] as const) {
        await expect(as(role).query("SELECT * FROM app.later")).rejects.toMatchObject(DENIED);
      }
    } finally {
      await as("owner").query("DROP TABLE app.later");
    }
  });
});

/** Tries all of the programs' accesses to webhooks, under their roles. */
async function tryWebhooks(
  pools: Record<"api" | "worker" | "deliverer" | "operator", pg.Pool>,
): Promise<void> {
  const { rows } = await admin.query<{ key_id: string }>(
    `INSERT INTO app.api_key (name, api_key, secret_sealed, master_key_id, access)
     VALUES ('n', 'pk_webhooks', $1, 'k', 'WRITABLE') RETURNING key_id`,
    [Buffer.alloc(40)],
  );
  const keyId = present(rows[0], "a key").key_id;
  await admin.query("INSERT INTO app.api_key_scope VALUES ($1, $2, $3)", [keyId, CHAIN_ID, PRODUCT]);
  const scope = { keyId, chainId: CHAIN_ID, productType: PRODUCT };
  const caller = { ...scope, apiKey: "pk_webhooks", access: "WRITABLE", userAddress: null } as const;
  const settings = { keys: MASTER_KEYS, allowLoopback: true, resolve: async () => [] };
  const of = (pool: pg.Pool) => ({ pool, webhooks: settings, now: Date.now, log: pino({ level: "silent" }) });
  const [api, deliverer] = [of(pools.api), of(pools.deliverer)];
  const unused = `http://127.0.0.1:${await freePort()}`;
  const { webhook } = await webhooks.createWebhook(api, caller, { url: unused, types: "" });
  const { webhookId } = webhook;
  const event = { type: "order.filled", resource: "orders", data: {} } as const;
  await inTransaction(pools.worker, (client) => appendEvent(client, { ...scope, ...event }));
  await enqueueAll(deliverer);
  await admin.query("UPDATE app.webhook SET failing_since = now() - interval '4 days'");
  const [due] = await leaseAttempts(pools.deliverer, "quick", 1);
  expect(await runAttempt(deliverer, present(due, "a claim"))).toBe("failed");
  expect(
    await deliverer.pool.query("SELECT type FROM app.event ORDER BY position DESC LIMIT 1"),
  ).toMatchObject({
    rows: [{ type: "webhook.disabled" }],
  });
  expect((await webhooks.listWebhooks(api, caller)).rows).toMatchObject([{ disabledReason: "failing" }]);
  await webhooks.enable(api, caller, { webhookId });
  const page = await listDeliveries(api, caller, {
    webhookId,
    limit: 1,
    status: undefined,
    cursor: undefined,
  });
  const { deliveryId } = present(page.rows[0], "the delivery");
  await redeliver(api, caller, { webhookId, deliveryId });
  await webhooks.rotateWebhook(api, caller, { webhookId, overlapSeconds: 60 });
  await inTransaction(pools.operator, async (client) => {
    expect(await readOverview(pools.operator)).toMatchObject([{ webhookId }]);
    const isLocked = await lockAnyWebhook(client, webhookId);
    await pauseWebhook(client, webhookId);
    await enableWebhook(client, webhookId);
    const revived = await revive(client, webhookId, deliveryId);
    const resealed = await resealSecrets(client, [OTHER_MASTER_KEY, ...MASTER_KEYS]);
    expect({ isLocked, revived, resealed }).toEqual({ isLocked: true, revived: 1, resealed: 2 });
  });
  const testId = await insertTest(pools.api, webhookId);
  await runTest(
    { ...deliverer, webhooks: { ...settings, keys: [OTHER_MASTER_KEY] } },
    present(await claimTest(pools.deliverer), "a test"),
  );
  expect(await readTest(pools.api, testId)).toMatchObject({
    isEnded: true,
    error: "the connection was refused",
  });
  await removeOldTests(pools.deliverer);
  expect(await boundPending(pools.deliverer)).toEqual(expect.any(Number));
  await webhooks.deleteWebhook(api, caller, { webhookId });
  await removeOldDeliveries(pools.deliverer, 30);
  expect(await readQueueState(pools.deliverer)).toMatchObject({ depth: 0, enabled: 0, disabled: 0 });
  expect((await admin.query("SELECT webhook_id FROM app.webhook")).rows).toEqual([]);
}

describe("another database", () => {
  const query = async (url: string, statement: string) => {
    const client = await connect(url);
    try {
      return (await client.query(statement)).rows;
    } finally {
      await client.end();
    }
  };
  const RIGHTS = "SELECT relacl FROM pg_class WHERE oid = 'app.api_key'::regclass";

  it("that one role serves is migrated as ever, and grants nothing to others of the same server", async () => {
    const other = await createDatabase({ empty: true });
    try {
      expect((await migrate(other.url, silent)).length).toBeGreaterThan(0);
      expect(await query(other.url, RIGHTS)).toEqual([{ relacl: null }]);
    } finally {
      await other.drop();
    }
  });

  it("is made from nothing by its owners: an administrator who is no superuser, then partner_owner", async () => {
    const other = await createDatabase({ empty: true });
    const name = new URL(other.url).pathname.slice(1);
    const chief = `chief_${name}`;
    const login = (role: string, password: string) => {
      const url = new URL(other.url);
      url.username = role;
      url.password = password;
      return url.href;
    };
    try {
      await query(other.url, `CREATE ROLE ${chief} LOGIN CREATEROLE PASSWORD 'chief'`);
      await query(other.url, `ALTER DATABASE ${name} OWNER TO ${chief}`);
      await query(other.url, `ALTER SCHEMA public OWNER TO ${chief}`);
      // Roles belong to the whole server: the grant stands for that of a chief that created them itself.
      await query(other.url, `GRANT ${Object.values(ROLES).join(", ")} TO ${chief} WITH ADMIN OPTION`);
      await createRoles(login(chief, "chief"));
      await query(other.url, `CREATE ROLE heir_${name} LOGIN PASSWORD 'heir' IN ROLE ${ROLES.owner}`);
      await query(other.url, `ALTER ROLE heir_${name} IN DATABASE ${name} SET role = '${ROLES.owner}'`);
      await migrate(login(`heir_${name}`, "heir"), silent);
      const owners =
        "SELECT DISTINCT relowner::regrole::text AS owner FROM pg_class WHERE relnamespace = 'app'::regnamespace";
      expect(await query(other.url, owners)).toEqual([{ owner: ROLES.owner }]);
      expect(await query(other.url, RIGHTS)).toEqual([{ relacl: expect.stringContaining("partner_api=r/") }]);
    } finally {
      await other.drop();
      await query(database.url, `DROP ROLE IF EXISTS heir_${name}`);
      await query(database.url, `DROP OWNED BY ${chief} CASCADE`).catch(() => undefined);
      await query(database.url, `DROP ROLE IF EXISTS ${chief}`);
    }
  });
});
