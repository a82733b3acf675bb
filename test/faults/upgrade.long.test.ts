import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import type pg from "pg";
import { parseEther } from "viem";
import { checkRows } from "../../src/events/writer/check.ts";
import { router, stockToken } from "../contracts/calls.ts";
import { historyFaults } from "../support/assert/history/check.ts";
import { type Exchange, recordHistory } from "../support/assert/history/record.ts";
import { canary } from "../support/assert/logs.ts";
import { NotYetError, present, until } from "../support/assert/until.ts";
import { send } from "../support/chain/product.ts";
import { openPool } from "../support/db/pool.ts";
import type { ActivityList, Order, Send } from "../support/http/answers.ts";
import { type Balancer, startBalancer } from "../support/http/balancer.ts";
import { foldOrders, type LoggedEvent, readAllOrders, readLog } from "../support/http/event-log.ts";
import { createPartner, type Partner } from "../support/http/partner.ts";
import { describeWhere } from "../support/program/describe-where.ts";
import type { Program } from "../support/program/program.ts";
import { chainClient, minedFrom } from "../support/sender/chain-fixture.ts";
import { type PartnerLoad, startPartnerLoad } from "../support/sender/partner-load.ts";
import { enableUser, marketBuy } from "../support/sender/sending.ts";
import { type Started, untilReady } from "../support/sender/stack.ts";
import { startTwoVersions, type TwoVersions, type Version } from "../support/sender/two-versions.ts";
import { type Receiver, startReceiver, verify } from "../webhooks/receiver.ts";

/**
 * docs/faults.md, row 74: docs/operations/upgrade.md, followed under load. The version before is the last release, built from its
 * commit; each program runs under its own role.
 */
jest.setTimeout(900_000);
const USERS = 2;
/** Logged until the first indexer of all has made its views. */
const FIRST_START = '_ponder_checkpoint\\" does not exist';

/** Returns lines of the programs' logs that say that a statement or a privilege of a version is missing, or that something is unknown. */
const faultsIn = (two: TwoVersions): string[] =>
  two
    .logs()
    .split("\n")
    .filter((line) => /INTERNAL|permission denied|"code":"4[02]/.test(line) && !line.includes(FIRST_START));

describeWhere("history", "an upgrade", () => {
  migrateBeside();
  describe("under load", upgradeUnderLoad);
});

/** Waits until there is a row for all that claims own, and expects of each what the join of claims and index says. */
async function expectRows(pool: pg.Pool, { product }: TwoVersions): Promise<void> {
  const { chainId } = product.deployment;
  await until("the rows are complete and reported", async () => {
    const { rows } = await pool.query(`SELECT 1 FROM app.event_chain c WHERE c.filled
      AND NOT EXISTS (SELECT 1 FROM app.event_due d WHERE d.chain_id = c.chain_id)`);
    return rows.length > 0;
  });
  for await (const { differences, behind } of checkRows(pool, { chainId, pauseMs: 200 }))
    expect({ differences, behind }).toEqual({ differences: [], behind: [] });
}

/** Expects the running worker to compare all claims with the reported state, and to report nothing. */
async function expectNothingToReport(pool: pg.Pool): Promise<void> {
  const count = async () => (await pool.query("SELECT count(*)::int AS count FROM app.event")).rows[0].count;
  const before = await count();
  await pool.query(
    "UPDATE app.event_chain SET filled_to = '00000000-0000-0000-0000-000000000000', steps = steps + 1",
  );
  await until("all claims are compared", async () => {
    const { rows } = await pool.query("SELECT 1 FROM app.event_chain WHERE filled_to IS NOT NULL");
    return rows.length === 0;
  });
  expect(await count()).toBe(before);
}

/** Returns the schema of the build that the views show. */
async function shownSchema(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query(
    "SELECT definition FROM pg_views WHERE schemaname = 'onchain' AND viewname = '_ponder_meta'",
  );
  return /onchain_\w+/.exec(rows[0]?.definition ?? "")?.[0] ?? "";
}

/** Tables that the next version brings, beside which the version before runs. */
const NEW_TABLES = ["cancel_batch", "cancel_after", "order_quote", "event_distribution", "distribution_scan"];

async function expectNewTables(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query(
    "SELECT name FROM unnest($1::text[]) AS t (name) WHERE to_regclass('app.' || name) IS NOT NULL",
    [NEW_TABLES],
  );
  expect(rows.map(({ name }) => name).toSorted()).toEqual(NEW_TABLES.toSorted());
}

/** Changes the multiplier of a stock that the users hold. */
async function split({ product }: TwoVersions, multiplier: string): Promise<void> {
  const { client, deployment, settler } = product;
  const { address } = present(deployment.stockTokens[0], "a stock token");
  await send(client, settler, address, stockToken("setMultiplier", parseEther(multiplier)));
}

/** Waits until an api shows these multipliers in the activities of a user, the newest first. */
const shows = (partner: Partner, user: string, multipliers: readonly string[]) =>
  until(`the activities have the multipliers ${multipliers}`, async () => {
    const { rows } = await partner.must(
      partner.get<ActivityList>(`/users/${user}/activities`, { limit: "100" }),
    );
    const found = rows.flatMap(({ distribution }) => distribution?.multiplierAfter ?? []);
    if (found.join() !== multipliers.join()) throw new NotYetError(found.join());
    return true;
  });

/** The last release uses each kind of table on the next schema, and workers of both alternate. */
function migrateBeside(): void {
  it("leaves the version before at work on the schema of the next, and rows complete where workers take turns", async () => {
    const two = await startTwoVersions({ users: 1, wallets: 1 });
    const pool = openPool({ connectionString: two.databaseUrl, max: 2 });
    try {
      await two.migrate("before");
      const [api, worker, deliverer] = await Promise.all([
        two.startApi("before"),
        two.startWorker("before"),
        two.startDeliverer("before"),
      ]);
      const { url } = api;
      // The document is that of the next version, whose answers may have more.
      const partner = createPartner(url, await two.sending.makeKey(), { checksDocument: false });
      const indexer = two.startIndexer("before");
      await until("the index is read", () => partner.must(partner.get("/orders")));
      const user = present(two.product.users[0], "a user");
      const trader = await enableUser(two.sending, url, user, { checksDocument: false });
      const { client, deployment } = two.product;
      const { address } = present(deployment.stockTokens[0], "a stock token");
      await send(client, user, deployment.stockRouter, router("depositStock", address, parseEther("3")));
      // While the version before indexes, which has no table for it.
      await split(two, "2");
      await two.migrate("next");
      await expectNewTables(pool);
      await partner.must(partner.get("/key"));
      let notional = 10;
      /** Sends an order through the api of the version before, by whichever worker runs. */
      const expectSent = async () => {
        const order = marketBuy(two.sending, String(notional++));
        const { requestId } = await trader.must(trader.post<Send>("/orders/send", order));
        await until("the order is sent", async () => {
          const { status } = await trader.must(trader.get<Send>(`/sends/${requestId}`));
          return status === "confirmed";
        });
      };
      await expectSent();
      const record = (digit: number) =>
        partner.must(
          partner.post<{ mappingId: string }>("/orders/tx", { txHash: `0x${String(digit).repeat(64)}` }),
        );
      const mapping = await record(5);
      const { rows } = await pool.query("SELECT status FROM app.key_order WHERE claim_id = $1", [
        mapping.mappingId,
      ]);
      expect(rows).toEqual([{ status: "Init" }]);
      await partner.must(partner.post("/webhooks", { url: "http://127.0.0.1:9999/" }));
      expect(mapping.mappingId).toMatch(/^[0-9a-f-]{36}$/);
      for (const program of [api, worker, deliverer])
        await until("the program is ready", async () => (await fetch(`${program.url}/readyz`)).ok);
      const logged = (count: number) =>
        until("the log tells of the records", async () => (await typesOf(partner)).mapped.length >= count);
      let running = worker;
      const handOver = async (to: Version) => {
        const next = await two.startWorker(to);
        await stopProgram(running);
        running = next;
      };
      await logged(1);
      await handOver("next");
      await expectSent();
      await expectRows(pool, two);
      await handOver("before");
      await split(two, "3");
      await record(6);
      await logged(2);
      await expectRows(pool, two);
      await handOver("next");
      await expectRows(pool, two);
      await record(7);
      await logged(3);
      // Neither version repeats an event that the other has reported.
      await expectNothingToReport(pool);
      await handOver("before");
      await expectNothingToReport(pool);
      // Forward: the new build has what happened while the version before indexed.
      two.startIndexer("next");
      await until(
        "the views show the new build",
        async () => (await shownSchema(pool)) === two.nextSchema(),
        300_000,
      );
      const next = await two.startApi("next");
      const shown = createPartner(next.url, trader.key);
      await shows(shown, user.address, ["3", "2"]);
      // Both indexers run, and the version before goes on with the new build.
      await trader.must(trader.get(`/users/${user.address}/activities`));
      await expectSent();
      await split(two, "4");
      await shows(shown, user.address, ["4", "3", "2"]);
      await stopProgram({ program: indexer });
      await handOver("next");
      await expectSent();
      await expectRows(pool, two);
      await until("the last split is reported", async () => (await typesOf(partner)).applied.length >= 3);
      await expectNothingToReport(pool);
      const { mapped, applied, others } = await typesOf(partner);
      expect({ mapped: mapped.length, applied: applied.length, others }).toEqual({
        mapped: 3,
        applied: 3,
        others: [],
      });
      expect(faultsIn(two)).toEqual([]);
    } finally {
      await pool.end();
      await two.close();
    }
  });
}

/** Returns the events of a key without orders of its own: of what it recorded, and of splits. */
async function typesOf(partner: Partner) {
  const types = (await readLog(partner)).map(({ type }) => type);
  const of = (wanted: string) => types.filter((type) => type === wanted);
  const [mapped, applied] = [of("order.mapped"), of("corporate_action.applied")];
  const others = types.filter((type) => !mapped.includes(type) && !applied.includes(type));
  return { mapped, applied, others };
}

/** Stops a program as an operator does. */
async function stopProgram({ program }: Pick<Started, "program">): Promise<void> {
  program.kill("SIGTERM");
  expect({ pid: program.pid, exitCode: await program.exited }).toEqual({ pid: program.pid, exitCode: 0 });
}

function upgradeUnderLoad(): void {
  let two: TwoVersions;
  let balancer: Balancer;
  let receiver: Receiver;
  let pool: pg.Pool;
  let chain: ReturnType<typeof chainClient>;
  let partners: Partner[];
  let load: PartnerLoad;
  const apis = new Map<Version, Started[]>();
  const workers = new Map<Version, Started>();
  const deliverers = new Map<Version, Started>();
  const indexers = new Map<Version, Program>();
  const delivered: LoggedEvent[] = [];
  let history: readonly Exchange[];

  beforeAll(async () => {
    history = recordHistory();
    two = await startTwoVersions({ users: USERS, wallets: 2 });
    balancer = await startBalancer();
    receiver = await startReceiver();
    pool = openPool({ connectionString: two.databaseUrl, max: 2 });
    chain = chainClient(two.product.rpcUrl);
    await chain.setIntervalMining({ interval: 2 });
  });
  afterAll(async () => {
    await load?.stop();
    await pool?.end();
    await balancer?.close();
    await receiver?.close();
    await two?.close();
  });

  async function startApi(version: Version): Promise<Started> {
    const api = await two.startApi(version);
    apis.set(version, [...(apis.get(version) ?? []), api]);
    await untilReady(api.url);
    balancer.backends.add(api.url);
    return api;
  }

  async function replaceApis(from: Version, to: Version): Promise<void> {
    for (const leaving of apis.get(from) ?? []) {
      const entering = await startApi(to);
      await expectAlike(leaving.url, entering.url);
      await load.more(2);
      await stopProgram(leaving);
      balancer.backends.delete(leaving.url);
    }
    apis.delete(from);
  }

  /** Expects two apis to give equal answers about final objects, and to take each other's cursors. */
  async function expectAlike(...urls: [string, string]): Promise<void> {
    const { key } = present(partners[0], "a partner");
    const [one, other] = [
      createPartner(urls[0], key, { checksDocument: false }),
      createPartner(urls[1], key, { checksDocument: false }),
    ];
    const page = (partner: Partner, cursor?: string) =>
      partner.must(
        partner.get<{ rows: Order[]; nextCursor: string | null }>("/orders", {
          status: "Filled",
          limit: 4,
          ...(cursor ? { cursor } : {}),
        }),
      );
    const { rows, nextCursor } = await page(one);
    expect(rows).toHaveLength(4);
    for (const row of rows) {
      const path = `/orders/tx/${row.mapping.txHash}`;
      expect(await other.must(other.get(path))).toEqual(await one.must(one.get(path)));
    }
    const next = present(nextCursor, "a cursor");
    expect((await page(other, next)).rows).toEqual((await page(one, next)).rows);
  }

  async function replaceWorker(from: Version, to: Version): Promise<void> {
    workers.set(to, await two.startWorker(to));
    await load.more(3);
    await stopProgram(present(workers.get(from), "a worker"));
    workers.delete(from);
  }

  async function replaceDeliverer(from: Version, to: Version): Promise<void> {
    deliverers.set(to, await two.startDeliverer(to));
    await load.more(3);
    await stopProgram(present(deliverers.get(from), "a deliverer"));
    deliverers.delete(from);
  }

  /** Returns the refusals that partners received and should not have. */
  const refused = () =>
    history
      .filter(({ answer }) => answer === null || answer.status !== 200)
      .map(({ method, path, answer }) => `${method} ${path}: ${answer?.status} ${answer?.errCode}`);

  async function receiveEvents(partner: Partner): Promise<void> {
    const { secret } = await partner.must(
      partner.post<{ secret: string }>("/webhooks", { url: receiver.url }),
    );
    canary("webhook secret", secret);
    receiver.answer = (request, response) => {
      delivered.push(verify(secret, request) as LoggedEvent);
      response.writeHead(204).end();
    };
  }

  it("serves on the version before", async () => {
    await two.migrate("before");
    indexers.set("before", two.startIndexer("before"));
    workers.set("before", await two.startWorker("before"));
    deliverers.set("before", await two.startDeliverer("before"));
    for (let count = 0; count < 2; count++) await startApi("before");
    await untilReady(balancer.url);
    partners = [];
    for (const user of two.product.users)
      partners.push(await enableUser(two.sending, balancer.url, user, { checksDocument: false }));
    await receiveEvents(present(partners[0], "a partner"));
    load = startPartnerLoad(two.sending, balancer.url, partners);
    await load.more(6);
    expect({ refused: refused(), failures: load.failures }).toEqual({ refused: [], failures: [] });
  });

  it("is migrated under load", async () => {
    await two.migrate("next");
    await load.more(6);
    expect({ refused: refused(), failures: load.failures }).toEqual({ refused: [], failures: [] });
  });

  it("moves to the build of the next version's indexer, where that is new", async () => {
    const next = two.nextSchema();
    if ((await shownSchema(pool)) !== next) indexers.set("next", two.startIndexer("next"));
    await until("the views show the new build", async () => (await shownSchema(pool)) === next, 300_000);
    await load.more(12);
    expect({ refused: refused(), failures: load.failures }).toEqual({ refused: [], failures: [] });
  });

  it("replaces the worker", async () => {
    await replaceWorker("before", "next");
    expect({ refused: refused(), failures: load.failures }).toEqual({ refused: [], failures: [] });
  });

  it("replaces the deliverer", async () => {
    await replaceDeliverer("before", "next");
    expect({ refused: refused(), failures: load.failures }).toEqual({ refused: [], failures: [] });
  });

  it("replaces one api after the other", async () => {
    await replaceApis("before", "next");
    if (indexers.has("next")) await stopProgram({ program: present(indexers.get("before"), "an indexer") });
    await load.more(6);
    expect({ refused: refused(), failures: load.failures }).toEqual({ refused: [], failures: [] });
  });

  it("is taken back", async () => {
    await replaceApis("next", "before");
    await replaceDeliverer("next", "before");
    await replaceWorker("next", "before");
    await load.more(6);
    expect({ refused: refused(), failures: load.failures }).toEqual({ refused: [], failures: [] });
  });

  it("has everything that was acknowledged, once", async () => {
    await load.stop();
    await until("all are final", async () => {
      await chain.mine({ blocks: 1 });
      const { rows } = await pool.query("SELECT 1 FROM app.send_request WHERE state <> 'final'");
      return rows.length === 0;
    });
    const mined = await Promise.all(two.sending.wallets.map((wallet) => minedFrom(chain, wallet)));
    for (const list of mined) expect(list.map(({ nonce }) => nonce)).toEqual(list.map((_, index) => index));
    const accepted = [...load.accepted.values()].flat();
    expect({ requests: new Set(accepted).size, transactions: mined.flat().length }).toEqual({
      requests: accepted.length,
      transactions: accepted.length + USERS,
    });
    expect(historyFaults(history)).toEqual([]);
    for (const partner of partners) await expectLogged(partner);
    await expectTold(present(partners[0], "a partner"));
    await expectNothingToReport(pool);
    expect(faultsIn(two)).toEqual([]);
  });

  async function expectLogged(partner: Partner): Promise<void> {
    await until("the log says what the list shows", async () => {
      const [list, log] = [await readAllOrders(partner), await readLog(partner)];
      expect(log.map(({ sequence }) => sequence)).toEqual(log.map((_, index) => index + 1));
      return isDeepStrictEqual(foldOrders(log), list);
    });
  }

  async function expectTold(partner: Partner): Promise<void> {
    const log = await readLog(createPartner(balancer.url, partner.key));
    expect(log.filter((event) => "retracts" in event && event.retracts !== null)).toEqual([]);
    const first = present(load.streamed[0], "a streamed event");
    expect(load.streamed).toEqual(load.streamed.map((_, index) => first + index));
    const { length } = load.streamed;
    expect({ streamed: length, areMany: length > 100 }).toEqual({ streamed: length, areMany: true });
    await until("every event is delivered", () => {
      const ids = new Set(delivered.map(({ eventId }) => eventId));
      return log.filter(({ sequence }) => sequence > first).every(({ eventId }) => ids.has(eventId));
    });
  }
}
