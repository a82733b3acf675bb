import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { newestBackupSeconds } from "../../packages/admin/src/backup-check/backups.ts";
import { start } from "../../packages/admin/src/backup-check/start.ts";
import { ROOT } from "../../src/config/root.ts";
import { migrate } from "../../src/db/migrate.ts";
import { createRoles } from "../../src/db/roles.ts";
import type { Running } from "../../src/http/lifecycle.ts";
import { canary, openLog } from "../support/assert/logs.ts";
import { LONG } from "../support/assert/long.ts";
import { present, until } from "../support/assert/until.ts";
import { indexedUpTo } from "../support/chain/indexer.ts";
import { type PostgresServer, startPostgres } from "../support/db/postgres.ts";
import type { Send } from "../support/http/answers.ts";
import { readMetric } from "../support/http/read-metric.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { POSTGRESQL } from "../support/program/parts.mjs";
import { enableUser, marketBuy } from "../support/sender/sending.ts";
import { type Stack, startStack, untilReady } from "../support/sender/stack.ts";

/**
 * docs/faults.md, rows 86 and 95: deploy/compose/backup.sh and the program backup-check, with two servers of Debian's PostgreSQL in the places of
 * the compose file's `postgres` and `scratch`. The first one has what the programs of production wrote.
 */
const LAST_SUCCESS = "partner_trading_backup_last_success_timestamp_seconds";
const CHECKED = "partner_trading_backup_restore_checked_timestamp_seconds";
const ORDERS = 3;

describeWhere("postgresql", "backups by schedule", () => {
  let server: PostgresServer;
  let scratch: PostgresServer;
  let stack: Stack;
  let directory: string;
  let check: Running;
  let logged = "";

  beforeAll(async () => {
    const programs = present(POSTGRESQL, "PostgreSQL");
    directory = mkdtempSync(join(tmpdir(), "partner-backups-"));
    [server, scratch] = await Promise.all([startPostgres({ programs }), startPostgres({ programs })]);
    await migrate(server.adminUrl, { info: () => undefined });
    stack = await startStack({
      database: { server, databaseUrl: server.adminUrl, stop: server.stop },
      users: 1,
    });
    await placeOrders();
    // Hands what the programs made over to their roles.
    await createRoles(server.adminUrl);
    for (const role of ["owner", "indexer"])
      await stack.pool.query(`ALTER ROLE partner_${role} PASSWORD '${passwords[role]}'`);
    const url = new URL(scratch.adminUrl);
    url.pathname = "/restored";
    const log = openLog("backup-check");
    check = await start(
      { ...stack.sending.env, DATABASE_URL: url.href, BACKUPS_DIRECTORY: directory, PORT: "0" },
      {
        waitMs: 100,
        againMs: 100,
        logTo: {
          write: (line) => {
            logged += line;
            log.write(line);
          },
        },
      },
    );
  }, 240_000);
  afterAll(async () => {
    await check?.stop();
    await stack?.close();
    await scratch?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const passwords: Record<string, string> = {
    owner: canary("owner's password", "owner-of-the-backup"),
    indexer: canary("indexer's password", "indexer-of-the-backup"),
  };

  /** Sends orders and waits until they are final and in the rows that keys see; then a day passes on the chain, and the programs end. */
  async function placeOrders(): Promise<void> {
    const [api, worker] = await Promise.all([stack.startApi(), stack.startWorker()]);
    await untilReady(api.url);
    const partner = await enableUser(stack.sending, api.url, present(stack.product.users[0], "a user"));
    for (let order = 0; order < ORDERS; order += 1)
      await partner.must(partner.post<Send>("/orders/send", marketBuy(stack.sending, String(10 + order))));
    await until(
      "the sends are mined, and the orders in the rows",
      async () => {
        await stack.chain.mine({ blocks: 1 });
        const { rows } = await stack.pool.query(
          "SELECT (SELECT count(*) FROM app.send_request WHERE outcome = 'confirmed')::int AS sends, (SELECT count(*) FROM app.key_order)::int AS orders",
        );
        return rows[0].sends > ORDERS && rows[0].orders === ORDERS;
      },
      120_000,
    );
    await stack.chain.increaseTime({ seconds: 86_400 });
    await stack.chain.mine({ blocks: 5 });
    const head = await stack.chain.getBlockNumber();
    await indexedUpTo(stack.pool, stack.indexer(), partner.key.chainId, head);
    // Rows a block behind the index count as no difference of a restored backup (row 95).
    await until(
      "the rows are of the chain's head",
      async () => {
        const { rows } = await stack.pool.query(
          "SELECT block_number >= $1 AS is_whole FROM app.event_chain",
          [head],
        );
        return rows[0].is_whole;
      },
      60_000,
    );
    for (const { program } of [api, worker]) {
      program.kill("SIGTERM");
      await program.exited;
    }
    await stack.indexer().stop();
  }

  /** Runs backup.sh: a half of it, or as the compose file does. */
  function backUp(half?: "dump" | "restore") {
    const to = new URL(scratch.adminUrl);
    const passFile = join(directory, "pgpass");
    writeFileSync(passFile, `127.0.0.1:${to.port}:*:postgres:${to.password}\n`, { mode: 0o600 });
    const env = {
      PATH: `${POSTGRESQL}:${process.env.PATH}`,
      PGHOST: "127.0.0.1",
      PGPORT: String(server.port),
      PGDATABASE: "postgres",
      PGPASSFILE: passFile,
      PARTNER_OWNER_PASSWORD: passwords.owner,
      PARTNER_INDEXER_PASSWORD: passwords.indexer,
      SCRATCH_HOST: "127.0.0.1",
      SCRATCH_PORT: to.port,
      ROLES_SQL: join(ROOT, "prisma/roles.sql"),
      BACKUPS_DIRECTORY: directory,
      BACKUP_EVERY_SECONDS: "3600",
      BACKUP_KEEP_DAYS: "7",
    };
    return promisify(execFile)("sh", [join(ROOT, "deploy/compose/backup.sh"), half ?? "repeat"], {
      env,
    });
  }

  const withoutTriggers = (statement: string) =>
    stack.pool.query(`BEGIN; SET LOCAL session_replication_role = replica; ${statement}; COMMIT`);

  const dumps = () => readdirSync(directory).filter((name) => name.endsWith(".dump"));
  const metric = (name: string) => readMetric(check.url, name);
  const newest = () => newestBackupSeconds(directory);

  /** /metrics is rendered once a second. */
  const metricIs = (name: string, seconds: number) =>
    until(`${name} is ${seconds}`, async () => (await metric(name)) === seconds, 60_000);
  const saidWrong = (command: string) =>
    until(
      `it is said that ${command} failed`,
      () => logged.includes("a restored backup is not right") && logged.includes(`"command":"${command}`),
      60_000,
    );

  it("row 86: a backup is restored, found right, and says so", async () => {
    expect({ before: await metric(LAST_SUCCESS), checked: await metric(CHECKED) }).toEqual({
      before: 0,
      checked: 0,
    });
    const service = backUp();
    await until("there is a backup", () => dumps().length === 1, 60_000);
    await metricIs(LAST_SUCCESS, await newest());
    await metricIs(CHECKED, await newest());
    service.child.kill("SIGTERM");
    expect((await service).stdout.split("\n")).toEqual([
      `backed up: ${dumps()[0]}`,
      `restored: ${dumps()[0]}`,
      "",
    ]);
    expect(readdirSync(directory).filter((name) => /partial|done/.test(name))).toEqual([]);
  });

  it("row 86: a file that is damaged is not restored, and the one before stays the last that was found right", async () => {
    const before = await newest();
    await until("another second has begun", () => Date.now() >= (before + 1) * 1_000);
    await backUp("dump");
    const name = present(dumps().toSorted().at(-1), "a backup");
    truncateSync(join(directory, name), Math.floor(readFileSync(join(directory, name)).length / 2));
    await expect(backUp("restore")).rejects.toThrow(/pg_restore: error/);
    await metricIs(LAST_SUCCESS, await newest());
    expect(await newest()).toBeGreaterThan(before);
    expect(await metric(CHECKED)).toBe(before);
    rmSync(join(directory, name));
  });

  const outcomeBecomes = (outcome: string) =>
    `UPDATE app.send_request SET outcome = '${outcome}' WHERE operation = 'orders/send'`;

  const behindIndex = async () => {
    const before = await newest();
    const { rows } = await stack.pool.query("SELECT claim_id, status FROM app.key_order LIMIT 1");
    const { claim_id: claimId, status } = present(rows[0], "an order");
    const behind = (blocks: number, shown: string) =>
      withoutTriggers(
        `UPDATE app.event_chain SET block_number = block_number - ${blocks}; UPDATE app.key_order SET status = '${shown}' WHERE claim_id = '${claimId}'`,
      );
    await behind(1, "Failed");
    await until("another second has begun", () => Date.now() >= (before + 1) * 1_000);
    await backUp("dump");
    await behind(-1, status);
    await backUp("restore");
    expect(await newest()).toBeGreaterThan(before);
    await metricIs(CHECKED, await newest());
  };
  if (LONG)
    it("row 95: a backup of a moment at which the worker was a block behind the index is right", behindIndex);

  const OUTCOMES = [
    "outcomes",
    "reconcile",
    outcomeBecomes("reverted"),
    outcomeBecomes("confirmed"),
  ] as const;
  const ROWS = ["rows of a key", "projection check", "DELETE FROM app.key_order", null] as const;
  it.each(LONG ? [OUTCOMES, ROWS] : [ROWS])(
    "row 86: a backup with wrong %s is not right by %s",
    async (_what, command, damage, repair) => {
      const before = await metric(CHECKED);
      logged = "";
      await withoutTriggers(damage);
      await backUp("dump");
      await backUp("restore");
      await saidWrong(command);
      expect(await metric(CHECKED)).toBe(before);
      if (repair === null) return;
      await withoutTriggers(repair);
      await backUp("dump");
      await backUp("restore");
      await metricIs(CHECKED, await newest());
    },
  );

  it("row 86: where production cannot be read, no file is left that looks like a backup", async () => {
    const before = dumps();
    await stack.pool.query("ALTER ROLE partner_owner NOLOGIN");
    await expect(backUp("dump")).rejects.toThrow(/not permitted to log in/);
    await stack.pool.query("ALTER ROLE partner_owner LOGIN");
    expect(dumps()).toEqual(before);
  });
});
