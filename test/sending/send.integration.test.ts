import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { getAddress, type Hex, type LocalAccount, maxUint256, parseEther, size, slice } from "viem";
import type { Caller } from "../../src/auth/caller.ts";
import { effectsOf } from "../../src/claims/effects.ts";
import { sendingOf } from "../../src/config/deployments.ts";
import type { Deps } from "../../src/context/deps.ts";
import { parseInput } from "../../src/context/input/fields.ts";
import { inTransaction } from "../../src/db/transaction.ts";
import { disable } from "../../src/oneclick/disable.ts";
import { orderSendShape } from "../../src/orders/shapes.ts";
import { ApiError } from "../../src/protocol/errors.ts";
import { readSendMapping } from "../../src/sending/answer/mapping.ts";
import { decodeExecuteFor } from "../../src/sending/execute-for.ts";
import { findById } from "../../src/sending/outbox/request-store.ts";
import { insertSend, type NewSend, write } from "../../src/sending/outbox/submit.ts";
import { type SendContext, type SendPlan, sendForUser } from "../../src/sending/send.ts";
import { registerWallet } from "../../src/sending/sender/lease.ts";
import { macsOf, type NameKind, openKeyIds, TRAILER_BYTES } from "../../src/sending/trailer.ts";
import { cashToken, DAY, LATER, oneClick, router } from "../contracts/calls.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { present } from "../support/assert/until.ts";
import { delegate } from "../support/chain/delegate.ts";
import { account, type Product, send, startProduct } from "../support/chain/product.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { setPolicy } from "../support/db/builders/keys.ts";
import { createDelegations } from "../support/db/builders/sends.ts";
import { empty } from "../support/db/empty.ts";
import { createOnchain, type Onchain } from "../support/db/onchain.ts";
import { createTestPool } from "../support/db/pool.ts";
import { project } from "../support/db/projected.ts";
import { seedTerms } from "../support/db/seed.ts";
import { startTcpProxy, type TcpProxy } from "../support/db/tcp-proxy.ts";
import { type Features, lower, PRODUCT, startFeatures } from "../support/http/features.ts";
import { sendCancel, sendOrder, sendOrderWithDeposit } from "../support/http/verbs.ts";
import { seedEnable } from "../support/sender/enables.ts";

// Rows of /send and /1ct/disable, against a real chain; no worker sends them.

const CHAIN_ID = 31337;
const delegatee = account(7);

let product: Product;
let features: Features;
let onchain: Onchain;
let ann: LocalAccount;
let bob: LocalAccount;
/** Bound to Ann, whose delegation is in force on the chain. */
let caller: Caller;
/** Bound to Bob, who never delegated. */
let newcomer: Caller;

beforeAll(async () => {
  product = await startProduct({ users: 2 });
  features = await startFeatures([{ deployment: product.deployment, rpcUrls: [product.rpcUrl] }]);
  onchain = await createOnchain(features.deps.pool);
  await seedTerms(onchain, product);
  ann = present(product.users[0], "a user");
  bob = present(product.users[1], "a user");
  caller = await features.makeCaller({ userAddress: lower(ann.address) });
  newcomer = await features.makeCaller({ userAddress: lower(bob.address) });
  await delegate(product, ann, delegatee);
});

afterAll(async () => {
  await features?.close();
  await product?.stop();
});

beforeEach(async () => {
  const { pool } = features.deps;
  features.market.prices = new Map([["AAPL", "200"]]);
  await empty(pool, "app.send_request", "app.transaction_claim", "app.delegation", "app.key_policy");
  await registerWallet(pool, CHAIN_ID, lower(delegatee.address));
  await createDelegations(pool, caller, lower(delegatee.address), lower(ann.address), lower(bob.address));
  await seedEnable(pool, caller, lower(ann.address));
});

const order = (notional = "10") => ({
  symbol: "AAPL",
  side: "Buy",
  type: "Market",
  notional,
  deadline: String(LATER),
});

const sent = async (operation: string) =>
  (
    await features.deps.pool.query<{ request_id: string; state: string }>(
      "SELECT request_id, state FROM app.send_request WHERE operation = $1 AND wallet = $2 ORDER BY sequence",
      [operation, lower(delegatee.address)],
    )
  ).rows;

describe("a repeat that came in before the first was written", () => {
  const incoming = {
    operation: "orders/send",
    method: "POST",
    path: "/orders/send",
    input: parseInput(orderSendShape, order()),
    idempotencyKey: "twin",
  } as const;

  it("is answered the first one's state where the chain has changed under its checks", async () => {
    let first: { requestId: string } | null = null;
    const plan = async (_ground: SendContext): Promise<SendPlan> => {
      first = await sendOrder(features.deps, caller, order(), "twin");
      throw new ApiError("BALANCE_INSUFFICIENT");
    };
    const second = await sendForUser(features.deps, caller, incoming, plan);
    expect(first).not.toBeNull();
    expect(second).toEqual(first);
    expect(await sent("orders/send")).toHaveLength(1);
  });

  it("is answered the first one's state where only one of them fits under the key's daily cap", async () => {
    await setPolicy(features.deps.pool, caller, { dailyNotionalCap: 15n * 10n ** 18n });
    const twins = await Promise.all(
      Array.from({ length: 5 }, () => sendOrder(features.deps, caller, order(), "twin")),
    );
    expect(new Set(twins.map(({ requestId }) => requestId)).size).toBe(1);
    await expectRefusal(
      sendOrder(features.deps, caller, order(), "another"),
      "POLICY_REFUSED",
      "dailyNotionalCap",
    );
  });

  it("is refused where no request was written", async () => {
    const plan = async () => {
      throw new ApiError("BALANCE_INSUFFICIENT");
    };
    await expectRefusal(sendForUser(features.deps, caller, incoming, plan), "BALANCE_INSUFFICIENT");
  });
});

it("finds what it wrote, though the delegation was disabled while the commit's outcome was unknown", async () => {
  const { deps } = features;
  const { rows } = await deps.pool.query<{ id: string }>("SELECT gen_random_uuid()::text AS id");
  const requestId = present(rows[0], "an id").id;
  const writeIt = () =>
    inTransaction(deps.pool, (tx) =>
      insertSend(deps, tx, caller, newSend(ann, "orders/send", true), { requestId, mayExist: true }),
    );
  await writeIt();
  await deps.pool.query("UPDATE app.delegation SET blocked = true");
  expect(await writeIt()).toMatchObject({ requestId });
});

describe("what is lacking is told", () => {
  const usdc = () => present(product.deployment.cashTokens[0], "a cash token");
  const refused = async (args: object, errCode: string, run = sendOrder) =>
    (await expectRefusal(run(features.deps, caller, { ...args }, null), errCode)).message;

  it("of mUSD, and of stock on the exchange", async () => {
    expect(await refused(order("99999999"), "BALANCE_INSUFFICIENT")).toMatch(
      /of mUSD on the exchange, 99999999 is required, [0-9.]+ is there$/,
    );
    const sell = { symbol: "AAPL", side: "Sell", type: "Market", quantity: "1000000.5", deadline: LATER };
    const stock = getAddress(present(product.deployment.stockTokens[0], "a stock").address);
    expect(await refused(sell, "BALANCE_INSUFFICIENT")).toMatch(
      new RegExp(`of token ${stock} on the exchange, 1000000.5 is required, [0-9.]+ is there$`),
    );
  });

  it("of an allowance, for which spender", async () => {
    const { stockRouter } = product.deployment;
    const allow = (amount: bigint) =>
      send(product.client, ann, usdc().address, cashToken("approve", stockRouter, amount));
    await allow(1_500_000n);
    try {
      const args = { ...order(), tokenAddress: usdc().address, tokenAmount: "20" };
      expect(await refused(args, "ALLOWANCE_INSUFFICIENT", sendOrderWithDeposit)).toBe(
        `The allowance is too low: of token ${getAddress(usdc().address)}, for the spender ${getAddress(stockRouter)}, 20 is required, 1.5 is there`,
      );
    } finally {
      await allow(maxUint256);
    }
  });

  it("of a delegation, what comes next", async () => {
    await features.deps.pool.query("UPDATE app.delegation SET blocked = true");
    expect(await refused(order(), "DELEGATION_NOT_ENABLED")).toMatch(/prepare.*enable/);
  });
});

describe("of several mistakes, the one told is the first by docs/api.md#order-of-checks", () => {
  const usdc = () => present(product.deployment.cashTokens[0], "a cash token").address;
  const PAST = "1000000000";
  const LITTLE = "0.5";
  const buyWith = (more: object) => ({ ...order(), tokenAddress: usdc(), tokenAmount: "20", ...more });
  const sellWith = (more: object) => ({
    symbol: "AAPL",
    side: "Sell",
    type: "Market",
    deadline: LATER,
    ...more,
  });
  const NOBODYS = `0x${"77".repeat(20)}`;

  it.each<[string, () => object, string, string]>([
    [
      "gasLimit before the deadline",
      () => ({ ...order(), gasLimit: 1, deadline: PAST }),
      "VALIDATION_FAILED",
      "gasLimit",
    ],
    [
      "a missing timeInForce before gasLimit",
      () => ({ ...order(), type: "Limit", notional: null, quantity: "1", price: "1", gasLimit: 1 }),
      "TIME_IN_FORCE_REQUIRED",
      "timeInForce",
    ],
    [
      "another user before the deadline",
      () => ({ ...order(), userAddress: NOBODYS, deadline: PAST }),
      "VALIDATION_FAILED",
      "userAddress",
    ],
  ])("an order: %s", async (_what, args, errCode, param) => {
    await expectRefusal(sendOrder(features.deps, caller, { ...args() }, null), errCode, param);
  });

  it("an order: gasLimit before delegation, also where the call alone costs more", async () => {
    await features.deps.pool.query("UPDATE app.delegation SET blocked = true");
    for (const gasLimit of [1, 100_000_000]) {
      const sending = sendOrder(features.deps, caller, { ...order(), gasLimit }, null);
      await expectRefusal(sending, "VALIDATION_FAILED", "gasLimit");
    }
  });

  it.each<[string, () => object, string, string]>([
    [
      "the deposit's decimals before the deadline",
      () => buyWith({ tokenAmount: "20.0000001", deadline: PAST }),
      "TOO_MANY_DECIMALS",
      "tokenAmount",
    ],
    [
      "a deposit of nothing before the deadline, of a sell too",
      () => sellWith({ quantity: "1", tokenAmount: "0", deadline: PAST }),
      "VALIDATION_FAILED",
      "tokenAmount",
    ],
    [
      "the deadline before the deposit's token",
      () => buyWith({ tokenAddress: NOBODYS, deadline: PAST }),
      "DEADLINE_EXPIRED",
      "deadline",
    ],
    [
      "the deposit's token before the order's minimum",
      () => buyWith({ tokenAddress: NOBODYS, notional: LITTLE }),
      "TOKEN_NOT_SUPPORTED",
      "tokenAddress",
    ],
    [
      "the deposit's token before the order's minimum, of a sell too",
      () => sellWith({ tokenAddress: NOBODYS, quantity: "0.000001" }),
      "VALIDATION_FAILED",
      "tokenAddress",
    ],
    ["the order's minimum last", () => buyWith({ notional: LITTLE }), "BELOW_MINIMUM", "notional"],
  ])("an order with a deposit: %s", async (_what, args, errCode, param) => {
    await expectRefusal(sendOrderWithDeposit(features.deps, caller, { ...args() }, null), errCode, param);
  });
});

it("refuses a call that needs more gas than the deployment sends with, and writes nothing", async () => {
  const { config } = present(features.deps.chains.get(CHAIN_ID), "the chain");
  const { sending } = config;
  config.sending = { ...sendingOf(config), gasLimitMax: 150_000n };
  try {
    const refusal = await expectRefusal(sendOrder(features.deps, caller, order(), "capped"), "OUT_OF_GAS");
    expect(refusal.message).toMatch(/^The call needs \d+ gas, and at most 150000 is sent$/);
  } finally {
    config.sending = sending;
  }
  expect(await sent("orders/send")).toEqual([]);
  await expect(sendOrder(features.deps, caller, order(), "capped")).resolves.toMatchObject({
    status: "accepted",
  });
});

it("names every request in its transaction, at one length, and its gas limit counts these bytes", async () => {
  const { deps } = features;
  const stored = async (key: string | null, more: { clientOrderId?: string } = {}) => {
    const { requestId } = await sendOrder(deps, caller, { ...order(), ...more }, key);
    return present(await findById(deps.pool, requestId), "the request");
  };
  const named = await stored("named", { clientOrderId: "mine" });
  const unnamed = await stored(null);
  const calls = [named, unnamed].map(({ data }) => present(decodeExecuteFor(data), "a call"));
  const trailers = calls.map(({ trailer }) => present(trailer, "a trailer"));
  for (const trailer of trailers) expect(openKeyIds(deps.attributionKeys, trailer)).toEqual([caller.keyId]);
  const mac = (kind: NameKind, value: string) => macsOf(deps.attributionKeys, caller, kind, value)[0];
  expect(trailers[0]).toMatchObject({
    idempotencyMac: mac("idempotencyKey", "named"),
    clientOrderMac: mac("clientOrderId", "mine"),
    inputMac: mac("inputHash", named.inputHash),
  });
  expect(trailers[1]).toMatchObject({ inputMac: mac("inputHash", unnamed.inputHash) });
  expect(size(named.data)).toBe(size(unnamed.data));
  const bare = slice(named.data, 0, size(named.data) - TRAILER_BYTES);
  const [withTrailer, without] = await Promise.all(
    [named.data, bare].map((data) =>
      product.client.estimateGas({ account: lower(delegatee.address), to: named.to, data }),
    ),
  );
  expect(present(withTrailer, "gas")).toBeGreaterThan(present(without, "gas"));
  expect(named.gasLimit).toBe((present(withTrailer, "gas") * 3n + 1n) / 2n);
});

describe("a cancel", () => {
  const stockOf = () => present(product.deployment.stockTokens[0], "a stock").address;

  /** Returns a resting order of Ann's: on the chain, indexed and recorded by the caller. */
  async function resting(): Promise<{ orderId: Hex; index(status: "open" | "canceling"): Promise<void> }> {
    const call = router("placeLimitOrder", stockOf(), parseEther("1"), parseEther("1"), DAY, LATER);
    const receipt = await send(product.client, ann, product.deployment.stockRouter, call);
    const { contracts } = present(features.deps.deployments.chains[0]?.products[0], "the product");
    const [effect] = effectsOf(receipt.logs, { contracts, chainId: CHAIN_ID });
    const orderId = present(effect?.orderId, "an order");
    await createClaim(features.deps.pool, caller, { txHash: receipt.transactionHash });
    const index = async (status: "open" | "canceling") => {
      await features.deps.pool.query("DELETE FROM onchain.stock_order");
      await onchain.insert("stockOrder", {
        chainId: CHAIN_ID,
        productType: PRODUCT,
        orderId,
        txHash: receipt.transactionHash,
        userAddress: lower(ann.address),
        stockAddress: stockOf(),
        side: "Buy",
        orderType: "Limit",
        status,
      });
      await project(features.deps);
    };
    await index("open");
    return { orderId, index };
  }

  const cancel = (orderId: Hex, key: string | null) => sendCancel(features.deps, caller, { orderId }, key);
  const setReady = (ready: number) =>
    features.deps.pool.query(
      "UPDATE onchain._ponder_meta SET value = jsonb_build_object('is_ready', $1::int)",
      [ready],
    );

  afterEach(async () => {
    await setReady(1);
    await features.deps.pool.query("DELETE FROM onchain.stock_order");
    await project(features.deps);
  });

  it("is answered again under its Idempotency-Key while the index is taken back, or has lost the order", async () => {
    const { orderId } = await resting();
    const { data: first } = await cancel(orderId, "one");
    expect(first.mapping).toMatchObject({ orderId });
    await setReady(0);
    expect((await cancel(orderId, "one")).data).toEqual(first);
    await setReady(1);
    await features.deps.pool.query("DELETE FROM onchain.stock_order");
    await project(features.deps);
    expect(await cancel(orderId, "one")).toEqual({ block: null, data: { ...first, mapping: null } });
    await expectRefusal(cancel(orderId, null), "ORDER_NOT_FOUND");
    await features.deps.pool.query("UPDATE app.event_chain SET filled = false");
    expect((await cancel(orderId, "one")).data.requestId).toBe(first.requestId);
    await expectRefusal(cancel(orderId, null), "INDEXER_BEHIND");
    expect(await sent("orders/cancel")).toHaveLength(1);
  });

  it("answers a second Idempotency-Key the first one's state, then and later", async () => {
    const { orderId, index } = await resting();
    const { data: first } = await cancel(orderId, "one");
    expect((await cancel(orderId, "two")).data.requestId).toBe(first.requestId);
    await index("canceling");
    expect((await cancel(orderId, "two")).data.requestId).toBe(first.requestId);
    await expectRefusal(cancel(orderId, null), "ORDER_NOT_CANCELABLE");
    expect(await sent("orders/cancel")).toHaveLength(1);
  });

  it("of an order of another wallet is refused, and says who can submit it: nothing is sent", async () => {
    const { orderId } = await resting();
    const bob = "0x0000000000000000000000000000000000000b0b";
    await onchain.update("stockOrder", { orderId }, { userAddress: bob });
    await features.deps.pool.query("UPDATE app.transaction_claim SET rule_version = 2");
    await project(features.deps);
    const before = (await sent("orders/cancel")).length;
    const { message } = await expectRefusal(cancel(orderId, null), "ORDER_NOT_CANCELABLE");
    expect(message).toBe(
      "The order is another wallet's: DELETE /orders/{orderId}/calldata builds its cancel",
    );
    expect(await sent("orders/cancel")).toHaveLength(before);
  });

  it("of a key that is bound to nobody is refused for that, and of another key's order for not being there", async () => {
    const { orderId } = await resting();
    const unbound = { ...caller, userAddress: null };
    await expectRefusal(sendCancel(features.deps, unbound, { orderId }, null), "USER_NOT_BOUND");
    const stranger = { ...newcomer, userAddress: null };
    await expectRefusal(sendCancel(features.deps, stranger, { orderId }, null), "ORDER_NOT_FOUND");
    await expectRefusal(sendCancel(features.deps, newcomer, { orderId }, null), "ORDER_NOT_FOUND");
  });
});

describe("a database that fails over a send", () => {
  let tcp: TcpProxy;
  let pool: pg.Pool;
  beforeEach(async () => {
    const url = new URL(features.databaseUrl);
    tcp = await startTcpProxy(Number(url.port));
    url.port = String(tcp.port);
    pool = createTestPool(url.href, { max: 4 });
  });
  afterEach(async () => {
    await pool.end();
    await tcp.close();
  });

  /** Waits for a broadcast, so that the database is read again after the commit. */
  const overProxy = (): Deps => ({ ...features.deps, pool, broadcastWaitMs: 500 });
  const isCommit = (data: Buffer) => data.includes("COMMIT");
  const claimIds = async () =>
    (await features.deps.pool.query<{ claim_id: string }>("SELECT claim_id FROM app.transaction_claim")).rows;

  it("after its COMMIT costs the caller nothing but news", async () => {
    let committed = false;
    tcp.cutAfter = (data) => {
      const dead = committed;
      committed ||= isCommit(data);
      return dead;
    };
    const reply = await sendOrder(overProxy(), caller, { ...order(), clientOrderId: "mine" }, null);
    const [request] = await sent("orders/send");
    expect(reply).toMatchObject({
      requestId: request?.request_id,
      status: "accepted",
      final: false,
      txHash: null,
      errCode: null,
      mapping: {
        mappingId: (await claimIds())[0]?.claim_id,
        operationType: "trade",
        userAddress: ann.address,
        clientOrderId: "mine",
        mappingStatus: "pending",
        source: "send",
      },
    });
    tcp.cutAfter = null;
    expect(await readSendMapping(features.deps, present(await written(), "the request"))).toEqual(
      reply.mapping,
    );
  });

  const written = async () =>
    findById(features.deps.pool, present((await sent("orders/send"))[0], "it").request_id);

  it("over its COMMIT, and is back within a second: it is written once, and answered", async () => {
    let deadUntil: number | null = null;
    tcp.cutAfter = (data) => {
      if (isCommit(data)) deadUntil ??= Date.now() + 1_000;
      return deadUntil !== null && Date.now() < deadUntil;
    };
    const reply = await sendOrder(overProxy(), caller, order(), null);
    expect(await sent("orders/send")).toMatchObject([{ request_id: reply.requestId }]);
    expect(await claimIds()).toHaveLength(1);
  });

  it.each([
    ["nothing would tell a repeat: it says to look first", {}, null, false, /look for it in your lists/],
    ["an Idempotency-Key tells a repeat", {}, "known", true, /does not answer/],
    ["a clientOrderId tells a repeat", { clientOrderId: "known" }, null, true, /repeat the call/],
  ])("over its COMMIT, for good; %s", async (_what, more, key, retryable, message) => {
    let dead = false;
    tcp.cutAfter = (data) => {
      dead ||= isCommit(data);
      return dead;
    };
    const error = await expectRefusal(
      sendOrder(overProxy(), caller, { ...order(), ...more }, key),
      "DATABASE_UNAVAILABLE",
    );
    expect(error.retryable).toBe(retryable);
    expect(error.message).toMatch(message);
    expect(await sent("orders/send")).toHaveLength(1);
  });

  it("before its COMMIT: nothing is written, and the same call may be repeated", async () => {
    let dead = false;
    tcp.cutAfter = (data) => {
      dead ||= data.includes("INSERT INTO app.send_request");
      return dead;
    };
    const error = await expectRefusal(sendOrder(overProxy(), caller, order(), null), "DATABASE_UNAVAILABLE");
    expect(error.retryable).toBe(true);
    expect(await sent("orders/send")).toHaveLength(0);
  });
});

function newSend(user: LocalAccount, operation: NewSend["operation"], needsDelegation: boolean): NewSend {
  return {
    operation,
    wallet: lower(delegatee.address),
    user: lower(user.address),
    to: product.deployment.oneClickRouter,
    data: "0x",
    gasLimit: 150_000n,
    deadline: null,
    idempotencyKey: null,
    inputHash: operation,
    clientOrderId: null,
    operationType: null,
    operationKey: null,
    notional: null,
    symbol: null,
    needsDelegation,
    queuedMax: 500,
  };
}

describe("a disable while an enable is under way", () => {
  /** Writes an enable of Bob's that a worker has signed: it will land. */
  async function enableSigned(): Promise<void> {
    const { rows } = await features.deps.pool.query<{ epoch: number }>(
      "SELECT epoch FROM app.delegation WHERE user_address = $1",
      [lower(bob.address)],
    );
    const { requestId } = await write(features.deps, newcomer, {
      ...newSend(bob, "1ct/enable", false),
      delegationEpoch: present(rows[0], "the delegation").epoch,
    });
    await features.deps.pool.query(
      "UPDATE app.send_request SET state = 'broadcast', nonce = sequence WHERE request_id = $1",
      [requestId],
    );
  }
  const delegation = async () => {
    const { rows } = await features.deps.pool.query<{ blocked: boolean; epoch: number }>(
      "SELECT blocked, epoch FROM app.delegation WHERE user_address = $1",
      [lower(bob.address)],
    );
    return present(rows[0], "the delegation");
  };

  it("ends on the chain what the enable will begin there", async () => {
    await enableSigned();
    expect(await disable(features.deps, newcomer)).toMatchObject({ status: "disabled" });
    expect(await sent("1ct/disable")).toHaveLength(1);
    // Once is enough.
    await disable(features.deps, newcomer);
    expect(await sent("1ct/disable")).toHaveLength(1);
  });

  it("ends it again where the disable before failed, or came before a later enable", async () => {
    await enableSigned();
    await disable(features.deps, newcomer);
    await features.deps.pool.query(
      "UPDATE app.send_request SET state = 'failed', err_code = 'CHAIN_REVERT' WHERE operation = '1ct/disable'",
    );
    await disable(features.deps, newcomer);
    expect(await sent("1ct/disable")).toHaveLength(2);
    await enableSigned();
    await disable(features.deps, newcomer);
    expect(await sent("1ct/disable")).toHaveLength(3);
  });

  it("is not undone by that enable, also where an earlier disable was in force", async () => {
    await disable(features.deps, newcomer);
    const before = await delegation();
    await enableSigned();
    await disable(features.deps, newcomer);
    const after = await delegation();
    expect(after.blocked).toBe(true);
    expect(after.epoch).toBeGreaterThan(before.epoch);
    expect(await sent("1ct/disable")).toHaveLength(1);
  });

  it("needs no transaction where the enable had no nonce yet", async () => {
    await write(features.deps, newcomer, newSend(bob, "1ct/enable", false));
    await disable(features.deps, newcomer);
    expect(await sent("1ct/enable")).toMatchObject([{ state: "canceled" }]);
    expect(await sent("1ct/disable")).toHaveLength(0);
  });
});

describe("a disable after an enable that is final", () => {
  it("ends it on the chain also where the node has not got to the enable", async () => {
    await seedEnable(features.deps.pool, newcomer, lower(bob.address));
    await disable(features.deps, newcomer);
    expect(await sent("1ct/disable")).toHaveLength(1);
  });

  it("needs no transaction where the user has ended it", async () => {
    await delegate(product, bob, delegatee);
    await send(product.client, bob, product.deployment.oneClickRouter, oneClick("undelegate"));
    await seedEnable(features.deps.pool, newcomer, lower(bob.address));
    await disable(features.deps, newcomer);
    expect(await sent("1ct/disable")).toHaveLength(0);
  });
});
