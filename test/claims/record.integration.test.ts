import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import {
  encodeDeployData,
  getAddress,
  type Hex,
  type LocalAccount,
  parseEther,
  type TransactionReceipt,
} from "viem";
import { bytecode, smartWalletAbi } from "../../packages/sandbox/src/contracts/bytecode.ts";
import { sendAll } from "../../packages/sandbox/src/transact.ts";
import type { Caller } from "../../src/auth/caller.ts";
import { effectsOf } from "../../src/claims/effects.ts";
import { expireDroppedClaims } from "../../src/claims/expiry-store.ts";
import { watchClaims } from "../../src/claims/watch.ts";
import type { OperationType } from "../../src/protocol/enums.ts";
import { LATER, oneClick, router, stockToken } from "../contracts/calls.ts";
import { wallet } from "../contracts/wallet-calls.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { LONG } from "../support/assert/long.ts";
import { present } from "../support/assert/until.ts";
import { type NodeProxy, startNodeProxy } from "../support/chain/node-proxy.ts";
import { type Product, send, startProduct } from "../support/chain/product.ts";
import { type ClaimOptions, createClaims } from "../support/db/builders/claims.ts";
import { empty } from "../support/db/empty.ts";
import { createOnchain, type Onchain } from "../support/db/onchain.ts";
import { mostRowsRead, recordStatements } from "../support/db/plans.ts";
import { PROJECTED, projected } from "../support/db/projected.ts";
import { type Features, lower, PRODUCT, startFeatures } from "../support/http/features.ts";
import { listOrders, recordTransaction } from "../support/http/verbs.ts";

// POST .../tx against a real chain, with and without an index, and the worker that watches what was recorded.

const CONFIRMATIONS = 3;
const DAY_MS = 24 * 3600 * 1000;

let product: Product;
let proxy: NodeProxy;
let features: Features;
let onchain: Onchain;
let mine: Caller;
let other: Caller;
let ann: LocalAccount;
let bob: LocalAccount;
let aapl: Hex;
let usdc: Hex;

beforeAll(async () => {
  product = await startProduct();
  proxy = await startNodeProxy(product.rpcUrl);
  features = await startFeatures([
    {
      deployment: product.deployment,
      rpcUrls: [proxy.url],
      confirmations: CONFIRMATIONS,
      products: [PRODUCT],
    },
  ]);
  onchain = await createOnchain(features.deps.pool);
  [mine, other] = await Promise.all([features.makeCaller(), features.makeCaller()]);
  ann = present(product.users[0], "a user");
  bob = present(product.users[1], "a user");
  aapl = present(product.deployment.stockTokens[0], "a stock").address;
  usdc = present(product.deployment.cashTokens[0], "a cash token").address;
});

afterAll(async () => {
  await features?.close();
  await proxy?.stop();
  await product?.stop();
});

beforeEach(async () => {
  features.clock.nowMs = null;
  proxy.interfere = () => "pass";
  await empty(features.deps.pool, "app.transaction_claim", ...PROJECTED);
  await onchain.clear();
  await onchain.setBlock(31337, { number: 1n, timestamp: 1n });
});

const buy = (notional = "10") => router("placeMarketOrder", aapl, parseEther(notional), LATER);
const deposit = (amount = 5_000_000n) => router("deposit", usdc, amount);
const combined = () => router("depositAndMarketBuy", usdc, 20_000_000n, aapl, parseEther("15"), LATER);
const toRouter = (from: LocalAccount, data: Hex) =>
  send(product.client, from, product.deployment.stockRouter, data);
const record = (caller: Caller, txHash: Hex, kind: OperationType = "trade") =>
  recordTransaction(features.deps, caller, kind, { txHash });
const effectsIn = ({ logs }: TransactionReceipt) =>
  effectsOf(logs, {
    ...present(features.deps.deployments.chains[0]?.products[0], "the product"),
    chainId: 31337,
  });
const rpc = (method: string, params: unknown[] = []) =>
  product.client.transport.request({ method, params }) as Promise<unknown>;
const mineBlocks = (blocks: number) => rpc("anvil_mine", [`0x${blocks.toString(16)}`]);

async function claims(): Promise<{ key_id: string; state: string; tx_hash: string }[]> {
  const { rows } = await features.deps.pool.query(
    "SELECT key_id, state::text, tx_hash FROM app.transaction_claim ORDER BY created_at",
  );
  return rows;
}

/** Inserts the rows that the indexer would write for the orders and deposits of a transaction. */
async function index(receipt: TransactionReceipt): Promise<void> {
  for (const effect of effectsIn(receipt)) {
    const row = {
      chainId: 31337,
      productType: PRODUCT,
      txHash: receipt.transactionHash,
      logIndex: effect.logIndex,
      userAddress: effect.userAddress,
    };
    if (effect.operationType === "trade") {
      const depositOpId = effect.operationId;
      await onchain.insert("stockOrder", {
        ...row,
        orderId: effect.orderId ?? "0x",
        depositOpId,
        stockAddress: aapl,
        side: "Buy",
        orderType: "Market",
        status: "open",
      });
    } else if (effect.operationType === "deposit") {
      await onchain.insert("cashOperation", {
        ...row,
        opId: effect.operationId ?? "0x",
        kind: "deposit",
        status: "completed",
      });
    }
  }
}

/** Runs `work` while nothing is mined by itself. */
async function unmined<T>(work: () => Promise<T>): Promise<T> {
  await rpc("evm_setAutomine", [false]);
  try {
    return await work();
  } finally {
    await rpc("evm_setAutomine", [true]);
  }
}

/** Sends without waiting; `gas` makes an estimate unnecessary, so what reverts is mined too. */
async function submit(from: LocalAccount, data: Hex): Promise<Hex> {
  const { client, deployment } = product;
  const nonce = await client.getTransactionCount({ address: from.address, blockTag: "pending" });
  const serializedTransaction = await from.signTransaction({
    to: deployment.stockRouter,
    data,
    gas: 1_000_000n,
    maxFeePerGas: 100_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    type: "eip1559",
    chainId: 31337,
    nonce,
  });
  return client.sendRawTransaction({ serializedTransaction });
}

describe("a mined order that the index does not have yet", () => {
  it("is mapped from its receipt, with the order's id", async () => {
    const receipt = await toRouter(ann, buy());
    const [effect] = effectsIn(receipt);
    const { data, block } = await record(mine, receipt.transactionHash);
    expect(block).toBeNull();
    expect(data).toEqual({
      mappingId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      chainId: 31337,
      productType: PRODUCT,
      operationType: "trade",
      txHash: receipt.transactionHash,
      userAddress: ann.address,
      orderId: effect?.orderId,
      operationId: null,
      clientOrderId: null,
      mappingStatus: "pending",
      source: "recorded",
      createdAt: expect.any(Number),
    });
    expect(Math.abs(Number(data.createdAt) - Date.now() / 1000)).toBeLessThan(60);
  });

  it("is the same mapping when it is recorded again, and is indexed once it is", async () => {
    const receipt = await toRouter(ann, buy());
    const first = await record(mine, receipt.transactionHash);
    expect(await record(mine, receipt.transactionHash)).toEqual(first);
    await index(receipt);
    const later = await record(mine, receipt.transactionHash);
    expect(later).toEqual({
      block: { number: 1n, timestamp: 1n },
      data: { ...first.data, mappingStatus: "indexed" },
    });
    expect(await claims()).toHaveLength(1);
  });

  it("keeps the uuid of the request that recorded it first", async () => {
    const { transactionHash } = await toRouter(ann, buy());
    const [first, second] = [randomUUID(), randomUUID()];
    for (const envelopeUuid of [first, second]) await record({ ...mine, envelopeUuid }, transactionHash);
    const { rows } = await features.deps.pool.query("SELECT envelope_uuid FROM app.transaction_claim");
    expect(rows).toEqual([{ envelope_uuid: first }]);
  });

  it("is one claim and one answer for fifty calls at once", async () => {
    const receipt = await toRouter(ann, buy());
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => record(mine, receipt.transactionHash)),
    );
    expect(new Set(answers.map(({ data }) => JSON.stringify(data))).size).toBe(1);
    expect(await claims()).toHaveLength(1);
  });

  it("works without any index at all", async () => {
    await empty(features.deps.pool, "onchain._ponder_checkpoint");
    const receipt = await toRouter(ann, buy());
    expect((await record(mine, receipt.transactionHash)).data).toMatchObject({ mappingStatus: "pending" });
    expect((await record(mine, receipt.transactionHash)).data).toMatchObject({ mappingStatus: "pending" });
  });
});

describe("ownership", () => {
  it("of a recorded order is refused to the second key, and nothing is kept of it", async () => {
    const receipt = await toRouter(ann, buy());
    await record(mine, receipt.transactionHash);
    await expectRefusal(record(other, receipt.transactionHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
    await index(receipt);
    await expectRefusal(record(other, receipt.transactionHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
    expect(await claims()).toMatchObject([{ key_id: mine.keyId }]);
  });

  it("goes to exactly one of two keys that record at once", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { transactionHash } = await toRouter(ann, buy());
      const results = await Promise.allSettled(
        [mine, other, mine, other].map((key) => record(key, transactionHash)),
      );
      const owners = results.flatMap((result) =>
        result.status === "fulfilled" ? [result.value.data.mappingId] : [],
      );
      expect(owners).toEqual([owners[0], owners[0]]);
    }
  });

  it("follows the order in which pending claims were made, whatever the ids", async () => {
    for (let round = 0; round < 5; round += 1) {
      const hash = await unmined(async () => {
        const sent = await submit(ann, buy());
        await record(mine, sent);
        await record(other, sent);
        return sent;
      });
      await mineBlocks(1);
      const receipt = await product.client.getTransactionReceipt({ hash });
      await index(receipt);
      expect((await record(mine, hash)).data.mappingStatus).toBe("indexed");
      await expectRefusal(record(other, hash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
    }
  });

  it("goes to a key that is bound to another user until a key records it that is not", async () => {
    const bound = await features.makeCaller({ userAddress: lower(bob.address) });
    const receipt = await toRouter(ann, buy());
    expect((await record(bound, receipt.transactionHash)).data.userAddress).toBe(ann.address);
    expect((await record(mine, receipt.transactionHash)).data.userAddress).toBe(ann.address);
    await expectRefusal(record(bound, receipt.transactionHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
    const own = await toRouter(bob, buy());
    expect((await record(bound, own.transactionHash)).data.userAddress).toBe(bob.address);
  });
});

describe("row 62: a key that is bound to the order's user", () => {
  let annsKey: Caller;
  beforeAll(async () => {
    annsKey = await features.makeCaller({ userAddress: lower(ann.address) });
  });
  const owner = async (txHash: Hex) => {
    const found = await Promise.all(
      [mine, other, annsKey].map(async (key) => {
        const { data } = await projected(listOrders)(features.deps, key, { txHash });
        return data.rows.map(() => key.keyId);
      }),
    );
    return found.flat();
  };

  it("owns what an unbound key recorded first, before the block is final", async () => {
    const receipt = await toRouter(ann, buy());
    const { transactionHash: txHash } = receipt;
    await record(mine, txHash);
    expect((await record(annsKey, txHash)).data).toMatchObject({
      source: "recorded",
      userAddress: ann.address,
    });
    await expectRefusal(record(mine, txHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
    await index(receipt);
    expect(await owner(txHash)).toEqual([annsKey.keyId]);
    expect((await record(annsKey, txHash)).data.mappingStatus).toBe("indexed");
    for (const rival of [mine, other])
      await expectRefusal(record(rival, txHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
    await mineBlocks(CONFIRMATIONS);
    await expectRefusal(record(other, txHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
    expect(await owner(txHash)).toEqual([annsKey.keyId]);
  });

  it("owns what both recorded before it was mined", async () => {
    const txHash = await unmined(async () => {
      const sent = await submit(ann, buy());
      await record(mine, sent);
      await record(annsKey, sent);
      return sent;
    });
    await mineBlocks(1);
    await index(await product.client.getTransactionReceipt({ hash: txHash }));
    expect(await owner(txHash)).toEqual([annsKey.keyId]);
  });

  it("takes nothing that is final", async () => {
    const receipt = await toRouter(ann, buy());
    const { transactionHash: txHash } = receipt;
    await record(mine, txHash);
    await mineBlocks(CONFIRMATIONS);
    await expectRefusal(record(annsKey, txHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
    await index(receipt);
    await expectRefusal(record(annsKey, txHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
    expect(await owner(txHash)).toEqual([mine.keyId]);
  });

  it("owns it when it records in the last block before finality", async () => {
    const { transactionHash: txHash, blockNumber } = await toRouter(ann, buy());
    await record(mine, txHash);
    const onTop = Number((await product.client.getBlockNumber()) - blockNumber);
    await mineBlocks(CONFIRMATIONS - 1 - onTop);
    expect((await record(annsKey, txHash)).data.source).toBe("recorded");
  });

  it("takes nothing that a worker has found final, whatever a node that lags says", async () => {
    const receipt = await toRouter(ann, buy());
    const { transactionHash: txHash } = receipt;
    await record(mine, txHash);
    await features.deps.pool.query("UPDATE app.transaction_claim SET state = 'final'");
    await expectRefusal(record(annsKey, txHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
    await index(receipt);
    expect(await owner(txHash)).toEqual([mine.keyId]);
  });

  it("records late what nobody has, and keeps it", async () => {
    const receipt = await toRouter(ann, buy());
    const { transactionHash: txHash } = receipt;
    await mineBlocks(CONFIRMATIONS);
    await record(annsKey, txHash);
    await expectRefusal(record(mine, txHash), "TX_OWNED_BY_ANOTHER_KEY", "txHash");
    await index(receipt);
    expect(await owner(txHash)).toEqual([annsKey.keyId]);
  });
});

describe("before it is mined", () => {
  it("is a pending claim that fills itself in", async () => {
    const hash = await unmined(async () => {
      const sent = await submit(ann, buy());
      expect((await record(mine, sent)).data).toMatchObject({
        mappingStatus: "pending",
        orderId: null,
        userAddress: null,
      });
      return sent;
    });
    await mineBlocks(1);
    const receipt = await product.client.getTransactionReceipt({ hash });
    expect((await record(mine, hash)).data).toMatchObject({ orderId: effectsIn(receipt)[0]?.orderId });
  });

  it("may be unknown to the node", async () => {
    expect((await record(mine, `0x${"ab".repeat(32)}`)).data).toMatchObject({
      mappingStatus: "pending",
      orderId: null,
    });
  });
});

describe("what is refused", () => {
  it("a transaction that reverted", async () => {
    const hash = await submit(ann, router("placeMarketOrder", aapl, parseEther("1000000000"), LATER));
    expect((await product.client.waitForTransactionReceipt({ hash })).status).toBe("reverted");
    await expectRefusal(record(mine, hash), "TX_REVERTED", "txHash");
    expect(await claims()).toEqual([]);
  });

  it("a transaction that did nothing here", async () => {
    const [receipt] = await sendAll(product.client, ann, [
      { name: "coins", to: bob.address, value: 1n, gas: 21_000n },
    ]);
    await expectRefusal(
      record(mine, present(receipt, "a receipt").transactionHash),
      "TX_WRONG_KIND",
      "txHash",
    );
  });

  it.each<[string, () => Hex, OperationType, RegExp]>([
    ["a deposit as an order", () => deposit(), "trade", /record it with POST \/cash\/deposits\/tx/],
    ["an order as a deposit", () => buy(), "deposit", /record it with POST \/orders\/tx/],
    [
      "a combined call as a deposit",
      () => combined(),
      "deposit",
      /it is a trade; record it with POST \/orders\/tx/,
    ],
    [
      "a withdrawal as an order",
      () => router("withdraw", usdc, parseEther("1")),
      "trade",
      /\/cash\/withdrawals\/tx/,
    ],
  ])("%s, naming where it belongs", async (_what, call, kind, message) => {
    const { transactionHash } = await toRouter(ann, call());
    const error = await expectRefusal(record(mine, transactionHash, kind), "TX_WRONG_KIND", "txHash");
    expect(error.message).toMatch(message);
    expect(await claims()).toEqual([]);
  });

  it("events of the same shape from other contracts", async () => {
    const { contracts } = present(features.deps.deployments.chains[0]?.products[0], "the product");
    const real = { ...contracts };
    const receipt = await toRouter(ann, buy());
    Object.assign(contracts, { stock: real.cashier });
    try {
      await expectRefusal(record(mine, receipt.transactionHash), "TX_WRONG_KIND", "txHash");
    } finally {
      Object.assign(contracts, real);
    }
  });

  it("a hash that is none", async () => {
    await expectRefusal(record(mine, "0x12"), "VALIDATION_FAILED", "txHash");
  });

  it("a new record while no node answers; one that is there still answers", async () => {
    const { transactionHash } = await toRouter(ann, buy());
    const known = await record(mine, transactionHash);
    proxy.interfere = () => "cut";
    await expectRefusal(record(other, `0x${"cd".repeat(32)}`), "RPC_UNAVAILABLE");
    expect((await record(mine, transactionHash)).data.mappingId).toBe(known.data.mappingId);
  });
});

describe("deposits and combined calls", () => {
  it("a deposit is mapped with its operation", async () => {
    const receipt = await toRouter(ann, deposit());
    const [effect] = effectsIn(receipt);
    const { data } = await record(mine, receipt.transactionHash, "deposit");
    expect(data).toMatchObject({
      operationType: "deposit",
      operationId: effect?.operationId,
      orderId: null,
      userAddress: ann.address,
    });
    await index(receipt);
    expect((await record(mine, receipt.transactionHash, "deposit")).data).toEqual({
      ...data,
      mappingStatus: "indexed",
    });
  });

  it("a combined call is one trade with both ids", async () => {
    const receipt = await toRouter(ann, combined());
    const effects = effectsIn(receipt);
    expect(effects).toHaveLength(1);
    const { data } = await record(mine, receipt.transactionHash);
    expect(data).toMatchObject({
      operationType: "trade",
      orderId: effects[0]?.orderId,
      operationId: effects[0]?.operationId,
    });
    expect(data.operationId).toMatch(/^0x[0-9a-f]{64}$/);
    await index(receipt);
    expect((await record(mine, receipt.transactionHash)).data).toEqual({ ...data, mappingStatus: "indexed" });
  });
});

describe("wrapped calls count by their events", () => {
  it("of a wallet contract that places several orders and a deposit at once", async () => {
    const { client, deployment, deployer } = product;
    const [made] = await sendAll(client, ann, [
      {
        name: "wallet",
        to: null,
        data: encodeDeployData({ abi: smartWalletAbi, bytecode: bytecode.SmartWallet, args: [ann.address] }),
        gas: 2_000_000n,
      },
    ]);
    const smart = present(made?.contractAddress, "the wallet's address");
    const target = deployment.stockRouter;
    await sendAll(client, deployer, [
      { name: "tokens", to: aapl, data: stockToken("mint", smart, parseEther("10")), gas: 500_000n },
    ]);
    const call = (data: Hex, to: Hex = target) => ({ target: to, value: 0n, data });
    const sell = router("placeMarketOrder", aapl, -parseEther("1"), LATER);
    const approve = stockToken("approve", target, parseEther("10"));
    const batch = wallet("executeBatch", [
      call(approve, aapl),
      call(router("depositStock", aapl, parseEther("5"))),
      call(sell),
      call(sell),
    ]);
    const receipt = await send(client, ann, smart, batch);
    const effects = effectsIn(receipt);
    expect(effects.map(({ operationType, userAddress }) => [operationType, userAddress])).toEqual([
      ["stock-deposit", lower(smart)],
      ["trade", lower(smart)],
      ["trade", lower(smart)],
    ]);
    const [order] = effects.filter(({ operationType }) => operationType === "trade");
    const { data } = await record(mine, receipt.transactionHash);
    expect(data).toMatchObject({ orderId: order?.orderId, userAddress: getAddress(smart) });
    await index(receipt);
    expect((await record(mine, receipt.transactionHash)).data.orderId).toBe(order?.orderId);
  });

  it("of OneClickRouter, whose user is the delegating one", async () => {
    const { client, deployment } = product;
    const operator = bob;
    const message = { user: ann.address, delegatee: operator.address, nonce: 0n, deadline: LATER };
    const signature = await ann.signTypedData({
      domain: {
        name: "OneClickRouter",
        version: "1",
        chainId: 31337,
        verifyingContract: deployment.oneClickRouter,
      },
      types: {
        Delegate: [
          { name: "user", type: "address" },
          { name: "delegatee", type: "address" },
          { name: "nonce", type: "uint64" },
          { name: "deadline", type: "uint32" },
        ],
      },
      primaryType: "Delegate",
      message,
    });
    await send(
      client,
      operator,
      deployment.oneClickRouter,
      oneClick("delegateBySig", message.user, message.delegatee, 0n, LATER, signature),
    );
    const receipt = await send(
      client,
      operator,
      deployment.oneClickRouter,
      oneClick("executeFor", ann.address, buy()),
    );
    expect((await record(mine, receipt.transactionHash)).data).toMatchObject({
      userAddress: ann.address,
      orderId: effectsIn(receipt)[0]?.orderId,
    });
  });
});

/** Many times the rows that a statement may read. */
const MANY = LONG ? 5_000 : 2_000;
/** Inserts claims that keys recorded for transactions unknown to every node. */
const flood = (caller: Caller, count: number, common: ClaimOptions = {}) =>
  createClaims(features.deps.pool, caller, count, common);

describe("transactions that no node knows", () => {
  const unknown = (value: number): Hex => `0x${value.toString(16).padStart(64, "f")}`;

  it("are taken from a key up to a number, and others all the same", async () => {
    await flood(mine, 999);
    await record(mine, unknown(1));
    await expectRefusal(record(mine, unknown(2)), "RATE_LIMITED");
    await expect(record(mine, unknown(2))).rejects.toMatchObject({ retryAfterSeconds: 60 });
    // Recorded transactions are answered, transactions that a node knows are accepted, and other keys have their own limit.
    expect((await record(mine, unknown(1))).data.mappingStatus).toBe("pending");
    const { transactionHash } = await toRouter(ann, buy());
    expect((await record(mine, transactionHash)).data.source).toBe("recorded");
    await record(other, unknown(2));
    await features.deps.pool.query(
      "UPDATE app.transaction_claim SET last_seen_at = now() WHERE key_id = $1 AND tx_hash = $2",
      [mine.keyId, unknown(1)],
    );
    expect((await record(mine, unknown(2))).data.mappingStatus).toBe("pending");
  });

  it("are counted without reading what else the key has", async () => {
    await flood(mine, MANY, { state: "final" });
    await features.deps.pool.query("VACUUM ANALYZE app.transaction_claim");
    const recorded = recordStatements(features.deps);
    await recordTransaction(recorded.deps, mine, "trade", { txHash: unknown(1) });
    expect(await mostRowsRead(features.deps.pool, recorded.statements)).toBeLessThan(50);
  });
});

describe("a claim that was dropped", () => {
  const forget = (deps = features.deps) => expireDroppedClaims(deps);
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);

  it("is removed after thirty days, and can be recorded anew", async () => {
    const { transactionHash: txHash } = await toRouter(ann, buy());
    await record(mine, txHash);
    const drop = (updatedAt: Date) =>
      features.deps.pool.query("UPDATE app.transaction_claim SET state = 'dropped', updated_at = $1", [
        updatedAt,
      ]);
    await drop(daysAgo(29));
    expect(await forget()).toBe(0);
    await drop(daysAgo(31));
    expect(await forget()).toBe(1);
    expect(await claims()).toEqual([]);
    expect((await record(mine, txHash)).data.mappingStatus).toBe("pending");
  });

  it.each(["pending", "final", "reverted"] as const)("stays where it is %s", async (state) => {
    await flood(mine, 2, { state, updatedAt: daysAgo(400) });
    expect(await forget()).toBe(0);
  });

  it("stays where the index has what it claims, and where no index can tell", async () => {
    const receipt = await toRouter(ann, buy());
    await record(mine, receipt.transactionHash);
    await features.deps.pool.query("UPDATE app.transaction_claim SET state = 'dropped', updated_at = $1", [
      daysAgo(31),
    ]);
    await index(receipt);
    expect(await forget()).toBe(0);
    await onchain.clear();
    await features.deps.pool.query("UPDATE onchain._ponder_checkpoint SET chain_id = 5");
    expect(await forget()).toBe(0);
    await features.deps.pool.query("UPDATE onchain._ponder_checkpoint SET chain_id = 31337");
    await features.deps.pool.query("ALTER SCHEMA onchain RENAME TO elsewhere");
    try {
      expect(await forget()).toBe(0);
    } finally {
      await features.deps.pool.query("ALTER SCHEMA elsewhere RENAME TO onchain");
    }
    expect(await forget()).toBe(1);
  });

  it("is found without reading those that are kept", async () => {
    await flood(mine, MANY, { state: "final", updatedAt: daysAgo(400) });
    await features.deps.pool.query("VACUUM ANALYZE app.transaction_claim");
    const recorded = recordStatements(features.deps);
    await forget(recorded.deps);
    expect(await mostRowsRead(features.deps.pool, recorded.statements)).toBeLessThan(50);
  });
});

describe("the watch", () => {
  const state = async () => (await claims()).map((claim) => claim.state);
  /** Advances the clock, so that every claim is due again, and runs the watch. */
  const watch = async (ms = 600_000) => {
    features.clock.nowMs = (features.clock.nowMs ?? Date.now()) + ms;
    return watchClaims(features.deps, 31337);
  };

  it("takes keys in turns: what one records in masses keeps no other waiting, however many workers look", async () => {
    const masses = 60;
    await flood(mine, masses);
    const { transactionHash } = await toRouter(ann, buy());
    await record(other, transactionHash);
    await mineBlocks(CONFIRMATIONS);
    const looked = await Promise.all([watchClaims(features.deps, 31337), watchClaims(features.deps, 31337)]);
    expect(looked.reduce((sum, count) => sum + count)).toBe(masses + 1);
    expect(Math.max(...looked)).toBe(50);
    await features.deps.pool.query(
      "UPDATE app.transaction_claim SET next_look_at = created_at, state = 'pending'",
    );
    await watchClaims(features.deps, 31337);
    const others = (await claims()).filter(({ key_id }) => key_id === other.keyId);
    expect(others.map((claim) => claim.state)).toEqual(["final"]);
  });

  it("reads the same few claims, however many a key has recorded", async () => {
    // PostgreSQL prefers to read all of fewer.
    await flood(mine, 20_000);
    await flood(other, 10);
    await features.deps.pool.query("VACUUM ANALYZE app.transaction_claim, app.api_key");
    const recorded = recordStatements(features.deps);
    expect(await watchClaims(recorded.deps, 31337)).toBe(50);
    expect(recorded.statements.length).toBeGreaterThan(0);
    expect(await mostRowsRead(features.deps.pool, recorded.statements)).toBeLessThan(500);
  });

  it("calls a revert final only after the chain's confirmations", async () => {
    const hash = await unmined(async () => {
      const sent = await submit(ann, router("placeMarketOrder", aapl, parseEther("1000000000"), LATER));
      await record(mine, sent);
      return sent;
    });
    await mineBlocks(1);
    const { blockNumber } = await product.client.getTransactionReceipt({ hash });
    const onTop = async () => Number((await product.client.getBlockNumber()) - blockNumber);
    await mineBlocks(CONFIRMATIONS - 1 - (await onTop()));
    expect(await onTop()).toBe(CONFIRMATIONS - 1);
    await watch();
    expect(await state()).toEqual(["pending"]);
    expect((await record(mine, hash)).data.mappingStatus).toBe("pending");
    await mineBlocks(1);
    await watch();
    expect(await state()).toEqual(["reverted"]);
    expect((await record(mine, hash)).data.mappingStatus).toBe("reverted");
    expect(await watch()).toBe(0);
  });

  it("calls a success final, and looks no more", async () => {
    const { transactionHash } = await toRouter(ann, buy());
    await record(mine, transactionHash);
    expect(await watch()).toBe(1);
    expect(await state()).toEqual(["pending"]);
    await mineBlocks(CONFIRMATIONS);
    await watch();
    expect(await state()).toEqual(["final"]);
    expect(await watch()).toBe(0);
    expect((await record(mine, transactionHash)).data.mappingStatus).toBe("pending");
  });

  it("drops what no node has known for 24 hours, and takes it up again when it is recorded again", async () => {
    await record(mine, `0x${"ab".repeat(32)}`);
    await watch(DAY_MS - 60_000);
    expect(await state()).toEqual(["pending"]);
    await watch(600_000);
    expect(await state()).toEqual(["dropped"]);
    expect((await record(mine, `0x${"ab".repeat(32)}`)).data.mappingStatus).toBe("pending");
    expect(await state()).toEqual(["pending"]);
  });

  it("counts the 24 hours from when a node last knew it", async () => {
    await unmined(async () => {
      const hash = await submit(ann, buy());
      await record(mine, hash);
      await watch(DAY_MS - 60_000);
      await rpc("anvil_dropTransaction", [hash]);
      await watch(DAY_MS - 60_000);
      expect(await state()).toEqual(["pending"]);
      await watch(600_000);
      expect(await state()).toEqual(["dropped"]);
    });
  });

  it("drops a claim whose transaction, for good, did nothing of its kind", async () => {
    const hash = await unmined(async () => {
      const sent = await submit(ann, deposit());
      await record(mine, sent, "trade");
      return sent;
    });
    await mineBlocks(1);
    await watch();
    expect(await state()).toEqual(["pending"]);
    await mineBlocks(CONFIRMATIONS);
    await watch();
    expect(await state()).toEqual(["dropped"]);
    await expectRefusal(record(mine, hash, "trade"), "TX_WRONG_KIND", "txHash");
  });

  it("decides nothing while a node does not answer", async () => {
    await record(mine, `0x${"ab".repeat(32)}`);
    proxy.interfere = (method) => (method === "eth_getTransactionByHash" ? "cut" : "pass");
    await watch(2 * DAY_MS);
    expect(await state()).toEqual(["pending"]);
    proxy.interfere = () => "pass";
    await watch();
    expect(await state()).toEqual(["dropped"]);
  });

  it("decides nothing by a receipt whose block is not on the chain", async () => {
    const { transactionHash } = await toRouter(ann, buy());
    await record(mine, transactionHash);
    await mineBlocks(CONFIRMATIONS);
    const receipt = await product.client.request({
      method: "eth_getTransactionReceipt",
      params: [transactionHash],
    });
    const elsewhere = { ...receipt, blockHash: `0x${"bad".padEnd(64, "0")}`, status: "0x0" };
    proxy.interfere = (method) => (method === "eth_getTransactionReceipt" ? { result: elsewhere } : "pass");
    expect(await watch()).toBe(1);
    expect(await state()).toEqual(["pending"]);
    proxy.interfere = () => "pass";
    await watch();
    expect(await state()).toEqual(["final"]);
  });

  it("takes a claim once among several workers, and leaves young ones alone for a while", async () => {
    const { transactionHash } = await toRouter(ann, buy());
    await record(mine, transactionHash);
    features.clock.nowMs = Date.now() + 600_000;
    const taken = await Promise.all(Array.from({ length: 8 }, () => watchClaims(features.deps, 31337)));
    expect(taken.reduce((sum, count) => sum + count, 0)).toBe(1);
    features.clock.nowMs += 1_000;
    expect(await watchClaims(features.deps, 31337)).toBe(0);
  });

  it("follows a reorg: what was reverted below finality and then passes is no revert", async () => {
    const back = await rpc("evm_snapshot");
    const hash = await unmined(async () => {
      const sent = await submit(ann, router("placeMarketOrder", aapl, parseEther("1000000000"), LATER));
      await record(mine, sent);
      return sent;
    });
    await mineBlocks(1);
    expect((await product.client.getTransactionReceipt({ hash })).status).toBe("reverted");
    await watch();
    await rpc("evm_revert", [back]);
    await mineBlocks(CONFIRMATIONS + 2);
    await watch();
    expect(await state()).toEqual(["pending"]);
  });
});
