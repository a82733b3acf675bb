import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { ROOT } from "../../src/config/root.ts";
import { migrate } from "../../src/db/migrate.ts";
import { createRoles, ROLES, type RoleName } from "../../src/db/roles.ts";
import { present, until } from "../support/assert/until.ts";
import { indexedUpTo, schemaOf, startIndexer, type TestIndexer } from "../support/chain/indexer.ts";
import { openPool } from "../support/db/pool.ts";
import { type PostgresServer, startPostgres } from "../support/db/postgres.ts";
import type { OrderList, Send } from "../support/http/answers.ts";
import { createPartner, type PartnerKey } from "../support/http/partner.ts";
import { operate } from "../support/program/command.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import { shellBlocksOf } from "../support/program/markdown.ts";
import { POSTGRESQL } from "../support/program/parts.mjs";
import { minedFrom } from "../support/sender/chain-fixture.ts";
import { enableUser, marketBuy, withKey } from "../support/sender/sending.ts";
import { type Stack, type Started, startStack, untilReady } from "../support/sender/stack.ts";

/**
 * docs/faults.md, row 91: docs/operations/postgres-upgrade.md, followed from Debian's PostgreSQL to the one of this repository, which is
 * newer.
 */
describeWhere("postgresql", "a new major version of PostgreSQL, by dump and restore", () => {
  let server: PostgresServer;
  let next: PostgresServer;
  let stack: Stack;
  let directory: string;
  let key: PartnerKey;
  let indexer: TestIndexer | null = null;
  let indexedBefore = 0n;
  const bodies = new Map<string, ReturnType<typeof marketBuy>>();
  const blocks = shellBlocksOf("docs/operations/postgres-upgrade.md");

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "partner-upgrade-"));
    [server, next] = await Promise.all([
      startPostgres({ programs: present(POSTGRESQL, "PostgreSQL") }),
      startPostgres(),
    ]);
    await migrate(server.adminUrl, { info: () => undefined });
    stack = await startStack({
      database: { server, databaseUrl: server.adminUrl, stop: server.stop },
      users: 1,
    });
  }, 240_000);
  afterAll(async () => {
    await indexer?.kill();
    await stack?.close();
    await next?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const newUrl = () => {
    const url = new URL(next.adminUrl);
    url.pathname = "/trading";
    return url.href;
  };

  /** Returns the new database as a program's role. */
  const as = (role: RoleName) => {
    const url = new URL(newUrl());
    url.search = `?options=${encodeURIComponent(`-c role=${ROLES[role]}`)}`;
    return url.href;
  };

  /** Types a block of the page, in a checkout. */
  async function type(block: string): Promise<string> {
    const text = block.replaceAll(/\b(roles|trading)\.dump\b/g, (file) => join(directory, file));
    const env = {
      PATH: `${POSTGRESQL}:${process.env.PATH}`,
      OLD_ADMIN_URL: server.adminUrl,
      NEW_SERVER_URL: next.adminUrl,
      NEW_ADMIN_URL: newUrl(),
    };
    const { stdout, stderr } = await promisify(execFile)("sh", ["-ec", text], { env, cwd: ROOT });
    return stdout + stderr;
  }

  async function compare(block: string): Promise<void> {
    for (const line of block.split("\n")) {
      const args = line.replace("--chain 1", `--chain ${key.chainId}`).split(" ").slice(1);
      const env = { ...stack.sending.env, DATABASE_URL: as("operator") };
      expect({ line, ...(await operate(args, env)) }).toMatchObject({ line, code: 0 });
    }
  }

  /** The same body whenever it is sent. */
  const order = (started: Started, notional: string) => {
    const body = bodies.get(notional) ?? marketBuy(stack.sending, notional);
    bodies.set(notional, body);
    return createPartner(started.url, key).must(
      createPartner(started.url, key).post<Send>("/orders/send", body, withKey(`key-${notional}`)),
    );
  };

  const stop = async ({ program }: Started) => {
    program.kill("SIGTERM");
    await program.exited;
  };

  it("row 91: everything goes on where it was", async () => {
    const [api, worker] = await Promise.all([stack.startApi(), stack.startWorker()]);
    await untilReady(api.url);
    ({ key } = await enableUser(stack.sending, api.url, present(stack.product.users[0], "a user")));
    const sent = [await order(api, "11"), await order(api, "12")].map(({ requestId }) => requestId);
    const listOf = (started: Started) =>
      createPartner(started.url, key).must(createPartner(started.url, key).get<OrderList>("/orders"));
    await until(
      "the orders are placed",
      async () => (await listOf(api)).rows.filter(({ orderId }) => orderId !== null).length === 2,
      60_000,
    );
    const listed = (await listOf(api)).rows.map(({ orderId }) => orderId);
    await stop(worker);
    const waiting = (await order(api, "13")).requestId;
    await stop(api);
    // Their blocks become final: an indexer that starts takes back what is not.
    await stack.chain.mine({ blocks: 250 });
    indexedBefore = await stack.chain.getBlockNumber();
    await indexedUpTo(stack.pool, stack.indexer(), key.chainId, indexedBefore);
    await stack.indexer().stop();
    await createRoles(server.adminUrl);
    // Applies the grants.
    await migrate(server.adminUrl, { info: () => undefined });
    await stack.pool.query("CREATE ROLE operator_alice LOGIN IN ROLE partner_operator");

    const [connections = "", dump = "", restore = "", comparison = ""] = blocks;
    await type(connections);
    await type(dump);
    await type(restore);
    await server.shutDown();

    const { deployment, rpcUrl } = stack.product;
    const pool = openPool({ connectionString: newUrl(), max: 2 });
    indexer = startIndexer(as("indexer"), [{ deployment, rpcUrls: [rpcUrl] }]);
    const writtenBy = async (schema: string) => {
      const text = `SELECT xmin::text FROM "${schema}".stock_order WHERE order_id = ANY($1)`;
      return (await pool.query(text, [listed])).rows;
    };
    const restored = await writtenBy(schemaOf(indexer));
    expect(restored).toHaveLength(2);
    await indexedUpTo(pool, indexer, key.chainId, indexedBefore);
    const nextWorker = await stack.startWorker({ DATABASE_URL: as("worker") });
    const nextApi = await stack.startApi({ DATABASE_URL: as("api") });
    await untilReady(nextApi.url);
    // A send that was accepted before is sent now, once; one that was sent is repeated and not sent again.
    expect((await order(nextApi, "11")).requestId).toBe(sent[0]);
    await until(
      "the one that waited is listed",
      async () => (await listOf(nextApi)).rows.length === 3,
      60_000,
    );
    const { rows } = await pool.query(
      "SELECT (SELECT nonce::int FROM app.send_request WHERE request_id = $1) AS nonce, pg_has_role('operator_alice', 'partner_operator', 'member') AS operator",
      [waiting],
    );
    // No backfill has written them anew.
    expect(await writtenBy(schemaOf(indexer))).toEqual(restored);
    await pool.end();
    expect(rows).toEqual([{ nonce: 3, operator: true }]);
    expect((await listOf(nextApi)).rows.map(({ orderId }) => orderId)).toEqual(
      expect.arrayContaining(listed),
    );
    const nonces = (await minedFrom(stack.chain, present(stack.sending.wallets[0], "a wallet"))).map(
      ({ nonce }) => nonce,
    );
    expect(nonces).toEqual([0, 1, 2, 3]);
    await compare(comparison);
    for (const started of [nextApi, nextWorker]) await stop(started);
  }, 300_000);
});
