import { beforeEach, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { z } from "zod";
import type { Caller } from "../../src/auth/caller.ts";
import { writeClaim } from "../../src/claims/claim-store.ts";
import type { Effect } from "../../src/claims/effects.ts";
import { createStreamHost } from "../../src/context/streams/host.ts";
import { CHANNELS, listen } from "../../src/db/notifications.ts";
import { execute } from "../../src/db/query.ts";
import { sql } from "../../src/db/sql.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { readOldestUnreported } from "../../src/events/age-store.ts";
import { createEventStreams } from "../../src/events/stream/streams.ts";
import { createEventChain, logLock } from "../../src/events/writer/chain-store.ts";
import { readDueChains } from "../../src/events/writer/changes-store.ts";
import { removeExpiredEvents } from "../../src/events/writer/log-store.ts";
import { createEventWriter } from "../../src/events/writer/write.ts";
import { OPERATION_KINDS, OPERATION_PATHS, OPERATIONS } from "../../src/protocol/operations.ts";
import { LONG } from "../support/assert/long.ts";
import { hex } from "../support/assert/sample.ts";
import { SEED, seededRandom } from "../support/assert/seeded-random.ts";
import { present, until } from "../support/assert/until.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { dyingPool } from "../support/db/dying-pool.ts";
import { empty } from "../support/db/empty.ts";
import { waitsForLock } from "../support/db/locks.ts";
import type { Row } from "../support/db/onchain.ts";
import { PROJECTED } from "../support/db/projected.ts";
import { CHAIN_ID, createRandomChain, USERS } from "../support/db/random-chain.ts";
import { createRandomClaims } from "../support/db/random-claims.ts";
import { appendEvent } from "../support/events/append-event.ts";
import { PRODUCT } from "../support/http/features.ts";
import { at } from "../support/http/openapi.ts";
import { listOperations, listOrders } from "../support/http/verbs.ts";
import { ignoreDeath, useLog } from "./log-fixture.ts";
import { createRandomDelegation, createRandomMultipliers } from "./random-scope.ts";
import { createRandomSends } from "./random-sends.ts";

// A list, with the log folded into it from its cursor on, is what the list answers later.

const DAYS = LONG ? 20 : 1;
const STEPS = LONG ? 14 : 8;
/** Events that a day must have to show anything. */
const EVENTS_MIN = 15;

const {
  features,
  onchain,
  deps,
  callers,
  write,
  readEvents,
  expectSendsTold,
  expectNoGap,
  expectObjects,
  expectProjected,
} = await useLog();

type Rows = Map<string, unknown>;
interface Taken {
  caller: Caller;
  /** Orders with this status alone; null: every list. */
  status: string | null;
  rows: Rows;
  /** The cursor of the first list. */
  cursor: string;
}

/** Returns a row without the time of its claim's last check, which changes without an event while it is not indexed. */
function comparable(row: unknown): unknown {
  const text = JSON.stringify(row);
  return JSON.parse(text, (key, value) =>
    key.endsWith("Order") && value?.orderId === null ? { ...value, updatedAt: null } : value,
  );
}

/** Reads every list of a key, or its orders of one status, page by page. */
async function take(caller: Caller, status: string | null = null): Promise<Taken> {
  const rows: Rows = new Map();
  let first: string | null | undefined;
  const walk = async (resource: string, read: (query: object) => ReturnType<typeof listOrders>) => {
    for (let cursor: string | null = ""; cursor !== null; ) {
      const { data, eventCursor } = await read({ limit: "40", ...(cursor ? { cursor } : {}) });
      first ??= eventCursor;
      for (const row of data.rows) rows.set(`${resource} ${row.mapping.mappingId}`, comparable(row));
      cursor = data.nextCursor;
    }
  };
  const filter = status === null ? {} : { status };
  await walk("orders", (query) => listOrders(deps, caller, { ...query, ...filter }));
  for (const kind of status === null ? OPERATION_KINDS : []) {
    const read = (query: object) => listOperations(deps, caller, kind, query);
    await walk(
      OPERATIONS[kind].path,
      read as unknown as typeof walk extends (r: string, f: infer F) => unknown ? F : never,
    );
  }
  return { caller, status, rows, cursor: present(first, "X-Event-Cursor") };
}

const FOLDED: ReadonlySet<string> = new Set(["orders", ...OPERATION_PATHS]);

async function fold({ caller, status, rows, cursor }: Taken): Promise<Rows> {
  const folded = new Map(rows);
  for (let after = cursor; ; ) {
    const page = await readEvents(caller, { after, limit: "100" });
    for (const { resource, type, data } of page.rows) {
      if (!FOLDED.has(resource)) continue;
      const { mappingId, mapping } = data as { mappingId?: string; mapping?: { mappingId: string } };
      const name = `${resource} ${mapping?.mappingId ?? mappingId}`;
      if (status !== null && resource !== "orders") continue;
      const isOut =
        type === "mapping.removed" || (status !== null && (data as { status: string }).status !== status);
      if (isOut) folded.delete(name);
      else folded.set(name, comparable(data));
    }
    if (page.nextCursor === after) return folded;
    after = page.nextCursor;
  }
}

const sorted = (rows: Rows) => Object.fromEntries([...rows].sort(([a], [b]) => (a < b ? -1 : 1)));

async function expectFolded(taken: readonly Taken[]): Promise<void> {
  const now = new Map<string, Promise<Taken>>();
  for (const one of taken) {
    const name = `${one.caller.keyId} ${one.status}`;
    const later = now.get(name) ?? take(one.caller, one.status);
    now.set(name, later);
    expect(sorted(await fold(one))).toEqual(sorted((await later).rows));
  }
}

const lastOf = async (caller: Caller, types: string) => {
  let last: Awaited<ReturnType<typeof readEvents>>["rows"] = [];
  for (let after: string | undefined; ; ) {
    const page = await readEvents(caller, { types, limit: "100", ...(after ? { after } : {}) });
    last = [...last, ...page.rows];
    if (page.nextCursor === after) return last;
    after = page.nextCursor;
  }
};

/** Expects the last event of each token to have its present multiplier; a token without changes has no event. */
async function expectMultipliersTold(caller: Caller): Promise<void> {
  const { rows } = await features.deps.pool.query(
    "SELECT symbol, (multiplier / 1000000000000000000)::int::text AS multiplier FROM onchain.stock_token",
  );
  const told = new Map(
    (await lastOf(caller, "corporate_action.applied")).map(({ data }) => {
      const { symbol, newMultiplier } = data as { symbol: string; newMultiplier: string };
      return [symbol, newMultiplier];
    }),
  );
  for (const { symbol, multiplier } of rows)
    expect({ symbol, multiplier: told.get(symbol) ?? "1" }).toEqual({ symbol, multiplier });
}

async function expectDelegationTold(caller: Caller, isEnabled: boolean): Promise<void> {
  const last = (await lastOf(caller, "delegation.*")).at(-1);
  expect((last?.type ?? "delegation.disabled") === "delegation.enabled").toBe(isEnabled);
  if (last) expect((last.data as { status: string }).status === "enable").toBe(isEnabled);
}

it.each(Array.from({ length: DAYS }, (_, day) => SEED + day))(
  "a list with the log folded into it is the later list, on a random day (TEST_SEED=%d)",
  async (seed) => {
    const random = seededRandom(seed);
    const chain = createRandomChain(onchain, random, PRODUCT);
    const claims = createRandomClaims(features.deps.pool, callers, { random, chain });
    const unbound = callers.slice(0, 2);
    const sends = createRandomSends(features.deps.pool, unbound, { random, chain });
    await sends.begin();
    const multipliers = createRandomMultipliers(features.deps.pool, onchain, { random, chain });
    await multipliers.begin();
    const bound = { caller: present(callers[2], "a caller"), user: present(USERS[0], "a user") };
    const delegation = createRandomDelegation(features.deps.pool, onchain, { ...bound, random });
    await delegation.begin();
    const taken: Taken[] = [];
    const { mine, reorg } = chain;
    await mine();
    await write();
    let events = 0;
    // Chance may let little happen: such a day lasts longer.
    for (let step = 0; step < STEPS || (events <= EVENTS_MIN && step < 10 * STEPS); step++) {
      for (let n = random.below(16); n >= 0; n--) {
        // The user of the third key has a delegation, which it keeps.
        const rebind = () => claims.rebind(unbound);
        const claim = [claims.add, claims.add, claims.add, claims.change, rebind];
        await random.of([mine, mine, mine, mine, reorg, ...claim, sends.add, sends.change, sends.change])();
        await multipliers.follow();
        if (random.chance(0.2)) await random.of([multipliers.apply, delegation.change])();
        if (random.chance(0.15)) taken.push(await take(random.of(callers)));
        if (random.chance(0.1))
          taken.push(await take(random.of(callers), random.of(["New", "Filled", "Canceled"])));
        if (random.chance(0.2))
          await write(dyingPool(features.deps.pool, random.below(20))).catch(ignoreDeath);
        if (random.chance(0.2)) await Promise.all([write(), write()]);
      }
      await claims.watch();
      await write();
      await expectFolded(taken);
      await expectProjected();
      for (const caller of callers) await expectSendsTold(caller);
      for (const caller of callers) await expectMultipliersTold(caller);
      await expectDelegationTold(bound.caller, delegation.isEnabled());
      taken.splice(0, taken.length - 5);
      events = await expectNoGap();
    }
    await expectObjects();
    await claims.unbind(unbound);
    expect(events).toBeGreaterThan(EVENTS_MIN);
  },
  180_000,
);

const WEBHOOK_EXAMPLE = "#/webhooks/webhook.disabled/post/requestBody/content/application~1json/example";

describe("an order of a key", () => {
  const WAD = 10n ** 18n;
  const ORDER: Row<"stockOrder"> = {
    chainId: CHAIN_ID,
    productType: PRODUCT,
    orderId: hex(32, 0xabc),
    txHash: hex(32, 0x1000),
    blockNumber: 12n,
    updatedBlock: 12n,
    createdAt: 1_799_000_000n,
    updatedAt: 1_799_000_100n,
    userAddress: hex(20, 0xa1),
    stockAddress: hex(20, 0x571),
    side: "Buy",
    orderType: "Limit",
    status: "open",
    quantity: WAD,
    price: WAD,
  };
  const block = (number: bigint) => ({ number, timestamp: 1_799_000_000n + number });
  const publish = (latest: bigint, stockOrder: Row<"stockOrder">[]) =>
    onchain.replace(CHAIN_ID, { stockOrder }, block(latest), block(10n));
  const filled = (updatedBlock: bigint) => ({
    ...ORDER,
    status: "filled" as const,
    filledQuantity: WAD,
    settleTxHash: hex(32, 0x2000),
    updatedBlock,
  });
  const caller = () => present(callers[0], "a caller");
  const other = () => present(callers[1], "another caller");
  const events = async (who = caller(), input: object = {}) =>
    (await readEvents(who, { limit: "100", ...input })).rows;
  const types = async (who = caller()) => (await events(who)).map(({ type }) => type);

  beforeEach(async () => {
    await onchain.replace(
      CHAIN_ID,
      { stockOrder: [], cashOperation: [], stockOperation: [], attributionSuffix: [] },
      block(10n),
      block(10n),
    );
    await write();
    await createClaim(features.deps.pool, caller(), { txHash: hex(32, 0x1000) });
  });

  it("is due as soon as a key claims it, and no more once that is told", async () => {
    expect(await readDueChains(features.deps.pool)).toEqual([CHAIN_ID]);
    await write();
    expect(await readDueChains(features.deps.pool)).toEqual([]);
  });

  it("stays the key's when another user is bound to it, and is told of where a key records it anew", async () => {
    const { pool } = features.deps;
    const { txHash = "0x", userAddress = null } = ORDER;
    const bind = async (key: Caller, user: string | null): Promise<Caller> => {
      await pool.query("UPDATE app.api_key SET user_address = $2 WHERE key_id = $1", [key.keyId, user]);
      return { ...key, userAddress: user as Caller["userAddress"] };
    };
    await createClaim(pool, other(), { txHash, ruleVersion: 2 });
    await publish(12n, [ORDER]);
    await write();
    const taken = [await take(caller()), await take(other())];
    await bind(caller(), hex(20, 0xbad));
    const rebound = await bind(other(), userAddress);
    await write();
    await expectFolded(taken);
    expect({ rows: (await take(caller())).rows.size, rowsOfOther: (await take(other())).rows.size }).toEqual({
      rows: 1,
      rowsOfOther: 0,
    });
    const effect = { ...ORDER, operationType: "trade", operationId: null, logIndex: 0 } as unknown as Effect;
    const evidence = { effects: [effect], seen: true, final: false };
    await writeClaim(pool, rebound, { operationType: "trade", txHash }, evidence);
    await write();
    await expectFolded(taken);
    expect({ rows: (await take(caller())).rows.size, rowsOfOther: (await take(other())).rows.size }).toEqual({
      rows: 0,
      rowsOfOther: 1,
    });
    expect({ last: (await types()).at(-1), lastOfOther: (await types(other())).at(-1) }).toEqual({
      last: "mapping.removed",
      lastOfOther: "order.placed",
    });
    for (const key of [caller(), other()]) await bind(key, null);
  });

  it("is a change that the log is behind, until it is told", async () => {
    await publish(14n, [filled(13n)]);
    expect(await readOldestUnreported(features.deps.pool)).toEqual(
      new Map([[CHAIN_ID, Number(ORDER.updatedAt)]]),
    );
    await write();
    expect(await readOldestUnreported(features.deps.pool)).toEqual(new Map([[CHAIN_ID, null]]));
  });

  it("is told of once by a writer that is woken several times at once", async () => {
    const told: number[] = [];
    const run = createEventWriter(deps, { onAppended: (_chain, events) => told.push(events) });
    await publish(12n, [ORDER]);
    await Promise.all([run(CHAIN_ID), run(CHAIN_ID), run(CHAIN_ID)]);
    expect(await types()).toEqual(["order.placed"]);
    expect({ told }).toEqual({ told: [1] });
  });

  it("is a fill to whoever counts what is appended, once", async () => {
    const fills: unknown[] = [];
    const run = createEventWriter(deps, { onAppended: (_chain, _events, found) => fills.push(...found) });
    await publish(12n, [ORDER]);
    await run(CHAIN_ID);
    await publish(13n, [filled(13n)]);
    await run(CHAIN_ID);
    await run(CHAIN_ID);
    expect(fills).toEqual([{ productType: PRODUCT, side: "Buy" }]);
  });

  it("is told of from its mapping to its end, as its list shows it, and nothing twice", async () => {
    await write();
    await publish(12n, [ORDER]);
    await write();
    await write();
    await publish(13n, [filled(13n)]);
    await write();
    expect(await types()).toEqual(["order.mapped", "order.placed", "order.filled"]);
    const [, placed, last] = await events();
    expect(placed).toMatchObject({ sequence: 2, blockNumber: 12, txHash: hex(32, 0x1000), retracts: null });
    expect(last).toMatchObject({ blockNumber: 13, txHash: hex(32, 0x2000), retracts: null });
    const { data } = await listOrders(deps, caller(), {});
    expect(last?.data).toEqual(data.rows[0]);
    expect(JSON.stringify(last?.data)).toBe(JSON.stringify(data.rows[0]));
    expect(await types(other())).toEqual([]);
  });

  it("is told of again, with what that withdraws, where a reorg takes back what was told", async () => {
    await publish(13n, [filled(13n)]);
    await write();
    await publish(12n, [ORDER]);
    await write();
    await publish(11n, []);
    await write();
    const [first, second, third] = await events();
    expect({ first: first?.type, second: second?.type, third: third?.type }).toEqual({
      first: "order.filled",
      second: "order.placed",
      third: "order.mapped",
    });
    expect({ first: first?.retracts, second: second?.retracts, third: third?.retracts }).toEqual({
      first: null,
      second: first?.eventId,
      third: second?.eventId,
    });
  });

  it("reaches a stream with what a reorg took back, as GET /events answers it", async () => {
    const sent: string[] = [];
    const host = createStreamHost({ log: deps.log, now: deps.now, perKeyMax: 1, max: 1 });
    const streams = createEventStreams({
      pool: features.deps.pool,
      log: deps.log,
      now: deps.now,
      chainIds: [CHAIN_ID],
      host,
      checkpoints: { last: () => null, reached: async () => undefined, stop: () => undefined },
      // The reader looks by itself.
      notifications: { subscribe: () => () => undefined },
      metrics: { opened: () => undefined, ended: () => undefined },
      timing: { pollMs: 20 },
    });
    const request = { caller: caller(), args: {}, lastEventId: null, recheck: async () => null };
    const start = await streams.open(request);
    const sink = {
      write: (frames: readonly Buffer[]) => void sent.push(...frames.map(String)),
      pendingBytes: () => 0,
      drained: async () => undefined,
      end: () => undefined,
      destroy: () => undefined,
      onClose: () => undefined,
    };
    start(sink, () => undefined);
    for (const [block, order] of [
      [13n, filled(13n)],
      [12n, ORDER],
      [11n, null],
    ] as const) {
      await publish(block, order ? [order] : []);
      await write();
    }
    const data = () => sent.flatMap((frame) => /^event: order.*\ndata: (.*)$/m.exec(frame)?.slice(1) ?? []);
    await until("all of them", () => data().length === 3);
    host.stop();
    streams.stop();
    expect(data()).toEqual((await events()).map((event) => JSON.stringify(event)));
    expect(data().map((text) => JSON.parse(text).retracts)).toEqual([
      null,
      ...(await events()).slice(0, 2).map(({ eventId }) => eventId),
    ]);
  });

  it("is told of anew where a reorg left the chain as high as it was", async () => {
    await publish(13n, [filled(13n)]);
    await write();
    await publish(13n, [{ ...filled(13n), settleTxHash: hex(32, 0x2001) }]);
    await write();
    const [first, second] = await events();
    expect(second).toMatchObject({ type: "order.filled", retracts: first?.eventId, txHash: hex(32, 0x2001) });
  });

  it("is in no list before the log tells of it, so that a reorg which takes it back before is no event", async () => {
    const second = { ...ORDER, orderId: hex(32, 0xabd), logIndex: 7, side: "Sell" as const };
    await publish(12n, [ORDER]);
    await write();
    await publish(13n, [filled(13n), second]);
    const shown = async (filter: object) => (await listOrders(deps, caller(), filter)).data.rows;
    expect(await shown({})).toMatchObject([{ status: "New", orderId: ORDER.orderId }]);
    expect({ filled: await shown({ status: "Filled" }), sold: await shown({ side: "Sell" }) }).toEqual({
      filled: [],
      sold: [],
    });
    const { eventCursor } = await listOrders(deps, caller(), {});
    await publish(12n, [ORDER]);
    await write();
    expect(await events(caller(), { after: eventCursor })).toEqual([]);
    await publish(13n, [filled(13n), second]);
    await write();
    expect(await shown({ status: "Filled" })).toHaveLength(1);
    const told = await events(caller(), { after: eventCursor });
    expect(told.map(({ type }) => type).sort()).toEqual(["order.filled", "order.placed"]);
  });

  it("changes hands: the key that loses it hears of that, and the other one has it", async () => {
    await publish(12n, [ORDER]);
    await write();
    await createClaim(features.deps.pool, other(), { txHash: hex(32, 0x1000), source: "send" });
    await write();
    expect(await types()).toEqual(["order.placed", "mapping.removed"]);
    const [, removed] = await events();
    expect(removed).toMatchObject({ resource: "orders", retracts: null, data: { orderId: hex(32, 0xabc) } });
    expect(await types(other())).toEqual(["order.placed"]);
  });

  it("is history where it was final before the log began", async () => {
    await empty(features.deps.pool, ...PROJECTED);
    await publish(20n, [{ ...ORDER, updatedBlock: 9n, blockNumber: 9n }]);
    await write();
    expect(await types()).toEqual([]);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    "is told of once although the worker dies at statement %d",
    async (at) => {
      await publish(13n, [filled(13n)]);
      await write(dyingPool(features.deps.pool, at)).catch(ignoreDeath);
      await Promise.all([write(), write()]);
      expect(await types()).toEqual(["order.filled"]);
    },
  );

  describe("beside an operation in a token that the worker has not met", () => {
    const TOKEN = hex(20, 0x70ce);
    const deposit: Row<"cashOperation"> = {
      chainId: CHAIN_ID,
      productType: PRODUCT,
      opId: hex(32, 0xdef),
      txHash: hex(32, 0x1001),
      kind: "deposit",
      blockNumber: 12n,
      updatedBlock: 12n,
      createdAt: 1_799_000_000n,
      updatedAt: 1_799_000_100n,
      userAddress: hex(20, 0xa1),
      tokenAddress: TOKEN,
      status: "processing",
      logIndex: 3,
    };
    const name = async () => new Map([[TOKEN, { symbol: "NEW", name: "New", decimals: 6 }]]);
    const writerOf = (metadata: typeof name, deployments = deps.deployments) => {
      const chain = present(deps.chains.get(CHAIN_ID), "the chain");
      const chains = new Map([[CHAIN_ID, { ...chain, tokens: { metadata } }]]);
      return createEventWriter({ ...deps, chains, deployments }, { verifyMs: 0, tokenWaitMs: 0 });
    };
    const until = async (run: ReturnType<typeof writerOf>) => {
      for (let runs = 1; !(await run(CHAIN_ID)).complete; runs++)
        if (runs > 10) throw new Error("the writer has events left after 10 runs");
    };
    const shown = async () =>
      (await events()).map(({ type, data }) => [
        type,
        (data as { depositOperation?: { tokenSymbol: string } }).depositOperation?.tokenSymbol,
      ]);

    beforeEach(async () => {
      await createClaim(features.deps.pool, caller(), { txHash: hex(32, 0x1001), operationType: "deposit" });
      const tables = { stockOrder: [ORDER], cashOperation: [deposit] };
      await onchain.replace(CHAIN_ID, tables, block(12n), block(10n));
    });

    it("is told of at once, the operation as soon as a node names its token, and nothing twice", async () => {
      let answer = (_found: Awaited<ReturnType<typeof name>>): void => undefined;
      const silent = new Promise<Awaited<ReturnType<typeof name>>>((resolve) => {
        answer = resolve;
      });
      const run = writerOf(() => silent);
      await until(run);
      await until(run);
      expect(await types()).toEqual(["order.placed"]);
      expect(await readDueChains(features.deps.pool)).toEqual([CHAIN_ID]);
      const { rows } = await features.deps.pool.query("SELECT 1 FROM app.event_due");
      expect(rows).toHaveLength(1);
      answer(await name());
      await silent;
      await until(run);
      expect(await shown()).toEqual([
        ["order.placed", undefined],
        ["operation.processing", "NEW"],
      ]);
      expect(await readDueChains(features.deps.pool)).toEqual([]);
    });

    it("is told of where no node has a name for it, and another worker tells of it later", async () => {
      await until(writerOf(() => Promise.reject(new Error("not a token"))));
      expect(await types()).toEqual(["order.placed"]);
      const run = writerOf(name);
      while ((await readDueChains(features.deps.pool)).length > 0) await until(run);
      expect(await types()).toEqual(["order.placed", "operation.processing"]);
    });

    it("is told of again with it where a list showed the operation meanwhile and a reorg took it back", async () => {
      const run = writerOf(() => Promise.reject(new Error("silent")));
      await until(run);
      const { eventCursor } = await listOperations(deps, caller(), "deposit", {});
      await until(run);
      await onchain.replace(CHAIN_ID, { cashOperation: [] }, block(11n), block(10n));
      await until(writerOf(name));
      await until(writerOf(name));
      const after = await events(caller(), { after: eventCursor });
      expect(after.map(({ type }) => type)).toContain("operation.pending");
    });

    it("is told of with it where their product has left the deployments", async () => {
      const deployments = {
        ...deps.deployments,
        chains: deps.deployments.chains.map((chain) => ({ ...chain, products: [] })),
      };
      const run = writerOf(name, deployments);
      while ((await readDueChains(features.deps.pool)).length > 0) await until(run);
      expect(await types()).toEqual(["order.placed", "operation.processing"]);
    });
  });

  it("shares its key's log with events of other rooms, which are there with what they commit", async () => {
    const { pool } = features.deps;
    const { keyId, productType } = caller();
    const scope = { keyId, chainId: CHAIN_ID, productType };
    const disabled = { ...scope, type: "webhook.disabled", resource: "webhooks" } as const;
    const { data: shown } = z.object({ data: z.looseObject({}) }).parse(at(WEBHOOK_EXAMPLE));
    const webhook = (webhookId: string) => ({ ...shown, webhookId });
    const fail = inTransaction(pool, async (client) => {
      await appendEvent(client, { ...disabled, data: webhook("rolled back") });
      throw new Error("died");
    });
    await fail.catch(ignoreDeath);
    let writing: Promise<void> | undefined;
    await inTransaction(pool, async (client) => {
      await appendEvent(client, { ...disabled, data: webhook("1") });
      writing = write();
      await appendEvent(client, { ...disabled, data: webhook("2") });
    });
    await writing;
    await empty(pool, "app.event_chain");
    const appended = await inTransaction(pool, (client) =>
      appendEvent(client, { ...disabled, data: webhook("3") }),
    );
    expect(appended.sequence).toBe(4n);
    const found = await events();
    expect(found.map(({ type }) => type)).toEqual([
      "webhook.disabled",
      "webhook.disabled",
      "order.mapped",
      "webhook.disabled",
    ]);
    expect(found[1]).toMatchObject({
      sequence: 2,
      resource: "webhooks",
      blockNumber: null,
      txHash: null,
      retracts: null,
      data: webhook("2"),
    });
    expect(found[3]?.eventId).toBe(appended.eventId);
    await expectNoGap();
  });

  it("is appended to by one after the other also before the log of the chain has begun", async () => {
    const { pool } = features.deps;
    const append = (client: pg.PoolClient, { keyId, productType }: Caller) =>
      appendEvent(client, {
        keyId,
        productType,
        chainId: CHAIN_ID,
        ...({ type: "webhook.disabled", resource: "webhooks", data: {} } as const),
      });
    const waiting: Promise<unknown>[] = [];
    await empty(pool, "app.event_chain");
    await inTransaction(pool, async (client) => {
      await append(client, caller());
      waiting.push(inTransaction(pool, (second) => append(second, other())));
      await waitsForLock(pool, "%SELECT pg_advisory_xact_lock%::text%", Promise.all(waiting));
      // The log of the chain begins behind those who append already.
      waiting.push(createEventChain(pool, CHAIN_ID, { safe: 10n }));
      await waitsForLock(pool, "%INTO app.event_chain%", Promise.any(waiting));
    });
    await Promise.all(waiting);
    const { rows } = await pool.query("SELECT key_id FROM app.event ORDER BY position");
    expect(rows.map(({ key_id }) => key_id)).toEqual([caller().keyId, other().keyId]);
  });

  it("is appended to without the lock of a log that has not begun, once it has", async () => {
    const { pool } = features.deps;
    const { keyId, productType } = caller();
    const event = { keyId, productType, type: "webhook.disabled", resource: "webhooks", data: {} } as const;
    await inTransaction(pool, async (holder) => {
      await execute(holder, sql`SELECT ${logLock(CHAIN_ID)}::text`);
      const appended = inTransaction(pool, (client) => appendEvent(client, { ...event, chainId: CHAIN_ID }));
      expect((await appended).sequence).toBe(1n);
    });
  });

  it("wakes who waits for the chain's events, once for each transaction", async () => {
    const heard: (string | null)[] = [];
    const { databaseUrl, deps } = features;
    const notifications = listen(databaseUrl, CHANNELS.events, deps.log);
    const next = () => new Promise<void>((resolve) => notifications.subscribe(() => resolve()));
    notifications.subscribe((payload) => heard.push(payload));
    await next();
    await createClaim(deps.pool, caller(), { txHash: hex(32, 0x1001) });
    const [woken] = [next(), await write()];
    await woken;
    const again = next();
    const { keyId, productType } = caller();
    await inTransaction(deps.pool, (client) =>
      appendEvent(client, {
        keyId,
        productType,
        chainId: CHAIN_ID,
        type: "webhook.disabled",
        resource: "webhooks",
        data: {},
      }),
    );
    await again;
    await notifications.close();
    expect(heard).toEqual([null, String(CHAIN_ID), String(CHAIN_ID)]);
  });

  it("is found by the type of what happened, and a cursor goes on behind all that was looked at", async () => {
    await write();
    await publish(12n, [ORDER]);
    await write();
    await publish(13n, [filled(13n)]);
    await write();
    const first = await readEvents(caller(), { types: "order.filled", limit: "1" });
    expect(first.rows.map(({ type }) => type)).toEqual(["order.filled"]);
    const rest = await readEvents(caller(), { types: "order.*", after: first.nextCursor });
    expect(rest).toEqual({ rows: [], nextCursor: first.nextCursor });
    await expect(readEvents(caller(), { types: "order.lost" })).rejects.toMatchObject({
      errCode: "VALIDATION_FAILED",
      param: "types",
    });
    const elsewhere = { ...caller(), productType: "Other" };
    await expect(readEvents(elsewhere, { after: first.nextCursor })).rejects.toMatchObject({
      param: "after",
    });
    await expect(readEvents(other(), { after: first.nextCursor })).rejects.toMatchObject({ param: "after" });
  });

  it("is no more in the log once it is old, and an older cursor is refused with the oldest one", async () => {
    await write();
    const { nextCursor } = await readEvents(caller());
    await publish(12n, [ORDER]);
    await write();
    await publish(13n, [filled(13n)]);
    await write();
    await features.deps.pool.query(
      "UPDATE app.event SET created_at = now() - interval '31 days' WHERE sequence <= 2",
    );
    await removeExpiredEvents(features.deps.pool, { days: 30 });
    expect(await types()).toEqual(["order.filled"]);
    const refusal = await readEvents(caller(), { after: nextCursor }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ errCode: "CURSOR_EXPIRED", param: "after" });
    const { oldestCursor } = refusal as { oldestCursor: string };
    expect((await events(caller(), { after: oldestCursor })).map(({ type }) => type)).toEqual([
      "order.filled",
    ]);
  });
});
