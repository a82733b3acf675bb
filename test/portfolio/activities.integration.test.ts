import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { getAddress } from "viem";
import type { Caller } from "../../src/auth/caller.ts";
import type { Viewer } from "../../src/auth/viewer.ts";
import { sealCursor } from "../../src/context/input/list.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { empty } from "../support/db/empty.ts";
import { createOnchain, indexOnchain, type Onchain, type Row } from "../support/db/onchain.ts";
import { mostRowsRead, recordStatements } from "../support/db/plans.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";
import { getStatement, listActivities } from "../support/http/verbs.ts";

const CHAIN_ID = 31337;
const WAD = 10n ** 18n;
const USER = hex(20, 0xa1);
const STOCK = hex(20, 0x57);
const KO = hex(20, 0x58);
const tx = (value: number) => hex(32, 0x1000 + value);
const id = (value: number) => hex(32, 0xabc000 + value);
const scope = { chainId: CHAIN_ID, productType: PRODUCT };

let features: Features;
let onchain: Onchain;
let mine: Caller;
let other: Caller;

beforeAll(async () => {
  features = await startFeatures([
    { deployment: { chainId: CHAIN_ID, ...CONTRACTS }, rpcUrls: ["http://127.0.0.1:1"] },
  ]);
  onchain = await createOnchain(features.deps.pool);
  await indexOnchain(features.deps.pool);
  [mine, other] = await Promise.all([features.makeCaller(), features.makeCaller()]);
});

afterAll(() => features?.close());

beforeEach(async () => {
  await empty(features.deps.pool, "app.transaction_claim");
  await onchain.clear();
  await onchain.setBlock(CHAIN_ID, { number: 50n, timestamp: 1_800_000_000n });
  for (const [tokenAddress, symbol] of [
    [STOCK, "AAPL"],
    [KO, "KO"],
  ] as const) {
    await onchain.insert("stockToken", { ...scope, tokenAddress, symbol, multiplier: WAD });
    await onchain.insert("stockBalance", { ...scope, userAddress: USER, stockAddress: tokenAddress });
  }
});

const list = (viewer: Viewer, input: object = {}, deps = features.deps) =>
  listActivities(deps, viewer, { userId: USER, ...input });

/** Activities of the user, one of each block from 10 on unless they say otherwise. */
const add = (...rows: readonly Row<"activity">[]) =>
  onchain.insert(
    "activity",
    ...rows.map((row, n) => ({
      ...scope,
      userAddress: USER,
      asset: "mUSD",
      kind: "other" as const,
      logIndex: n,
      txHash: tx(n),
      blockNumber: BigInt(10 + n),
      timestamp: BigInt(1_000 + 10 * n),
      delta: BigInt(n),
      ...row,
    })),
  );

const order = (value: number) =>
  onchain.insert("stockOrder", { ...scope, orderId: id(value), txHash: tx(value), userAddress: USER });

describe("GET /users/{userId}/activities", () => {
  it("tells newest first by how much a balance and a lock changed, and what caused it", async () => {
    await order(1);
    await createClaim(features.deps.pool, mine, { txHash: tx(1) });
    const placed = { kind: "order-placed", causeId: id(1), txHash: tx(1) } as const;
    await add(
      { delta: 100n * WAD, balanceAfter: 100n * WAD },
      { ...placed, delta: -30n * WAD, lockedDelta: 30n * WAD, balanceAfter: 70n * WAD },
      { ...placed, asset: STOCK, kind: "order-filled", delta: WAD / 4n, balanceAfter: WAD / 4n },
    );
    const { block, data } = await list(mine);
    expect(block.number).toBe(50n);
    expect(data.nextCursor).toBeNull();
    expect(data.rows).toMatchObject([
      { asset: "AAPL", stockAddress: getAddress(STOCK), kind: "order-filled", delta: "0.25", orderId: id(1) },
      {
        asset: "mUSD",
        stockAddress: null,
        kind: "order-placed",
        delta: "-30",
        lockedDelta: "30",
        balanceAfter: "70",
        orderId: id(1),
        operationId: null,
        txHash: tx(1),
        blockNumber: 11,
        timestamp: 1_010,
      },
      { kind: "other", delta: "100", balanceAfter: "100", orderId: null, operationId: null },
    ]);
  });

  it("names a cause to the key that owns it alone, and to dashboards", async () => {
    const { pool } = features.deps;
    await order(1);
    const cash = { ...scope, userAddress: USER, tokenAddress: hex(20, 7) };
    await onchain.insert(
      "cashOperation",
      { ...cash, opId: id(2), txHash: tx(2), kind: "withdraw" },
      { ...cash, opId: id(3), txHash: tx(1), kind: "deposit", orderId: id(1) },
    );
    await onchain.insert("stockOperation", { ...cash, opId: id(4), txHash: tx(4), kind: "stock-withdraw" });
    await createClaim(pool, mine, { txHash: tx(1) });
    await createClaim(pool, other, { txHash: tx(2), operationType: "withdraw" });
    await createClaim(pool, mine, { txHash: tx(4), operationType: "stock-withdraw" });
    // A claim to another kind of doing owns nothing of it.
    await createClaim(pool, other, { txHash: tx(4), operationType: "stock-deposit" });
    await add(
      { kind: "order-canceled", causeId: id(1) },
      { kind: "withdraw-rejected", causeId: id(2) },
      { kind: "deposit", causeId: id(3) },
      { kind: "stock-withdraw", causeId: id(4), asset: STOCK },
    );
    const causes = async (viewer: Viewer) =>
      (await list(viewer)).data.rows.map(({ orderId, operationId }) => [orderId, operationId]);
    const order1 = [id(1), null];
    expect(await causes(mine)).toEqual([[null, id(4)], [null, id(3)], [null, null], order1]);
    expect(await causes(other)).toEqual([
      [null, null],
      [null, null],
      [null, id(2)],
      [null, null],
    ]);
    const all = [[null, id(4)], [null, id(3)], [null, id(2)], order1];
    expect(await causes({ ...scope, keyId: null })).toEqual(all);
  });

  it("has what a balance keeps: the half of an activity that nothing has joined", async () => {
    await add({ delta: WAD, balanceAfter: WAD });
    const place = { openTxHash: tx(0), openBlockNumber: 10n, openTimestamp: 1_000n };
    await onchain.insert("cashBalance", {
      ...scope,
      ...place,
      userAddress: USER,
      available: 3n * WAD,
      openKind: "other",
      openDelta: 2n * WAD,
      openLocked: 0n,
      openLogIndex: 7,
    });
    const where = { ...scope, userAddress: USER, stockAddress: STOCK };
    await onchain.update("stockBalance", where, {
      ...place,
      available: WAD,
      openKind: "order-placed",
      openCauseId: id(1),
      openDelta: -WAD,
      openLocked: WAD,
      openLogIndex: 9,
    });
    await onchain.update(
      "stockBalance",
      { ...where, stockAddress: KO },
      {
        ...place,
        openKind: "deposit",
        openCauseId: id(2),
        openDelta: WAD,
        openLocked: 0n,
        openLogIndex: 8,
      },
    );
    const { data } = await list({ ...scope, keyId: null });
    expect(data.rows).toMatchObject([
      {
        asset: "AAPL",
        kind: "order-placed",
        delta: "0",
        lockedDelta: "1",
        balanceAfter: "1",
        orderId: id(1),
      },
      { asset: "mUSD", kind: "other", delta: "2", lockedDelta: "0", balanceAfter: "3", orderId: null },
      { asset: "mUSD", delta: "1" },
    ]);
    expect(new Set(data.rows.map(({ activityId }) => activityId)).size).toBe(3);
    expect((await list(mine, { asset: "mUSD", limit: "1" })).data.rows).toMatchObject([{ delta: "2" }]);
  });

  it("has the splits of what the user held, which change the shares of its tokens, and no balance", async () => {
    await add({ asset: STOCK, delta: 3n * WAD, balanceAfter: 3n * WAD }, { delta: WAD, balanceAfter: WAD });
    const split = (more: Row<"distribution">) =>
      onchain.insert("distribution", {
        ...scope,
        userAddress: USER,
        tokenAddress: STOCK,
        timestamp: 1_005n,
        blockNumber: 11n,
        logIndex: 0,
        txHash: tx(7),
        oldMultiplier: WAD,
        newMultiplier: 2n * WAD,
        available: WAD + 1n,
        locked: WAD,
        ...more,
      });
    await split({});
    await split({ userAddress: hex(20, 0xb2) });
    await split({ productType: "Second" });
    await split({ timestamp: 1_020n, blockNumber: 12n, oldMultiplier: 2n * WAD, newMultiplier: WAD / 3n });
    const { data } = await list(mine, { asset: "aapl" });
    const still = {
      asset: "AAPL",
      kind: "distribution",
      delta: "0",
      lockedDelta: "0",
      orderId: null,
      operationId: null,
    };
    expect(data.rows).toMatchObject([
      { ...still, distribution: { multiplierBefore: "2", multiplierAfter: "0.333333333333333333" } },
      {
        ...still,
        balanceAfter: "1.000000000000000001",
        txHash: tx(7),
        blockNumber: 11,
        timestamp: 1_005,
        distribution: {
          multiplierBefore: "1",
          multiplierAfter: "2",
          tokens: "2.000000000000000001",
          sharesBefore: "2.000000000000000001",
          sharesAfter: "4.000000000000000002",
        },
      },
      { kind: "other", delta: "3", distribution: null },
    ]);
    expect(data.rows[0]?.distribution?.sharesAfter).toBe("0.666666666666666666");
    // Page by page, and among the rows of a statement.
    const first = await list(mine, { limit: "1" });
    const rest = await list(mine, { limit: "3", cursor: first.data.nextCursor });
    expect([...first.data.rows, ...rest.data.rows].map(({ kind }) => kind)).toEqual([
      "distribution",
      "other",
      "distribution",
      "other",
    ]);
    const { rows } = (await getStatement(features.deps, mine, { userId: USER, from: "1004", to: "1012" }))
      .data;
    expect(rows).toMatchObject([
      { kind: "distribution", distribution: { multiplierAfter: "2" } },
      { kind: "other" },
    ]);
    const { csv } = (
      await getStatement(features.deps, mine, { userId: USER, from: "1004", to: "1009", format: "csv" })
    ).data;
    expect(csv).toMatch(/^1005,distribution,AAPL,.*,1,2\r$/m);
  });

  it("keeps its ids where a reorg mines the transaction elsewhere", async () => {
    const rows = [{ logIndex: 3 }, { logIndex: 5 }, { logIndex: 5, asset: STOCK }];
    const ids = async () => (await list(mine)).data.rows.map(({ activityId }) => activityId);
    const at = (blockNumber: bigint, timestamp: bigint, logs: number) =>
      add(
        ...rows.map((row) => ({
          ...row,
          logIndex: row.logIndex + logs,
          blockNumber,
          timestamp,
          txHash: tx(1),
        })),
      );
    await at(10n, 1_000n, 0);
    const before = await ids();
    expect(new Set(before).size).toBe(3);
    await onchain.clear();
    await onchain.insert("stockBalance", { ...scope, userAddress: USER, stockAddress: STOCK });
    // Another transaction of the user's comes first in the new block.
    await add({ blockNumber: 12n, timestamp: 1_024n, logIndex: 0, txHash: tx(2) });
    await at(12n, 1_024n, 40);
    const after = await ids();
    expect(after.slice(0, 3)).toEqual(before);
    expect(before).not.toContain(after[3]);
  });

  it.each([
    [{ asset: "mUSD" }, [3, 1]],
    [{ asset: "MUSD" }, [3, 1]],
    [{ asset: "aapl" }, [2]],
    [{ asset: STOCK.toUpperCase().replace("0X", "0x") }, [2]],
    [{ asset: "none" }, []],
    [{ from: "1020" }, [3, 2]],
    [{ to: "1020" }, [2, 1]],
    [{ from: "1020", to: "1020" }, [2]],
    [{ asset: "mUSD", from: "1011" }, [3]],
    [{ userId: hex(20, 0xb2) }, [9]],
  ])("finds by %j", async (input, expected) => {
    await add(
      { delta: WAD, timestamp: 1_010n },
      { delta: 2n * WAD, timestamp: 1_020n, asset: STOCK },
      { delta: 3n * WAD, timestamp: 1_030n },
      { delta: 9n * WAD, userAddress: hex(20, 0xb2) },
      { delta: 5n * WAD, productType: "Second" },
    );
    const { data } = await list(mine, input);
    expect(data.rows.map(({ delta }) => Number(delta))).toEqual(expected);
  });

  it("goes on behind a cursor, each row once, whatever arrives; no other user takes it", async () => {
    await add(
      ...Array.from({ length: 25 }, (_, n) => ({
        blockNumber: BigInt(10 + Math.floor(n / 4)),
        timestamp: 1_000n,
        delta: BigInt(n) * WAD,
      })),
    );
    const found: number[] = [];
    let cursor: string | undefined;
    do {
      const { data } = await list(mine, { limit: "7", cursor });
      found.push(...data.rows.map(({ delta }) => Number(delta)));
      cursor = data.nextCursor ?? undefined;
      if (found.length === 7) await add({ blockNumber: 40n, timestamp: 1_000n, logIndex: 1 });
      if (cursor) await expectRefusal(list(mine, { userId: STOCK, cursor }), "VALIDATION_FAILED", "cursor");
    } while (cursor !== undefined);
    expect(found).toEqual(Array.from({ length: 25 }, (_, n) => 24 - n));
  });

  it.each([
    ["a log index that the database does not take", [1_000, 10, 2 ** 31, "mUSD"]],
    ["an asset that the database does not take", [1_000, 10, 1, "\u0000"]],
  ])("refuses a cursor that a caller sealed over %s", async (_what, place) => {
    const cursor = sealCursor({ list: `activities ${USER}`, chainId: CHAIN_ID, productType: PRODUCT }, place);
    await expectRefusal(list(mine, { cursor }), "VALIDATION_FAILED", "cursor");
  });

  it("reads what it answers, however much the user has done", async () => {
    const { pool } = features.deps;
    const rows = Array.from({ length: 4_000 }, (_, n) => ({
      asset: n % 100 === 0 ? KO : STOCK,
      logIndex: 0,
    }));
    await add(...rows);
    await pool.query("ANALYZE onchain.activity");
    const { deps, statements } = recordStatements(features.deps);
    for (const input of [
      {},
      { asset: "ko" },
      { asset: "mUSD" },
      { from: "5000", to: "6000" },
      { asset: "KO", to: "9000" },
    ])
      await list(mine, { limit: "5", ...input }, deps);
    // PostgreSQL 18 reads fewer than 40; 16 and 17 read the user's few balances for each asset of each row.
    expect(await mostRowsRead(pool, statements)).toBeLessThan(100);
  });
});
