import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { keccak256, solidityPacked } from "ethers";
import type pg from "pg";
import { type Address, formatEther, parseEther, parseEventLogs } from "viem";
import { z } from "zod";
import { IGNORED_EVENTS } from "../../indexer/src/events.ts";
import { ROOT } from "../../src/config/root.ts";
import type { Statement } from "../../src/context/schema-types.ts";
import { cashierAbi, oneClickRouterAbi, stockAbi, stockRouterAbi } from "../../src/contracts/abi/index.ts";
import { ACTIVITY_KINDS } from "../../src/protocol/enums.ts";
import { LONG } from "../support/assert/long.ts";
import { SEED } from "../support/assert/seeded-random.ts";
import { present } from "../support/assert/until.ts";
import { indexedUpTo, startIndexer, type TestIndexer } from "../support/chain/indexer.ts";
import { allLogs, eventBlocks, type Product, startProduct } from "../support/chain/product.ts";
import { createTestPool } from "../support/db/pool.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { getStatement } from "../support/http/verbs.ts";
import { ACTIONS } from "./actions.ts";
import { type LedgerAt, ledgersOf, readActivities } from "./activities.ts";
import { contractState } from "./contract-state.ts";
import { tourOfEvents } from "./tour.ts";
import { createWorld, type World } from "./world.ts";

// After any trading, the tables equal the contracts' state (docs/contracts.md#the-ledger-follows-from-events). Half of it happens
// before the indexer starts, and is backfilled; half happens while it follows.

const STEPS = LONG ? 100 : 50;
/** Every event that trading can cause; the rest comes from the set-up. */
const EXPECTED = [...stockRouterAbi, ...cashierAbi, ...stockAbi, ...oneClickRouterAbi].flatMap((item) =>
  item.type === "event" && item.name !== "StockTokenListed" ? [item.name] : [],
);
const IGNORED = Object.keys(IGNORED_EVENTS).map((name) => name.split(":")[1]);

let product: Product;
let database: TestDatabase;
let pool: pg.Pool;
let indexer: TestIndexer;
let world: World;
let state: ReturnType<typeof contractState>;
let accounts: Address[];
let refused = 0;

beforeAll(async () => {
  [product, database] = await Promise.all([startProduct(), createDatabase({ empty: true })]);
  pool = createTestPool(database.url, { max: 4 });
  world = await createWorld(product, SEED);
  state = contractState(product);
  accounts = [...product.users, product.settler, world.smart].map(({ address }) => lower(address));
  await trade(STEPS);
  // Blocks 30 behind the head are backfilled; this leaves some of the trades for following.
  indexer = startIndexer(database.url, [{ deployment: product.deployment, rpcUrls: [product.rpcUrl] }]);
  await indexedUpTo(pool, indexer, 31337, 1n);
  await trade(STEPS);
  await tourOfEvents(world);
  await indexedUpTo(pool, indexer, 31337, await product.client.getBlockNumber({ cacheTime: 0 }));
});

afterAll(async () => {
  await indexer?.stop();
  await pool?.end();
  await Promise.all([product?.stop(), database?.drop()]);
});

async function trade(count: number): Promise<void> {
  for (let step = 0; step < count; step += 1) {
    await world.random
      .of(ACTIONS)(world)
      .catch((error: unknown) => {
        if (!/ reverted: /.test(String(error))) throw error;
        refused += 1;
      });
  }
}

/** Returns all pages of a statement. */
async function statementOf(
  deps: Parameters<typeof getStatement>[0],
  viewer: Parameters<typeof getStatement>[1],
  input: object,
): Promise<Statement[]> {
  const pages: Statement[] = [];
  let cursor: string | null | undefined;
  do {
    const limit = String(1 + world.random.below(20));
    const { data } = await getStatement(deps, viewer, { ...input, limit, cursor });
    pages.push(data);
    cursor = data.nextCursor;
  } while (cursor !== null);
  return pages;
}

/** Returns the last block up to a time. */
async function lastBlockAt(time: number, head: bigint): Promise<bigint> {
  let block = head;
  while (block > 0n && (await product.client.getBlock({ blockNumber: block })).timestamp > time) block -= 1n;
  return block;
}

/** Returns the ledgers after the last block. */
const last = (ledgers: readonly LedgerAt[]): LedgerAt[] => [
  ...new Map(ledgers.map((ledger) => [`${ledger.user} ${ledger.asset}`, ledger])).values(),
];

const missingEvents = () =>
  EXPECTED.filter((name) => !world.facts.counts.has(name) && !IGNORED.includes(name));

const lower = (address: string) => address.toLowerCase() as Address;

/** Returns the rows of a table, without the scope that all of them must have. */
async function rows(table: string): Promise<Record<string, unknown>[]> {
  const found = await pool.query(`SELECT * FROM onchain.${table}`);
  return found.rows.map(({ chain_id, product_type, ...row }) => {
    expect([chain_id, product_type]).toEqual([31337, "Sandbox"]);
    return row;
  });
}

const pick = (row: Record<string, unknown>, columns: object) =>
  Object.fromEntries(Object.keys(columns).map((column) => [column, row[column]]));

describe(`after trading at random (TEST_SEED=${SEED})`, () => {
  it("enough has happened: most calls passed, and every event was emitted", () => {
    expect(missingEvents()).toEqual([]);
    expect(refused).toBeLessThan(STEPS);
  });

  it("the indexer has left its project as it was built: its next start is the same build", () => {
    const { files } = z
      .object({ files: z.array(z.string()) })
      .parse(JSON.parse(readFileSync(join(ROOT, "dist/made-of.json"), "utf8")));
    const found = readdirSync(join(ROOT, "dist/indexer"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(join(ROOT, "dist"), join(entry.parentPath, entry.name)));
    expect(found.toSorted()).toEqual(files.filter((file) => file.startsWith("indexer/")).toSorted());
  });

  it("every mUSD balance and lock is the contract's", async () => {
    const found = new Map((await rows("cash_balance")).map((row) => [row.user_address, row]));
    expect(accounts).toEqual(expect.arrayContaining([...found.keys()]));
    for (const user of accounts) {
      // A user who never had any has no row.
      const { available = "0", locked = "0" } = found.get(user) ?? {};
      expect({ user, available, locked }).toEqual({ user, ...(await state.cash(user)) });
    }
  });

  it("every stock balance and lock is the contract's", async () => {
    const found = await rows("stock_balance");
    for (const user of accounts) {
      for (const { address: token } of product.deployment.stockTokens) {
        const row = found.find((one) => one.user_address === user && one.stock_address === token);
        const { available = "0", locked = "0" } = row ?? {};
        expect({ user, token, available, locked }).toEqual({
          user,
          token,
          ...(await state.stock(user, token)),
        });
      }
    }
    expect(found.filter(({ user_address }) => !accounts.includes(user_address as Address))).toEqual([]);
  });

  it("the activities of every user and asset sum to the contracts' balance and lock, at every block", async () => {
    const ledgers = ledgersOf(await readActivities(pool));
    for (const { user, asset, available, locked } of last(ledgers)) {
      const held = asset === "mUSD" ? await state.cash(user) : await state.stock(user, lower(asset));
      expect({ user, asset, available: `${available}`, locked: `${locked}` }).toEqual({
        user,
        asset,
        ...held,
      });
    }
    // A node keeps the states of its last blocks.
    const head = await product.client.getBlockNumber({ cacheTime: 0 });
    const kept = ledgers.filter(({ block }) => block > head - 100n);
    expect(kept.length).toBeGreaterThan(30);
    for (const ledger of world.random.some(kept, 60)) {
      const { user, asset, block, available, locked } = ledger;
      expect({ available: `${available}`, locked: `${locked}` }).toEqual(
        asset === "mUSD" ? await state.cash(user, block) : await state.stock(user, lower(asset), block),
      );
    }
  });

  it("statements of any time begin and end with the contracts' balances, and each asset's rows sum to the difference", async () => {
    const head = await product.client.getBlockNumber({ cacheTime: 0 });
    const deps = { pool, now: Date.now };
    const viewer = { keyId: null, chainId: 31337, productType: "Sandbox" };
    const timeOf = async (block: bigint) =>
      Number((await product.client.getBlock({ blockNumber: block })).timestamp);
    let compared = 0;
    // A node keeps the states of its last blocks.
    const recent = head - 89n;
    const atRandom = () => head - BigInt(world.random.below(90));
    const ranges = accounts.flatMap((userId) => [
      { userId, blocks: [recent, head] },
      { userId, blocks: [atRandom(), atRandom()].toSorted((a, b) => Number(a - b)) },
    ]);
    for (const { userId, blocks } of ranges) {
      const [first = head, last = head] = blocks;
      // Several blocks may have one time.
      const [from, to] = [(await timeOf(first)) + 1, Math.max(await timeOf(last), (await timeOf(first)) + 1)];
      const pages = await statementOf(deps, viewer, { userId, from, to });
      const [opened, closed] = [await lastBlockAt(from - 1, head), await lastBlockAt(to, head)];
      const { opening, closing } = { opening: pages[0]?.opening ?? [], closing: pages.at(-1)?.closing ?? [] };
      const rows = pages.flatMap((page) => page.rows);
      for (const [index, { asset, stockAddress, available, locked }] of opening.entries()) {
        const held = (block: bigint) =>
          stockAddress === null ? state.cash(userId, block) : state.stock(userId, lower(stockAddress), block);
        const own = rows.filter((row) => row.stockAddress === stockAddress);
        const sum = (field: "delta" | "lockedDelta") =>
          own.reduce((total, row) => total + parseEther(row[field]), 0n);
        const end = present(closing[index], "a closing balance");
        const wads = (balance: { available: string; locked: string }) => ({
          available: `${parseEther(balance.available)}`,
          locked: `${parseEther(balance.locked)}`,
        });
        const story = { userId, asset, from, to };
        expect({ ...story, opening: wads({ available, locked }), closing: wads(end) }).toEqual({
          ...story,
          opening: await held(opened),
          closing: await held(closed),
        });
        expect({
          ...story,
          available: formatEther(parseEther(available) + sum("delta")),
          locked: formatEther(parseEther(locked) + sum("lockedDelta")),
        }).toEqual({ ...story, available: end.available, locked: end.locked });
        compared += own.length;
      }
    }
    expect(compared).toBeGreaterThan(5);
  });

  it("statements have every fill with its fee once, and the fees of cash operations", async () => {
    const deps = { pool, now: Date.now };
    const viewer = { keyId: null, chainId: 31337, productType: "Sandbox" };
    const found: string[] = [];
    const fees = new Map<string, string>();
    for (const userId of accounts) {
      const from = Math.floor(Date.now() / 1000) - 86_400;
      for (const row of (await statementOf(deps, viewer, { userId, from })).flatMap((page) => page.rows)) {
        if (row.fill)
          found.push(
            [row.orderId, row.txHash, row.fill.quantity, row.fill.price, row.fill.notional, row.fee].join(
              " ",
            ),
          );
        else if (row.operationId && row.fee !== null) fees.set(row.operationId, row.fee);
      }
    }
    const wad = (value: unknown) => formatEther(BigInt(`${value}`));
    const expected = (await rows("order_fill")).map((fill) =>
      [
        fill.order_id,
        fill.tx_hash,
        wad(fill.quantity),
        wad(fill.price),
        wad(fill.notional),
        wad(fill.fee),
      ].join(" "),
    );
    expect(found.toSorted()).toEqual(expected.toSorted());
    expect(expected.length).toBeGreaterThan(3);
    const tokens = new Map(
      (await rows("cash_token")).map((row) => [row.token_address, Number(row.decimals)]),
    );
    const completed = (await rows("cash_operation")).filter(({ status }) => status === "completed");
    for (const operation of completed) {
      const unit = 10n ** BigInt(18 - present(tokens.get(operation.token_address), "a token"));
      const worth =
        (BigInt(`${operation.token_amount}`) * unit * BigInt(`${operation.usd_rate}`)) / 1_000_000n;
      const wads = BigInt(`${operation.wad_amount}`);
      const lost = operation.kind === "deposit" ? worth - wads : wads - worth;
      const { op_id: opId } = operation;
      expect({ opId, fee: fees.get(`${opId}`) }).toEqual({ opId, fee: formatEther(lost < 0n ? 0n : lost) });
    }
    expect(completed.length).toBeGreaterThan(2);
  });

  it("every activity but the broker's has the order or operation that caused it", async () => {
    const activities = await readActivities(pool);
    const broker = lower(product.settler.address);
    const mine = activities.filter(
      ({ user_address, kind }) => user_address !== broker && kind !== "distribution",
    );
    expect(mine.filter(({ kind, cause_id }) => kind === "other" || cause_id === null)).toEqual([]);
    expect(new Set(activities.map(({ kind }) => kind))).toEqual(new Set(ACTIVITY_KINDS));
    const causes = new Map<unknown, Record<string, unknown>>();
    for (const row of await rows("stock_order")) causes.set(row.order_id, row);
    for (const table of ["cash_operation", "stock_operation"])
      for (const row of await rows(table)) causes.set(row.op_id, row);
    for (const { kind, cause_id, user_address, asset, locked_delta } of mine) {
      const cause = present(causes.get(cause_id), `the cause of ${kind}`);
      expect(cause.user_address).toBe(user_address);
      const isOrder = kind.startsWith("order-");
      expect(cause).toMatchObject(
        isOrder ? { order_type: expect.anything() } : { kind: kind.replace("-rejected", "") },
      );
      if (locked_delta !== 0n) expect(asset).toBe(cause.side === "Buy" ? "mUSD" : cause.stock_address);
    }
    for (const order of await rows("stock_order")) {
      const own = mine.filter(({ cause_id }) => cause_id === order.order_id);
      expect(`${own.reduce((sum, { locked_delta }) => sum + locked_delta, 0n)}`).toBe(order.locked_remaining);
    }
  });

  it("every split is an activity of all who held the token on the exchange, and of nobody else", async () => {
    const found = (await rows("distribution")).map((row) => ({
      user: row.user_address,
      token: row.token_address,
      block: row.block_number,
      multipliers: [row.old_multiplier, row.new_multiplier],
      available: row.available,
      locked: row.locked,
    }));
    const head = await product.client.getBlockNumber({ cacheTime: 0 });
    // A node keeps the states of its last blocks.
    const changes = (await rows("multiplier_change")).filter(
      ({ block_number }) => BigInt(`${block_number}`) > head - 100n,
    );
    expect(changes.length).toBeGreaterThan(0);
    let holders = 0;
    for (const { token_address: token, block_number: block, ...change } of changes) {
      for (const user of accounts) {
        const held = await state.stock(user, lower(`${token}`), BigInt(`${block}`));
        const own = found.filter((row) => row.user === user && row.token === token && row.block === block);
        const holds = held.available !== "0" || held.locked !== "0";
        const multipliers = [change.old_multiplier, change.new_multiplier];
        expect(own).toEqual(holds ? [{ user, token, block, multipliers, ...held }] : []);
        if (holds) holders += 1;
      }
    }
    expect(holders).toBeGreaterThan(0);
    const shown = (await readActivities(pool)).filter(({ kind }) => kind === "distribution");
    expect(
      shown
        .map(({ user_address, asset, block_number }) => `${user_address} ${asset} ${block_number}`)
        .toSorted(),
    ).toEqual(found.map(({ user, token, block }) => `${user} ${token} ${block}`).toSorted());
  });

  it("every order is the contract's, and its fills add up to it", async () => {
    const orders = await rows("stock_order");
    const fills = await rows("order_fill");
    expect(orders.map(({ order_id }) => order_id).toSorted()).toEqual(
      [...world.facts.orders.keys()].toSorted(),
    );
    for (const order of orders) {
      const expected = await state.order(order.order_id as Address);
      expect(pick(order, expected)).toEqual(expected);
      const own = fills.filter(({ order_id }) => order_id === order.order_id);
      const sum = (column: string) => `${own.reduce((total, fill) => total + BigInt(`${fill[column]}`), 0n)}`;
      expect(own.map(({ ordinal }) => ordinal).toSorted()).toEqual(own.map((_, index) => index));
      expect([order.fill_count, order.filled_quantity, order.filled_notional, order.fee]).toEqual([
        own.length,
        sum("quantity"),
        sum("notional"),
        sum("fee"),
      ]);
      expect(order.settled_at === null).toBe(order.status === "open" || order.status === "canceling");
    }
  });

  it("cash operations are open where the contract's are, and add up to what it has pending", async () => {
    const operations = await rows("cash_operation");
    for (const opId of [...world.facts.deposits, ...world.facts.withdrawals]) {
      const row = operations.find(({ op_id }) => op_id === opId);
      const closed = await state.isClosed(opId);
      expect([row?.is_instant, row?.status !== "processing", row?.settled_at !== null]).toEqual([
        false,
        closed,
        closed,
      ]);
    }
    for (const user of accounts) {
      for (const { address: token } of product.deployment.cashTokens) {
        const open = operations.filter(
          (row) => row.user_address === user && row.token_address === token && row.status === "processing",
        );
        const sum = (kind: string, column: string) =>
          open
            .filter((row) => row.kind === kind)
            .reduce((total, row) => total + BigInt(`${row[column]}`), 0n);
        expect({
          deposits: sum("deposit", "token_amount"),
          withdrawals: sum("withdraw", "wad_amount"),
        }).toEqual(await state.pending(user, token));
      }
    }
  });

  it("a cash operation keeps the rate at which it completed, whatever the token's rate is by now", async () => {
    const rates = new Map<string, string>();
    const expected = new Map<string, string>();
    const operations = await rows("cash_operation");
    for (const { eventName, args } of parseEventLogs({ abi: cashierAbi, logs: await allLogs(product) })) {
      if (eventName === "TokenConfigUpdated") rates.set(lower(args.token), `${args.config.usdRate}`);
      if (!/^(Instant|(Deposit|Withdrawal)Settled$)/.test(eventName) || !("opId" in args)) continue;
      const token = operations.find(({ op_id }) => op_id === args.opId)?.token_address;
      expected.set(args.opId, present(rates.get(`${token}`), "a rate"));
    }
    const kept = operations.map(({ op_id, usd_rate }) => [op_id, usd_rate]);
    expect(kept.filter(([, rate]) => rate !== null).toSorted()).toEqual([...expected].toSorted());
    // The tour alone settles at two.
    expect(new Set(expected.values()).size).toBeGreaterThan(1);
  });

  it("the blocks with an event of ours are there, hash by hash", async () => {
    const { rows: blocks } = await pool.query("SELECT * FROM onchain.event_block ORDER BY chain_id, number");
    expect(blocks.map((block) => JSON.stringify(block))).toEqual(await eventBlocks(product));
  });

  it("stock operations are told apart by their place in the transaction", async () => {
    const logs = parseEventLogs({
      abi: stockAbi,
      logs: await allLogs(product),
      eventName: ["StockDeposited", "StockWithdrawn"],
    });
    const seen = new Map<string, number>();
    const expected = logs.map(({ eventName, args, transactionHash, logIndex, blockNumber }) => {
      const ordinal = seen.get(`${transactionHash}`) ?? 0;
      seen.set(`${transactionHash}`, ordinal + 1);
      return {
        op_id: keccak256(
          solidityPacked(["uint256", "bytes32", "uint256"], [31337, transactionHash, ordinal]),
        ),
        kind: eventName === "StockDeposited" ? "stock-deposit" : "stock-withdraw",
        user_address: lower(args.user),
        token_address: lower(args.stockToken),
        amount: `${args.amount}`,
        tx_hash: transactionHash,
        ordinal,
        log_index: logIndex,
        block_number: `${blockNumber}`,
      };
    });
    const found = await rows("stock_operation");
    const byId = (a: { op_id?: unknown }, b: { op_id?: unknown }) => (`${a.op_id}` < `${b.op_id}` ? -1 : 1);
    expect(found.toSorted(byId).map((row) => pick(row, expected[0] ?? {}))).toEqual(expected.toSorted(byId));
    expect(Math.max(...seen.values())).toBeGreaterThan(1);
  });

  it("combined calls tie a deposit to its order, and nothing else does", async () => {
    const { combined } = world.facts;
    const orders = await rows("stock_order");
    const cash = await rows("cash_operation");
    const stocks = await rows("stock_operation");
    const linked = [...cash, ...stocks].filter(({ order_id }) => order_id !== null);
    expect(linked.map(({ order_id }) => order_id).toSorted()).toEqual(
      combined.map(({ orderId }) => orderId).toSorted(),
    );
    for (const { orderId, depositOpId } of combined) {
      const order = orders.find(({ order_id }) => order_id === orderId);
      const deposit = linked.find(({ order_id }) => order_id === orderId);
      expect(order?.deposit_op_id).toBe(depositOpId);
      expect([deposit?.tx_hash, deposit?.user_address]).toEqual([order?.tx_hash, order?.user_address]);
      expect(deposit?.kind).toBe(depositOpId === null ? "stock-deposit" : "deposit");
      if (depositOpId !== null) expect(deposit?.op_id).toBe(depositOpId);
      // Of several equal transfers, it is the call's own, just before the order.
      const between = stocks.filter(
        (row) =>
          row.tx_hash === order?.tx_hash &&
          Number(row.log_index) > Number(deposit?.log_index) &&
          Number(row.log_index) < Number(order?.log_index),
      );
      expect(between).toEqual([]);
    }
  });

  it("tokens, buffers, fees and delegations are the contracts'", async () => {
    const byToken = (a: Record<string, unknown>, b: Record<string, unknown>) =>
      `${a.token_address}` < `${b.token_address}` ? -1 : 1;
    const cashTokens = (await state.cashTokens()).toSorted(byToken);
    const stockTokens = (await state.stockTokens()).toSorted(byToken);
    const shaped = async (table: string, like: object) =>
      (await rows(table)).toSorted(byToken).map((row) => pick(row, like));
    expect(await shaped("cash_token", cashTokens[0] ?? {})).toEqual(cashTokens);
    expect(await shaped("stock_token", stockTokens[0] ?? {})).toEqual(stockTokens);
    expect(await rows("cashier_state")).toEqual([await state.buffers()]);
    expect(await rows("fee_config")).toEqual([await state.fees()]);
    for (const { user_address, delegatee, nonce } of await rows("delegation")) {
      expect({ delegatee, nonce }).toEqual(await state.delegation(user_address as Address));
    }
  });

  it("every split is kept, and leads from one multiplier to the next", async () => {
    const changes = await rows("multiplier_change");
    expect(changes).toHaveLength(world.facts.counts.get("MultiplierUpdated") ?? 0);
    for (const { token_address, symbol: _symbol, multiplier } of await rows("stock_token")) {
      const own = changes
        .filter((change) => change.token_address === token_address)
        .toSorted((a, b) => Number(a.block_number) - Number(b.block_number));
      const path = ["1000000000000000000", ...own.map(({ new_multiplier }) => new_multiplier)];
      expect(own.map(({ old_multiplier }) => old_multiplier)).toEqual(path.slice(0, -1));
      expect(multiplier).toBe(path.at(-1));
    }
  });

  it("attributions are kept of what went straight to the router, cut where the suffix begins", async () => {
    const expected = [...world.facts.suffixes].map(([tx_hash, { callData, suffix, from }]) => ({
      tx_hash,
      from_address: lower(from),
      call_data: callData,
      suffix,
    }));
    expect(expected.length).toBeGreaterThan(0);
    const found = (await rows("attribution_suffix")).map(
      ({ block_number: _block, transaction_index: _index, ...row }) => row,
    );
    const byHash = (a: { tx_hash?: unknown }, b: { tx_hash?: unknown }) =>
      `${a.tx_hash}` < `${b.tx_hash}` ? -1 : 1;
    expect(found.toSorted(byHash)).toEqual(expected.toSorted(byHash));
  });
});
