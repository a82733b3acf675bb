import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from "@jest/globals";
import type { Caller } from "../../src/auth/caller.ts";
import type { Viewer } from "../../src/auth/viewer.ts";
import { ON_CHAIN_STATUSES } from "../../src/protocol/enums.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { type ClaimOptions, createClaim, createClaims } from "../support/db/builders/claims.ts";
import { empty } from "../support/db/empty.ts";
import { createOnchain, type Onchain, type Row } from "../support/db/onchain.ts";
import { PROJECTED, project, projected } from "../support/db/projected.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";
import * as verbs from "../support/http/verbs.ts";
import { STATUS_CASES } from "./status-cases.ts";

// Lists, details and ownership over rows of every kind, in a real PostgreSQL.

const WAD = 10n ** 18n;
const tx = (value: number) => hex(32, 0x1000 + value);
const id = (value: number) => hex(32, 0xabc000 + value);
const ALICE = hex(20, 0xa11ce);
const BOB = hex(20, 0xb0b);
const STOCK = hex(20, 0x57);

let features: Features;
let onchain: Onchain;
let mine: Caller;
let other: Caller;
const dashboard: Viewer = { chainId: 31337, productType: PRODUCT, keyId: null };

beforeAll(async () => {
  features = await startFeatures([
    {
      deployment: { chainId: 31337, ...CONTRACTS },
      rpcUrls: ["http://127.0.0.1:1"],
      products: [PRODUCT, "Second"],
    },
    { deployment: { chainId: 31338, ...CONTRACTS }, rpcUrls: ["http://127.0.0.1:1"] },
  ]);
  onchain = await createOnchain(features.deps.pool);
  [mine, other] = await Promise.all([features.makeCaller(), features.makeCaller()]);
  // Symbols of the tokens' own, which nodes are asked for.
  const { tokens } = present(features.deps.chains.get(31337), "the chain");
  const metadata = { name: "A token", decimals: 18 };
  jest.spyOn(tokens, "metadata").mockResolvedValue(
    new Map([
      [STOCK, { ...metadata, symbol: "AAPLx" }],
      [hex(20, 0x58), { ...metadata, symbol: "aapl" }],
    ]),
  );
});

afterAll(() => features?.close());

beforeEach(async () => {
  await empty(features.deps.pool, "app.transaction_claim", ...PROJECTED);
  await onchain.clear();
  await onchain.setBlock(31337, { number: 50n, timestamp: 1_800_000_000n });
  await onchain.insert("stockToken", { ...scope, tokenAddress: STOCK, symbol: "AAPL", multiplier: WAD });
});

const scope = { chainId: 31337, productType: PRODUCT };

function order(value: number, txValue: number, row: Row<"stockOrder"> = {}): Promise<void> {
  return onchain.insert("stockOrder", {
    ...scope,
    orderId: id(value),
    txHash: tx(txValue),
    logIndex: value,
    blockNumber: 40n,
    createdAt: 1_799_999_000n,
    updatedAt: 1_799_999_100n,
    userAddress: ALICE,
    stockAddress: STOCK,
    side: "Buy",
    orderType: "Limit",
    quantity: 2n * WAD,
    price: 180n * WAD,
    timeInForce: 0,
    deadline: 1_800_000_600n,
    lockedRemaining: 360n * WAD,
    status: "open",
    ...row,
  });
}

let moment = 0;
/** Claims a transaction at a later time than all before it. */
function claim(caller: Caller, txValue: number, options: ClaimOptions = {}): Promise<string> {
  const createdAt = options.createdAt ?? new Date(1_799_000_000_000 + moment++ * 10);
  const terms = { txHash: tx(txValue), ...options, createdAt, updatedAt: createdAt };
  return createClaim(features.deps.pool, caller, terms);
}

const listOrders = projected(verbs.listOrders);
const getOrder = projected(verbs.getOrder);
const getOrderByTransaction = projected(verbs.getOrderByTransaction);
const getOrderByClientId = projected(verbs.getOrderByClientId);

const ids = async (viewer: Viewer, args: Record<string, unknown> = {}) =>
  (await listOrders(features.deps, viewer, args)).data.rows.map(({ orderId }) => orderId);
const get = (viewer: Viewer, value: number) => getOrder(features.deps, viewer, { orderId: id(value) });
const byTx = (viewer: Viewer, value: number) =>
  getOrderByTransaction(features.deps, viewer, { txHash: tx(value) });

describe("an order", () => {
  it("shows the same in list, detail and by-tx, with the block that it was read at", async () => {
    const claimId = await claim(mine, 1, { clientOrderId: "my-1", createdAt: new Date(1_799_000_000_999) });
    await order(1, 1, { filledQuantity: WAD, filledNotional: 179n * WAD, fee: WAD / 10n, status: "open" });
    await onchain.insert("orderFill", {
      ...scope,
      orderId: id(1),
      ordinal: 1,
      quantity: WAD / 2n,
      price: 180n * WAD,
      fee: 1n,
      txHash: tx(8),
      timestamp: 1_799_999_050n,
    });
    await onchain.insert("orderFill", {
      ...scope,
      orderId: id(1),
      ordinal: 0,
      quantity: WAD / 2n,
      price: 178n * WAD,
      fee: WAD / 10n - 1n,
      txHash: tx(7),
      timestamp: 1_799_999_040n,
    });
    const { block, data } = await get(mine, 1);
    expect(block).toEqual({ number: 50n });
    expect(data).toEqual({
      orderId: id(1),
      txHash: tx(1),
      status: "Partial filled",
      onChainStatus: "open",
      orderIds: [id(1)],
      mapping: {
        mappingId: claimId,
        chainId: 31337,
        productType: PRODUCT,
        operationType: "trade",
        txHash: tx(1),
        userAddress: "0x00000000000000000000000000000000000A11cE",
        orderId: id(1),
        operationId: null,
        clientOrderId: "my-1",
        mappingStatus: "indexed",
        source: "recorded",
        createdAt: 1_799_000_000,
      },
      openOrder: {
        orderId: id(1),
        txHash: tx(1),
        userAddress: "0x00000000000000000000000000000000000A11cE",
        stockAddress: "0x0000000000000000000000000000000000000057",
        symbol: "AAPL",
        side: "Buy",
        type: "Limit",
        quantity: "2",
        notional: null,
        price: "180",
        timeInForce: "DAY",
        deadline: 1_800_000_600,
        status: "open",
        filledQuantity: "1",
        filledNotional: "179",
        averageFillPrice: "179",
        fee: "0.1",
        fills: [
          {
            quantity: "0.5",
            price: "178",
            fee: "0.099999999999999999",
            txHash: tx(7),
            timestamp: 1_799_999_040,
          },
          {
            quantity: "0.5",
            price: "180",
            fee: "0.000000000000000001",
            txHash: tx(8),
            timestamp: 1_799_999_050,
          },
        ],
        lockedAmount: "360",
        lockedAsset: "mUSD",
        cancelTxHash: null,
        createdAt: 1_799_999_000,
        updatedAt: 1_799_999_100,
        blockNumber: 40,
      },
      historyOrder: null,
    });
    expect((await byTx(mine, 1)).data).toEqual(data);
    expect((await listOrders(features.deps, mine, {})).data).toEqual({
      total: 1,
      totalExact: true,
      rows: [data],
      nextCursor: null,
    });
  });

  it("that has ended shows its fills, oldest first, and why it failed", async () => {
    await claim(mine, 1);
    await order(1, 1, {
      side: "Sell",
      status: "rejected",
      rejectReason: 3,
      settleTxHash: tx(9),
      settledAt: 1_799_999_200n,
      lockedRemaining: 0n,
    });
    await onchain.insert("orderFill", {
      ...scope,
      orderId: id(1),
      ordinal: 0,
      quantity: 1n,
      price: WAD,
      fee: 0n,
      txHash: tx(7),
      timestamp: 5n,
    });
    const { data } = await get(mine, 1);
    expect(data).toMatchObject({
      status: "Rejected",
      onChainStatus: "history",
      openOrder: null,
      historyOrder: {
        status: "Rejected",
        lockedAmount: "0",
        lockedAsset: "AAPL",
        fee: "0",
        fills: [{ quantity: "0.000000000000000001", price: "1", fee: "0", txHash: tx(7), timestamp: 5 }],
        settleTxHash: tx(9),
        settledAt: 1_799_999_200,
        failReason: "Rejected by the broker, reason 3",
      },
    });
  });

  it("that is not mined yet is known by its transaction only", async () => {
    const claimId = await claim(mine, 1, { createdAt: new Date(1_799_000_000_000) });
    const { data } = await byTx(mine, 1);
    expect(data).toMatchObject({
      orderId: null,
      txHash: tx(1),
      status: "Init",
      onChainStatus: "placing",
      orderIds: [],
      mapping: { mappingId: claimId, mappingStatus: "pending", orderId: null },
      openOrder: {
        status: "placing",
        txHash: tx(1),
        quantity: null,
        fee: null,
        fills: [],
        createdAt: 1_799_000_000,
      },
      historyOrder: null,
    });
    expect((await listOrders(features.deps, mine, {})).data.rows).toEqual([data]);
  });

  it("whose transaction reverted has failed", async () => {
    await claim(mine, 1, { state: "reverted" });
    expect((await byTx(mine, 1)).data).toMatchObject({
      status: "Failed",
      onChainStatus: "history",
      mapping: { mappingStatus: "reverted" },
      openOrder: null,
      historyOrder: {
        status: "Failed",
        failReason: "The transaction reverted",
        fills: [],
        settleTxHash: null,
      },
    });
  });

  it("goes back to Init when a reorg takes it off the chain", async () => {
    await claim(mine, 1);
    await order(1, 1);
    expect((await byTx(mine, 1)).data.status).toBe("New");
    await onchain.clear();
    expect((await byTx(mine, 1)).data.status).toBe("Init");
    await expectRefusal(get(mine, 1), "ORDER_NOT_FOUND");
  });

  it("carries the deposit of a combined call, of cash or stock", async () => {
    await claim(mine, 1);
    await claim(mine, 2);
    await order(1, 1, { depositOpId: id(77) });
    await order(2, 2, { side: "Sell" });
    await onchain.insert("stockOperation", {
      ...scope,
      opId: id(78),
      kind: "stock-deposit",
      orderId: id(2),
      txHash: tx(2),
      userAddress: ALICE,
      tokenAddress: STOCK,
    });
    expect((await get(mine, 1)).data.mapping.operationId).toBe(id(77));
    expect((await get(mine, 2)).data.mapping.operationId).toBe(id(78));
  });
});

describe("an order by its caller's own identifier", () => {
  const byClientId = async (viewer: Viewer, clientOrderId: string) =>
    (await getOrderByClientId(features.deps, viewer, { clientOrderId })).data;
  const sent = { source: "send", clientOrderId: "my-1", userAddress: ALICE } as const;

  it("is what its detail is, for its own key alone", async () => {
    await claim(mine, 1, sent);
    await claim(other, 2, { ...sent, userAddress: BOB });
    await order(1, 1);
    await order(2, 2, { userAddress: BOB });
    expect(await byClientId(mine, "my-1")).toEqual((await get(mine, 1)).data);
    expect((await byClientId(other, "my-1")).orderId).toBe(id(2));
    for (const [viewer, asked] of [
      [mine, "my-2"],
      [mine, "MY-1"],
      [{ ...mine, productType: "Second" }, "my-1"],
    ] as const)
      await expectRefusal(byClientId(viewer, asked), "ORDER_NOT_FOUND");
  });

  it("is there before its transaction, and where there never was one", async () => {
    await claim(mine, 1, { ...sent, txHash: null });
    expect(await byClientId(mine, "my-1")).toMatchObject({ status: "Init", orderId: null, txHash: null });
    await claim(mine, 2, { ...sent, clientOrderId: "my-2", txHash: null, state: "reverted" });
    expect(await byClientId(mine, "my-2")).toMatchObject({
      status: "Failed",
      historyOrder: { failReason: "It was not sent" },
    });
  });

  it.each(["", "a".repeat(65), "a.b", "a b"])("is refused where it cannot be one: %j", async (asked) => {
    await expectRefusal(byClientId(mine, asked), "VALIDATION_FAILED", "clientOrderId");
  });
});

describe("orders asked for at once", () => {
  it("are read by one statement for each chain, and everybody gets his own", async () => {
    for (let value = 1; value <= 20; value++) {
      await order(value, value);
      await claim(value % 2 === 0 ? mine : other, value);
    }
    await project(features.deps);
    const get = (viewer: Viewer, value: number) =>
      verbs.getOrder(features.deps, viewer, { orderId: id(value) });
    const read = jest.spyOn(features.deps.prisma.shownOrder, "findMany");
    const elsewhere: Viewer = { ...mine, chainId: 31338 };
    const answers = await Promise.allSettled([
      ...Array.from({ length: 20 }, (_, index) => get(mine, index + 1)),
      get(dashboard, 3),
      get(elsewhere, 2),
    ]);
    expect(read).toHaveBeenCalledTimes(2);
    read.mockRestore();
    const told = answers.map((answer) =>
      answer.status === "fulfilled" ? answer.value.data.orderId : answer.reason.errCode,
    );
    const expected = Array.from({ length: 20 }, (_, index) =>
      index % 2 === 1 ? id(index + 1) : "ORDER_NOT_FOUND",
    );
    // The other chain has no index here, and that is nobody else's trouble.
    expect(told).toEqual([...expected, id(3), "INDEXER_BEHIND"]);
  });
});

describe("ownership", () => {
  it("is nobody's until it is claimed", async () => {
    await order(1, 1);
    await expectRefusal(get(mine, 1), "ORDER_NOT_FOUND");
    await expectRefusal(byTx(mine, 1), "TRANSACTION_NOT_FOUND");
    expect(await ids(mine)).toEqual([]);
    expect(await ids(dashboard)).toEqual([]);
  });

  it("keeps another key's order out of sight everywhere", async () => {
    await claim(mine, 1);
    await order(1, 1);
    await claim(mine, 2);
    await expectRefusal(get(other, 1), "ORDER_NOT_FOUND");
    await expectRefusal(byTx(other, 1), "TRANSACTION_NOT_FOUND");
    await expectRefusal(byTx(other, 2), "TRANSACTION_NOT_FOUND");
    expect(await ids(other)).toEqual([]);
    expect(await ids(mine)).toEqual([null, id(1)]);
    expect(await ids(dashboard)).toEqual([null, id(1)]);
    expect((await get(dashboard, 1)).data.orderId).toBe(id(1));
  });

  it.each<[string, ClaimOptions, ClaimOptions, "first" | "second"]>([
    ["the older of two records", {}, {}, "first"],
    ["an attribution before a record", {}, { source: "attributed" }, "second"],
    ["a sending before an attribution", { source: "attributed" }, { source: "send" }, "second"],
    ["a sending before a record", { source: "send" }, {}, "first"],
    ["an attribution for the order's user", { source: "attributed", userAddress: ALICE }, {}, "first"],
    [
      "a record before an attribution for another user",
      { source: "attributed", userAddress: BOB },
      {},
      "second",
    ],
    ["a record before a sending for another user", { source: "send", userAddress: BOB }, {}, "second"],
    ["a record, even one that was dropped in between", { state: "dropped" }, {}, "first"],
  ])("goes to %s", async (_what, first, second, winner) => {
    await claim(mine, 1, first);
    await claim(other, 1, second);
    await order(1, 1);
    const [owner, loser] = winner === "first" ? [mine, other] : [other, mine];
    expect((await get(owner, 1)).data.orderId).toBe(id(1));
    await expectRefusal(get(loser, 1), "ORDER_NOT_FOUND");
    await expectRefusal(byTx(loser, 1), "TRANSACTION_NOT_FOUND");
    expect(await ids(loser)).toEqual([]);
    expect(await ids(dashboard)).toEqual([id(1)]);
  });

  it("is settled by the claim's own id where the times are equal", async () => {
    const createdAt = new Date(1_799_500_000_000);
    const [a, b] = [await claim(mine, 1, { createdAt }), await claim(other, 1, { createdAt })];
    await order(1, 1);
    const owner = a < b ? mine : other;
    expect(await ids(owner)).toEqual([id(1)]);
    expect(await ids(owner === mine ? other : mine)).toEqual([]);
  });

  it("leaves a record void whose key is bound to another user", async () => {
    const bound = await features.makeCaller({ userAddress: BOB });
    await claim(bound, 1);
    await claim(mine, 1);
    await order(1, 1);
    await expectRefusal(get(bound, 1), "ORDER_NOT_FOUND");
    expect(await ids(bound)).toEqual([]);
    expect(await ids(mine)).toEqual([id(1)]);
  });

  it("is decided per order where one transaction placed several", async () => {
    const bound = await features.makeCaller({ userAddress: BOB });
    const boundClaim = await claim(bound, 1);
    const claimId = await claim(mine, 1);
    await order(1, 1, { userAddress: ALICE });
    await order(2, 1, { userAddress: BOB });
    await order(3, 1, { userAddress: ALICE });
    expect(await ids(mine)).toEqual([id(3), id(1)]);
    expect(await ids(bound)).toEqual([id(2)]);
    const first = (await byTx(mine, 1)).data;
    expect(first).toMatchObject({
      orderId: id(1),
      orderIds: [id(1), id(3)],
      mapping: { mappingId: claimId },
    });
    expect((await get(mine, 3)).data).toMatchObject({
      orderIds: [id(1), id(3)],
      mapping: { mappingId: `${claimId}.2` },
    });
    expect((await byTx(bound, 1)).data).toMatchObject({
      orderId: id(2),
      orderIds: [id(2)],
      mapping: { mappingId: `${boundClaim}.1` },
    });
    expect(await ids(dashboard)).toEqual([id(3), id(1), id(2)]);
  });

  it("ignores claims to another kind of doing", async () => {
    await claim(mine, 1, { operationType: "deposit" });
    await order(1, 1);
    await expectRefusal(get(mine, 1), "ORDER_NOT_FOUND");
    expect(await ids(mine)).toEqual([]);
  });

  it("stays within chain and product", async () => {
    const elsewhere = await Promise.all([
      features.makeCaller({ productType: "Second" }),
      features.makeCaller({ chainId: 31338 }),
    ]);
    await onchain.setBlock(31338, { number: 9n, timestamp: 1n });
    await claim(mine, 1);
    await order(1, 1);
    for (const caller of elsewhere) {
      await claim(caller, 1);
      await expectRefusal(get(caller, 1), "ORDER_NOT_FOUND");
      // The claim is there, but what it is about is not in its scope.
      expect({ ids: await ids(caller) }).toEqual({ ids: [null] });
      expect((await byTx(caller, 1)).data).toMatchObject({
        status: "Init",
        mapping: { productType: caller.productType },
      });
    }
    expect(await ids(mine)).toEqual([id(1)]);
  });

  it("hides a claim that was dropped", async () => {
    await claim(mine, 1, { state: "dropped" });
    await expectRefusal(byTx(mine, 1), "TRANSACTION_NOT_FOUND");
    expect(await ids(mine)).toEqual([]);
  });
});

describe("the status filter", () => {
  it("agrees with statusOf on every path", async () => {
    for (const [index, [, chain, state]] of STATUS_CASES.entries()) {
      await claim(mine, index, { state });
      if (chain) {
        await order(index, index, {
          orderType: chain.type,
          status: chain.status,
          filledQuantity: chain.filledQuantity,
        });
      }
    }
    const statuses = [...new Set(STATUS_CASES.map(([, , , status]) => status))];
    expect(statuses.sort()).toEqual([
      "Canceled",
      "Expired",
      "Failed",
      "Filled",
      "Init",
      "New",
      "Partial filled",
      "Pending",
      "Rejected",
    ]);
    for (const status of statuses) {
      const { data } = await listOrders(features.deps, mine, { status, limit: "100" });
      const expected = STATUS_CASES.flatMap(([, , , found], index) => (found === status ? [tx(index)] : []));
      expect({ status, txHashes: data.rows.map(({ txHash }) => txHash).sort() }).toEqual({
        status,
        txHashes: expected.sort(),
      });
      expect({ status, others: data.rows.filter((row) => row.status !== status) }).toEqual({
        status,
        others: [],
      });
      expect({ status, total: data.total }).toEqual({ status, total: expected.length });
    }
    for (const onChainStatus of ON_CHAIN_STATUSES)
      for (const status of [undefined, ...statuses]) {
        const { data } = await listOrders(features.deps, mine, { onChainStatus, status, limit: "100" });
        const expected = STATUS_CASES.flatMap(([, , , found, standing], index) =>
          standing === onChainStatus && (status ?? found) === found ? [tx(index)] : [],
        );
        expect({ status, txHashes: data.rows.map(({ txHash }) => txHash).sort() }).toEqual({
          status,
          txHashes: expected.sort(),
        });
        expect({ status, others: data.rows.filter((row) => row.onChainStatus !== onChainStatus) }).toEqual({
          status,
          others: [],
        });
        expect({ status, total: data.total }).toEqual({ status, total: expected.length });
      }
  });
});

describe("filters", () => {
  beforeEach(async () => {
    await onchain.insert("stockToken", {
      ...scope,
      tokenAddress: hex(20, 0x58),
      symbol: "KO",
      multiplier: WAD,
    });
    const at = (seconds: number) => new Date(1_799_000_000_000 + seconds * 1000 + 500);
    await claim(mine, 1, { createdAt: at(1) });
    await claim(mine, 2, { createdAt: at(2), clientOrderId: "my-2" });
    await claim(other, 4, { createdAt: at(2), clientOrderId: "my-2" });
    await claim(mine, 3, { createdAt: at(3), userAddress: ALICE });
    await order(1, 1, { side: "Sell", updatedAt: 1_799_999_500n });
    await order(2, 2, {
      userAddress: BOB,
      orderType: "Market",
      stockAddress: hex(20, 0x58),
      updatedAt: 1_799_999_600n,
    });
  });

  it.each<[Record<string, unknown>, number[]]>([
    [{}, [3, 2, 1]],
    [{ side: "Sell" }, [1]],
    [{ side: "Buy" }, [2]],
    [{ type: "Market" }, [2]],
    [{ type: "Limit" }, [1]],
    [{ symbol: "ko" }, [2]],
    [{ symbol: "aAPLX" }, [1]],
    [{ symbol: "AAPLx", stockAddress: hex(20, 0x58) }, []],
    // A filter by a token's own name matches no other stock.
    [{ symbol: "AAPL" }, [1]],
    [{ symbol: STOCK }, [1]],
    [{ symbol: STOCK.toUpperCase(), stockAddress: STOCK.toUpperCase() }, [1]],
    [{ symbol: "ko", stockAddress: STOCK }, []],
    [{ onChainStatus: "open", side: "Sell" }, [1]],
    [{ onChainStatus: "placing" }, [3]],
    [{ onChainStatus: "history" }, []],
    [{ stockAddress: STOCK }, [1]],
    [{ userAddress: BOB }, [2]],
    [{ userAddress: ALICE.toUpperCase() }, [3, 1]],
    [{ txHash: tx(2).toUpperCase() }, [2]],
    [{ txHash: tx(2) }, [2]],
    [{ clientOrderId: "my-2" }, [2]],
    [{ clientOrderId: "MY-2" }, []],
    [{ from: "1799000002" }, [3, 2]],
    [{ to: "1799000002" }, [2, 1]],
    [{ from: "1799000002", to: "1799000002" }, [2]],
    [{ from: "1799000003", to: "1799000001" }, []],
    [{ updatedAfter: "1799999500" }, [2]],
    [{ updatedAfter: "1799999499" }, [2, 1]],
    [{ updatedAfter: "1799000002" }, [3, 2, 1]],
    [{ side: "Sell", type: "Limit", symbol: "AAPL", userAddress: ALICE, status: "New" }, [1]],
  ])("%j", async (args, expected) => {
    const { data } = await listOrders(features.deps, mine, args);
    expect(data.rows.map(({ txHash }) => txHash)).toEqual(expected.map(tx));
    expect(data.total).toBe(expected.length);
  });
});

it("an order that was mapped later than it changed is new from then on", async () => {
  await order(1, 1, { updatedAt: 1_799_000_000n });
  await claim(mine, 1, { createdAt: new Date(1_799_000_010_500) });
  const after = async (updatedAfter: string) =>
    (await listOrders(features.deps, mine, { updatedAfter })).data.total;
  expect(await after("1799000010")).toBe(1);
  expect(await after("1799000011")).toBe(0);
});

describe("pages", () => {
  const all = async (args: Record<string, unknown>) => {
    const seen: (string | null)[] = [];
    let cursor: string | null | undefined;
    do {
      const { data } = await listOrders(features.deps, mine, { ...args, ...(cursor ? { cursor } : {}) });
      seen.push(...data.rows.map(({ orderId }) => orderId));
      expect(data.total === null).toBe(cursor !== undefined);
      cursor = data.nextCursor;
    } while (cursor);
    return seen;
  };

  beforeEach(async () => {
    // Several in one millisecond, and several in one transaction.
    for (let value = 0; value < 24; value += 1) {
      const txValue = value - (value % 3);
      if (value % 3 === 0)
        await claim(mine, txValue, { createdAt: new Date(1_799_000_000_000 + Math.floor(value / 6)) });
      await order(value, txValue);
    }
  });

  it("by number, with the total of all", async () => {
    const whole = await ids(mine, { limit: "100" });
    expect(new Set(whole).size).toBe(24);
    const first = await listOrders(features.deps, mine, { limit: "5" });
    expect(first.data).toMatchObject({ total: 24, totalExact: true });
    const pages = await Promise.all(
      [1, 2, 3, 4, 5, 6].map((page) => ids(mine, { limit: "5", page: `${page}` })),
    );
    expect(pages.flat()).toEqual(whole);
    expect(pages.at(-1)).toEqual([]);
    expect(await ids(mine, { limit: "100", page: "999999999999999999999999" })).toEqual([]);
    expect((await listOrders(features.deps, mine, { limit: "5", page: "99" })).data).toEqual({
      total: 24,
      totalExact: true,
      rows: [],
      nextCursor: null,
    });
  });

  it("by cursor, of any size, each row once", async () => {
    const whole = await ids(mine, { limit: "100" });
    for (const limit of ["1", "5", "7", "24", "25"])
      expect({ limit, orders: await all({ limit }) }).toEqual({ limit, orders: whole });
  });

  it("by cursor stay exact while rows arrive, where a page number would repeat a row", async () => {
    const whole = await ids(mine, { limit: "100" });
    const { data } = await listOrders(features.deps, mine, { limit: "5" });
    await claim(mine, 90, { createdAt: new Date(1_799_100_000_000) });
    await order(90, 90);
    const next = await ids(mine, { limit: "5", cursor: data.nextCursor });
    expect(next).toEqual(whole.slice(5, 10));
    expect((await ids(mine, { limit: "5", page: "2" }))[0]).toBe(whole[4]);
  });

  it("by cursor keep their filters", async () => {
    await onchain.update("stockOrder", { orderId: id(3) }, { side: "Sell" });
    await onchain.update("stockOrder", { orderId: id(20) }, { side: "Sell" });
    const first = await listOrders(features.deps, mine, { side: "Sell", limit: "1" });
    expect(first.data).toMatchObject({ total: 2, rows: [{ orderId: id(20) }] });
    const second = await listOrders(features.deps, mine, {
      side: "Sell",
      limit: "1",
      cursor: first.data.nextCursor,
    });
    expect(second.data).toMatchObject({
      total: null,
      totalExact: null,
      rows: [{ orderId: id(3) }],
      nextCursor: null,
    });
  });

  it("refuse a cursor that was tampered with", async () => {
    const { data } = await listOrders(features.deps, mine, { limit: "5" });
    const cursor = `${data.nextCursor?.slice(0, -1)}!`;
    await expectRefusal(
      Promise.resolve().then(() => listOrders(features.deps, mine, { cursor })),
      "VALIDATION_FAILED",
      "cursor",
    );
  });

  it("count to 10000 and say where there is more", async () => {
    await project(features.deps);
    await createClaims(features.deps.pool, mine, 9_976);
    const list = async () => (await verbs.listOrders(features.deps, mine, { limit: "1" })).data;
    expect(await list()).toMatchObject({ total: 10_000, totalExact: true });
    await claim(mine, 91);
    expect(await list()).toMatchObject({ total: 10_000, totalExact: false });
  });
});

describe("an index that is not there yet", () => {
  it("is INDEXER_BEHIND", async () => {
    await empty(features.deps.pool, "onchain._ponder_checkpoint");
    await expectRefusal(get(mine, 1), "INDEXER_BEHIND");
    await expectRefusal(listOrders(features.deps, mine, {}), "INDEXER_BEHIND");
    await expectRefusal(byTx(mine, 1), "INDEXER_BEHIND");
  });
});
