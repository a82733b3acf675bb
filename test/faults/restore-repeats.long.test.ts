import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type Hex, parseEther } from "viem";
import { effectsOf } from "../../src/claims/effects.ts";
import { migrate } from "../../src/db/migrate.ts";
import { createRoles, ROLES } from "../../src/db/roles.ts";
import { start as startWorker } from "../../src/worker.ts";
import { DAY, LATER, router } from "../contracts/calls.ts";
import { canary, openLog } from "../support/assert/logs.ts";
import { present, until } from "../support/assert/until.ts";
import { type Product, send, startProduct } from "../support/chain/product.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { type Backup, backupOf } from "../support/db/copy-database.ts";
import { createOnchain, type Onchain } from "../support/db/onchain.ts";
import { createDatabase } from "../support/db/postgres.ts";
import { seedTerms } from "../support/db/seed.ts";
import type { CancelSendList, Send } from "../support/http/answers.ts";
import { startTestApi, type TestApi } from "../support/http/api.ts";
import { lower, PRODUCT } from "../support/http/features.ts";
import { createPartner, type PartnerKey } from "../support/http/partner.ts";
import { operate } from "../support/program/command.ts";
import { chainClient, minedFrom } from "../support/sender/chain-fixture.ts";
import {
  CONFIRMATIONS,
  createSending,
  enableUser,
  marketBuy,
  type Sending,
  withKey,
} from "../support/sender/sending.ts";

/**
 * docs/faults.md, row 73: what partners sent after a backup is on the chain, and the restored database lacks it. They repeat it all,
 * because the answers say that it never was.
 */

/** Server keys as an operator rotates them: the first one signs. */
const SERVER_KEYS = ["a1", "a2"].map(
  (id, index) => `${id}:${canary("server key", `${index + 1}e`.repeat(32))}`,
);
const rotation = (current: number): NodeJS.ProcessEnv => {
  const [first, ...others] = current === 0 ? SERVER_KEYS.slice(0, 1) : SERVER_KEYS.toReversed();
  return { ATTRIBUTION_KEYS: [first, ...others].join(",") };
};

let database: Awaited<ReturnType<typeof createDatabase>>;
let backup: Backup;
let product: Product;
let chain: ReturnType<typeof chainClient>;
let sending: Sending;
let onchain: Onchain;
let api: TestApi;
let worker: { stop(): Promise<void> } | null = null;
/** Ann's two keys, and Bob's. */
let keys: PartnerKey[];

beforeAll(async () => {
  [database, product] = await Promise.all([createDatabase(), startProduct({ users: 2 })]);
  await createRoles(database.url);
  await migrate(database.url, { info: () => undefined });
  backup = backupOf(database.url);
  chain = chainClient(product.rpcUrl);
  sending = await createSending(database.url, product);
  onchain = await createOnchain(sending.pool);
  await seedTerms(onchain, product);
  await startPrograms(0);
  const [ann, bob] = product.users.map((user) => present(user, "a user"));
  keys = [];
  for (const user of [ann, ann, bob]) {
    const partner = await enableUser(sending, api.url, present(user, "a user"));
    keys.push(partner.key);
  }
});
afterAll(async () => {
  await stopPrograms();
  await sending?.dispose();
  await backup?.drop();
  await Promise.all([database?.drop(), product?.stop()]);
});

async function startPrograms(serverKey: number, programs: ("api" | "worker")[] = ["api", "worker"]) {
  const keysOf = rotation(serverKey);
  if (programs.includes("worker"))
    worker = await startWorker({ ...sending.workerEnv, ...keysOf }, { logTo: openLog("worker") });
  if (programs.includes("api")) api = await startTestApi({ ...sending.env, ...keysOf });
}
async function stopPrograms() {
  await Promise.all([api?.stop(), worker?.stop()]);
  worker = null;
}

/** A call as a partner made it, and makes it again. */
interface Sent {
  /** Index of its key. */
  by: number;
  method: "post" | "delete";
  path: string;
  body: Record<string, unknown>;
  /** Null for an order that its clientOrderId alone names. */
  idempotencyKey: string | null;
}

const post = ({ by, method, path, body, idempotencyKey }: Sent) => {
  const partner = createPartner(api.url, present(keys[by], "a key"));
  const bend = idempotencyKey === null ? {} : withKey(idempotencyKey);
  return method === "delete" ? partner.delete<Send>(path, bend) : partner.post<Send>(path, body, bend);
};

const stockToken = () => present(product.deployment.stockTokens[0], "a stock token");

/** Calls of every kind of send, each unlike all others. */
function callsOf(count: number, orderIds: readonly Hex[]): Sent[] {
  const stockAddress = stockToken().address;
  const cash = { tokenAddress: present(product.deployment.cashTokens[0], "a cash token").address };
  const [deadline, timeInForce] = [LATER, "DAY"];
  const kinds: [string, (value: string) => Record<string, unknown>][] = [
    ["/orders/send", (value) => ({ ...marketBuy(sending, value), deadline })],
    ["/orders/send", (price) => ({ ...limit("Buy"), price })],
    ["/orders/send", (price) => ({ ...limit("Sell"), price })],
    [
      "/orders/send",
      (value) => ({ stockAddress, side: "Sell", type: "Market", quantity: `0.0${value}`, deadline }),
    ],
    [
      "/orders/with-deposit/send",
      (value) => ({ ...marketBuy(sending, "5"), deadline, ...cash, tokenAmount: value }),
    ],
    ["/orders/with-deposit/send", (price) => ({ ...limit("Sell"), price })],
    ["/cash/deposits/send", (tokenAmount) => ({ ...cash, tokenAmount })],
    ["/cash/withdrawals/send", (tokenAmount) => ({ ...cash, tokenAmount })],
    ["/stock/deposits/send", (value) => ({ tokenAddress: stockAddress, tokenAmount: `0.0${value}` })],
    ["/stock/withdrawals/send", (value) => ({ tokenAddress: stockAddress, tokenAmount: `0.0${value}` })],
  ];
  const limit = (side: string) => ({
    stockAddress,
    side,
    type: "Limit",
    quantity: "0.1",
    timeInForce,
    deadline,
  });
  const cancels = orderIds.map((orderId): Sent => {
    const path = `/orders/${orderId}/send`;
    return { by: 0, method: "delete", path, body: {}, idempotencyKey: randomUUID() };
  });
  const others = Array.from({ length: count - cancels.length }, (_, index): Sent => {
    const [path, body] = present(kinds[index % kinds.length], "a kind");
    const round = Math.floor(index / kinds.length);
    const isOrder = path.startsWith("/orders");
    // Orders of every other round have a clientOrderId, and some of these no Idempotency-Key.
    const names = isOrder && round % 2 === 1 ? { clientOrderId: `order-${index}` } : {};
    const idempotencyKey = "clientOrderId" in names && index % 3 === 0 ? null : randomUUID();
    const by = index % keys.length;
    return { by, method: "post", path, body: { ...body(`${20 + index}`), ...names }, idempotencyKey };
  });
  return [...others, ...cancels];
}

async function keyIdOf(apiKey: string): Promise<string> {
  const { rows } = await sending.pool.query<{ key_id: string }>(
    "SELECT key_id FROM app.api_key WHERE api_key = $1",
    [apiKey],
  );
  return present(rows[0], "the key").key_id;
}

/** Rests limit orders of a user that its key owns, as the index has them. */
async function restingOrders(count: number): Promise<Hex[]> {
  const user = present(product.users[0], "a user");
  const owner = present(keys[0], "a key");
  const orderIds: Hex[] = [];
  for (let index = 0; index < count; index++) {
    const call = router(
      "placeLimitOrder",
      stockToken().address,
      parseEther("0.01"),
      parseEther("1"),
      DAY,
      LATER,
    );
    const receipt = await send(product.client, user, product.deployment.stockRouter, call);
    const { chainId, ...contracts } = product.deployment;
    const orderId = present(effectsOf(receipt.logs, { contracts, chainId })[0]?.orderId, "an order");
    // Inserted before its claim: the worker reads the index once for a new claim, then only new blocks, which this index lacks.
    await onchain.insert("stockOrder", {
      chainId,
      productType: PRODUCT,
      orderId,
      txHash: receipt.transactionHash,
      userAddress: lower(user.address),
      stockAddress: lower(stockToken().address),
      side: "Buy",
      orderType: "Limit",
      status: "open",
    });
    await createClaim(
      sending.pool,
      { ...owner, keyId: await keyIdOf(owner.apiKey) },
      { txHash: receipt.transactionHash },
    );
    orderIds.push(orderId);
  }
  await until("the worker has written the rows of the orders", async () => {
    const text = "SELECT 1 FROM app.key_order WHERE order_id = ANY($1)";
    return (await sending.pool.query(text, [orderIds])).rowCount === count || undefined;
  });
  return orderIds;
}

const wallet = () => present(sending.wallets[0], "a wallet");
const transactions = () => minedFrom(chain, wallet());

async function untilMined(count: number): Promise<void> {
  await until(
    `${count} transactions are mined`,
    async () => (await chain.getTransactionCount({ address: wallet() })) >= count,
    120_000,
  );
  await chain.mine({ blocks: CONFIRMATIONS });
}

const walletState = async () => {
  const { rows } = await sending.pool.query<{ state: string }>(
    "SELECT state FROM app.delegatee_wallet WHERE address = $1",
    [wallet()],
  );
  return rows[0]?.state;
};

/** Runs `partner-trading-admin wallets ...` with the operator's role and the server keys of the api. */
function operator(serverKey: number, ...args: string[]) {
  const url = new URL(database.url);
  url.searchParams.set("options", `-c role=${ROLES.operator}`);
  return operate(args, { ...sending.env, ...rotation(serverKey), DATABASE_URL: url.href });
}
const resume = (serverKey: number) =>
  operator(serverKey, "wallets", "resume", String(product.deployment.chainId), wallet(), "--json");

/** Returns the differences of the wallet that `partner-trading-admin reconcile` finds. */
async function differences(): Promise<{ field: string; chain: string }[]> {
  const { number, timestamp } = await chain.getBlock();
  await onchain.setBlock(product.deployment.chainId, { number, timestamp });
  const args = ["reconcile", "--chain", String(product.deployment.chainId), "--json"];
  // Runs as the owner: this test's index grants nothing to the operator.
  const { out, err } = await operate(args, { ...sending.env, ...rotation(1) });
  if (out === "") throw new Error(err);
  const all: { kind: string; field: string; chain: string }[] = JSON.parse(out).differences;
  return all.filter(({ kind }) => kind === "wallet");
}

/** Each kind of send with and without each of its names. */
const SENDS = 60;

async function hashOf(requestId: string): Promise<Hex | undefined> {
  const text = "SELECT tx_hash FROM app.send_request WHERE request_id = $1";
  const { rows } = await sending.pool.query<{ tx_hash: Hex }>(text, [requestId]);
  return rows[0]?.tx_hash;
}

it("of the sends that a restored backup lacks, none is sent again when its caller repeats it", async () => {
  const orderIds = await restingOrders(3);
  await stopPrograms();
  await backup.make();
  const before = (await transactions()).length;

  await startPrograms(0);
  const calls = callsOf(SENDS, orderIds);
  const half = SENDS / 2;
  const answers = await Promise.all(calls.slice(0, half).map(post));
  expect(answers.filter(({ body }) => body.errMsg !== "")).toEqual([]);
  await untilMined(before + half);
  await stopPrograms();
  // The rest under a server key that is rotated meanwhile.
  await startPrograms(1);
  answers.push(...(await Promise.all(calls.slice(half).map(post))));
  expect(answers.filter(({ body }) => body.errMsg !== "")).toEqual([]);
  await untilMined(before + SENDS);
  // Not of the answers: one that took long has no hash.
  const sent = await Promise.all(answers.map(({ body }) => hashOf(body.data.requestId)));
  expect({ sent, distinct: new Set(sent).size }).toEqual({ sent, distinct: SENDS });
  await stopPrograms();

  await backup.restore();
  await startPrograms(1);
  await until("the wallet is halted", async () => (await walletState()) === "halted" || undefined, 40_000);
  // Each of these may be among the lost ones.
  const early = await Promise.all(calls.map(post));
  for (const { body } of early)
    expect(body).toMatchObject({ errCode: "OPERATOR_UNAVAILABLE", retryable: true });
  const resumed = await resume(1);
  if (resumed.code !== 0) throw new Error(resumed.err);
  const report = JSON.parse(resumed.out);
  expect(report).toMatchObject({ recovered: [], refused: [], unbound: [] });
  expect(report.recreated.map(({ txHash }: { txHash: Hex }) => txHash).sort()).toEqual([...sent].sort());
  const owners = new Map(
    report.recreated.map(({ txHash, apiKey }: { txHash: Hex; apiKey: string }) => [txHash, apiKey]),
  );
  expect(sent.map((hash) => owners.get(hash))).toEqual(calls.map(({ by }) => keys[by]?.apiKey));

  const repeats = await Promise.all(calls.map(post));
  for (const [index, { body }] of repeats.entries()) {
    if (calls[index]?.idempotencyKey === null)
      expect({ index, body }).toMatchObject({
        index,
        body: { errCode: "CLIENT_ORDER_ID_REUSED", param: "clientOrderId" },
      });
    else expect(body).toMatchObject({ code: 200, data: { txHash: sent[index] } });
  }
  const others = calls.filter(({ idempotencyKey, method }) => idempotencyKey !== null && method === "post");
  for (const { body } of await Promise.all(
    others.map((call) => post({ ...call, body: { ...call.body, gasLimit: 999_999 } })),
  ))
    expect(body).toMatchObject({ errCode: "IDEMPOTENCY_KEY_REUSED" });
  // The worker follows each to its end.
  await until("the last one is final", async () => {
    const { data } = (
      await post(
        present(
          calls.find(({ idempotencyKey }) => idempotencyKey !== null),
          "a call",
        ),
      )
    ).body;
    return data.final || undefined;
  });
  // They count as any other: no nonce of the wallet is left without a request.
  expect(await differences()).toEqual([]);
  const next = await post({
    ...present(calls[0], "a call"),
    idempotencyKey: randomUUID(),
    body: marketBuy(sending, "7"),
  });
  expect(next.body).toMatchObject({ code: 200 });
  await untilMined(before + SENDS + 1);
  expect(await transactions()).toHaveLength(before + SENDS + 1);
});

it("what is accepted after the restore is matched by its names, never by an equal call", async () => {
  await stopPrograms();
  await backup.make();
  const before = (await transactions()).length;
  await startPrograms(1);
  const cash = { tokenAddress: present(product.deployment.cashTokens[0], "a cash token").address };
  const deposit = (tokenAmount: string, idempotencyKey: string): Sent => {
    return {
      by: 0,
      method: "post",
      path: "/cash/deposits/send",
      body: { ...cash, tokenAmount },
      idempotencyKey,
    };
  };
  const [lost, other] = [deposit("3", "lost"), deposit("4", "other")];
  const answers = await Promise.all([lost, other].map(post));
  await untilMined(before + 2);
  // Not of the answers: one that took long has no hash.
  const hashes = await Promise.all(answers.map(({ body }) => hashOf(body.data.requestId)));
  await stopPrograms();

  await backup.restore();
  // No worker has seen yet that the chain is ahead.
  await startPrograms(1, ["api"]);
  const equal = deposit("3", "equal");
  const accepted = await Promise.all([equal, lost, deposit("5", "other")].map(post));
  expect(accepted.map(({ body }) => body.data?.status)).toEqual(["accepted", "accepted", "accepted"]);
  await sending.pool.query("UPDATE app.delegatee_wallet SET state = 'halted' WHERE address = $1", [wallet()]);
  const resumed = await resume(1);
  await startPrograms(1, ["worker"]);
  const [, repeated, reused] = accepted.map(({ body }) => body.data.requestId);
  expect(JSON.parse(resumed.out)).toMatchObject({
    recovered: [{ requestId: repeated, txHash: hashes[0] }],
    recreated: [{ txHash: hashes[1] }],
    refused: [{ requestId: reused, errCode: "IDEMPOTENCY_KEY_REUSED" }],
  });
  await untilMined(before + 3);
  expect((await post(lost)).body.data).toMatchObject({ requestId: repeated, txHash: hashes[0] });
  expect((await post(other)).body.data).toMatchObject({ txHash: hashes[1] });
  expect((await post(deposit("5", "other"))).body).toMatchObject({ errCode: "IDEMPOTENCY_KEY_REUSED" });
  const { txHash } = (await post(equal)).body.data;
  expect(hashes).not.toContain(txHash);
  expect(await transactions()).toHaveLength(before + 3);
});

it("what a wallet sent that was resumed without its transactions is reported, and re-created from a nonce on", async () => {
  await stopPrograms();
  await backup.make();
  const before = (await transactions()).length;
  await startPrograms(1);
  const call: Sent = {
    by: 2,
    method: "post",
    path: "/stock/deposits/send",
    idempotencyKey: "skipped",
    body: { tokenAddress: stockToken().address, tokenAmount: "0.5" },
  };
  const { requestId } = (await post(call)).body.data;
  await untilMined(before + 1);
  const txHash = await hashOf(requestId);
  await stopPrograms();
  await backup.restore();
  await sending.pool.query("UPDATE app.delegatee_wallet SET next_nonce = next_nonce + 1 WHERE address = $1", [
    wallet(),
  ]);
  await startPrograms(1);
  const nonce = present(
    (await transactions()).find(({ hash }) => hash === txHash),
    "the transaction",
  ).nonce;
  const more = {
    by: 2,
    body: { tokenAddress: stockToken().address, tokenAmount: "0.6" },
    idempotencyKey: null,
  };
  expect((await post({ ...call, ...more })).body).toMatchObject({ code: 200 });
  await untilMined(before + 2);
  expect(await differences()).toMatchObject([
    { field: "nonces of no request", chain: `nonce ${nonce} by ${txHash}` },
  ]);
  const args = [String(product.deployment.chainId), wallet(), "--from-nonce", "0"];
  const resumed = await operator(1, "wallets", "resume", ...args);
  expect(resumed.out).toContain(
    `is re-created from ${txHash}, nonce ${nonce}: stock/deposits of ${keys[2]?.apiKey}`,
  );
  expect(await differences()).toEqual([]);
  expect((await post(call)).body.data).toMatchObject({ txHash });
  expect(await transactions()).toHaveLength(before + 2);
});

it("a call that canceled many orders cancels no other one when it is repeated after the restore", async () => {
  const orderIds = await restingOrders(2);
  await stopPrograms();
  await backup.make();
  const before = (await transactions()).length;
  await startPrograms(1);
  const cancelMany = (body: { side: string }) =>
    createPartner(api.url, present(keys[0], "a key")).post<CancelSendList>(
      "/orders/cancel/send",
      body,
      withKey("many"),
    );
  const rowsOf = ({ rows }: CancelSendList) =>
    rows.flatMap(({ orderId, send: sent }) => (sent ? [{ orderId, requestId: sent.requestId }] : []));
  const first = rowsOf((await cancelMany({ side: "Buy" })).body.data);
  expect(first.map(({ orderId }) => orderId)).toEqual(orderIds.toReversed());
  await untilMined(before + 2);
  const hashes = await Promise.all(first.map(({ requestId }) => hashOf(requestId)));
  await stopPrograms();

  await backup.restore();
  await startPrograms(1);
  await until("the wallet is halted", async () => (await walletState()) === "halted" || undefined, 40_000);
  expect((await cancelMany({ side: "Buy" })).body).toMatchObject({
    errCode: "OPERATOR_UNAVAILABLE",
    retryable: true,
  });
  const resumed = await resume(1);
  if (resumed.code !== 0) throw new Error(resumed.err);
  const [later] = await restingOrders(1);
  const { data } = (await cancelMany({ side: "Buy" })).body;
  expect(data).toMatchObject({ more: true, rows: orderIds.toReversed().map((orderId) => ({ orderId })) });
  const repeated = await Promise.all(rowsOf(data).map(({ requestId }) => hashOf(requestId)));
  expect(repeated).toEqual(hashes);
  expect((await cancelMany({ side: "Sell" })).body).toMatchObject({ errCode: "IDEMPOTENCY_KEY_REUSED" });
  const { rows } = await sending.pool.query("SELECT FROM app.send_request WHERE operation_key = $1", [
    `cancel:${later}`,
  ]);
  expect({ rows, transactions: (await transactions()).length }).toEqual({
    rows: [],
    transactions: before + 2,
  });
});
