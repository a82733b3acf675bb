import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { revokeKey } from "../../src/auth/keys-admin.ts";
import { OPERATIONS, type OperationKind } from "../../src/protocol/operations.ts";
import { sign } from "../../src/protocol/signing.ts";
import { LONG } from "../support/assert/long.ts";
import { hex } from "../support/assert/sample.ts";
import { SEED, seededRandom } from "../support/assert/seeded-random.ts";
import { createAttributions, createClaim, createInvalidAttributions } from "../support/db/builders/claims.ts";
import { createAttempt, createSends, createWallet } from "../support/db/builders/sends.ts";
import { empty } from "../support/db/empty.ts";
import { createOnchain, type Onchain, type Row } from "../support/db/onchain.ts";
import { createDatabase, type TestDatabase } from "../support/db/postgres.ts";
import { PROJECTED, project as projectAll, projectorOf } from "../support/db/projected.ts";
import { createRandomChain, OURS, STOCKS, USERS } from "../support/db/random-chain.ts";
import { createRandomClaims } from "../support/db/random-claims.ts";
import { CHAIN_ID, makeEnv, PRODUCT, startTestApi, type TestApi, type TestEnv } from "../support/http/api.ts";
import { type Bend, createPartner, type PartnerKey } from "../support/http/partner.ts";
import { sendRaw } from "../support/http/raw-http.ts";

// A kept answer is what the database would answer: two replicas that keep theirs, beside one that keeps none.

const WAD = 10n ** 18n;
const SCOPE = { chainId: CHAIN_ID, productType: PRODUCT };

let database: TestDatabase;
let env: TestEnv;
let onchain: Onchain;
let replicas: TestApi[];
let reader: TestApi;
let keys: (PartnerKey & { keyId: string })[];
let projector: ReturnType<typeof projectorOf>;
const project = () => projectAll(projector);

beforeAll(async () => {
  database = await createDatabase();
  env = makeEnv(database.url, "http://127.0.0.1:1", { RATE_LIMIT_READS: "0", LOG_LEVEL: "warn" });
  projector = projectorOf(env);
  onchain = await createOnchain(env.pool);
  const start = (extra: NodeJS.ProcessEnv) => startTestApi({ ...env.env, ...extra }, { metricsMaxAgeMs: 0 });
  [reader, ...replicas] = (await Promise.all([
    start({ KEPT_ANSWERS_MB: "0" }),
    start({ KEPT_ANSWERS_MB: "1" }),
    start({}),
  ])) as [TestApi, ...TestApi[]];
  keys = await Promise.all([env.makeKey(), env.makeKey(), env.makeKey({ userAddress: USERS[0] as string })]);
});

afterAll(async () => {
  await Promise.all([reader?.stop(), ...(replicas ?? []).map((api) => api.stop())]);
  await env?.dispose();
  await database?.drop();
});

beforeEach(async () => {
  await onchain.clear();
  await empty(
    env.pool,
    "app.transaction_claim",
    "app.transaction_attribution",
    "app.invalid_attribution",
    ...PROJECTED,
  );
  await onchain.insert(
    "stockToken",
    ...STOCKS.map((tokenAddress, n) => ({ ...SCOPE, tokenAddress, symbol: `S${n}`, multiplier: WAD })),
  );
});

const ask = async (api: TestApi, key: PartnerKey, path: string) => {
  const [name = "", query = ""] = path.split("?");
  const answer = await createPartner(api.url, key).get(name, Object.fromEntries(new URLSearchParams(query)));
  const { uuid: _uuid, t: _t, ...body } = answer.body;
  const header = (title: string) => answer.headers.get(title);
  // A refusal names the block that a poll saw.
  const block = answer.status === 200 && body.code === 200 ? header("x-indexed-block") : null;
  return { status: answer.status, body, block, etag: header("etag") };
};

/** Asks every replica, and compares with what is read. */
async function expectExact(key: PartnerKey, path: string) {
  const [read, ...others] = await Promise.all([reader, ...replicas].map((api) => ask(api, key, path)));
  for (const other of others) expect(other).toEqual(read);
  return read as NonNullable<typeof read>;
}

/** Returns how often each replica found a kept answer to be so. */
const counted = async (result: "served" | "changed") => {
  const texts = await Promise.all(
    replicas.map(async ({ operatorUrl }) => (await fetch(`${operatorUrl}/metrics`)).text()),
  );
  const line = new RegExp(`^kept_answers_total\\{result="${result}"\\} (\\d+)`, "m");
  return texts.map((text) => Number(line.exec(text)?.[1] ?? 0));
};
const bothCounted = async () => ({ served: await counted("served"), changed: await counted("changed") });

const STEPS = LONG ? 40 : 4;

it.each(Array.from({ length: LONG ? 10 : 1 }, (_, day) => SEED + day))(
  "every answer is what is read, on a random day (TEST_SEED=%d)",
  async (seed) => {
    const random = seededRandom(seed);
    const chain = createRandomChain(onchain, random, PRODUCT);
    const claims = createRandomClaims(env.pool, keys, { random, chain });
    const before = await counted("served");
    await chain.mine();
    await project();
    for (let step = 0; step < STEPS; step++) {
      const { mine, reorg } = chain;
      const { add, change, watch, rebind } = claims;
      await random.of([mine, mine, reorg, add, add, change, watch, () => rebind(keys.slice(0, 2))])();
      // The rows of claims alone are there at once; all others after a step.
      if (random.chance(0.7)) await project();
      const { rows } = await env.pool.query<{ order_id: string }>("SELECT order_id FROM onchain.stock_order");
      const operations = await env.pool.query<{ kind: OperationKind; op_id: string }>(
        "SELECT kind, op_id FROM onchain.cash_operation UNION ALL SELECT kind, op_id FROM onchain.stock_operation",
      );
      const paths = [
        "/orders?limit=4",
        "/orders?status=New",
        `/orders?clientOrderId=order-${step % 9}`,
        `/orders/client/order-${step % 9}`,
        ...random.some(chain.transactions, 2).map((txHash) => `/orders/tx/${txHash}`),
        ...random.some(rows, 2).map(({ order_id }) => `/orders/${order_id}`),
        "/cash/deposits?limit=4",
        "/cash/withdrawals?status=processing",
        "/stock/deposits",
        ...random.some(operations.rows, 2).map(({ kind, op_id }) => `/${OPERATIONS[kind].path}/${op_id}`),
      ];
      const key = random.of(keys);
      for (const path of [...paths, ...paths]) await expectExact(key, path);
    }
    await claims.unbind(keys.slice(0, 2));
    const after = await counted("served");
    const served = after.map((count, n) => count - (before[n] ?? 0));
    expect({ served, few: served.filter((count) => count <= STEPS) }).toEqual({ served, few: [] });
  },
  120_000,
);

describe("an order whose answers are kept", () => {
  const ORDER = hex(32, 0xabc001);
  const TX = hex(32, 0x1001);
  const order: Row<"stockOrder"> = {
    ...SCOPE,
    orderId: ORDER,
    txHash: TX,
    blockNumber: 3n,
    updatedBlock: 3n,
    createdAt: 1_799_000_000n,
    updatedAt: 1_799_000_000n,
    userAddress: USERS[0] as `0x${string}`,
    stockAddress: STOCKS[0] as `0x${string}`,
    side: "Buy",
    orderType: "Limit",
    status: "open",
    quantity: WAD,
    price: WAD,
  };
  const PATHS = [`/orders/${ORDER}`, `/orders/tx/${TX}`, "/orders", "/orders?status=Filled"];
  const block = (number: bigint) => ({ number, timestamp: 1_799_000_200n });
  /** Another transaction's. */
  const next: Row<"stockOrder"> = { ...order, orderId: hex(32, 0xabc002), txHash: hex(32, 0x1002) };
  /** Publishes rows under a new block of the same height and time. */
  const publish = (change: Row<"stockOrder"> = {}, ...others: Row<"stockOrder">[]) =>
    onchain.replace(CHAIN_ID, { stockOrder: [{ ...order, ...change }, ...others] }, block(20n), block(10n));
  const key = (n: number) => keys[n] as PartnerKey & { keyId: string };
  const claim = (n: number, options: Parameters<typeof createClaim>[2] = {}) =>
    createClaim(env.pool, key(n), { txHash: TX, ...options });
  const change = (assignment: string) => env.pool.query(`UPDATE app.transaction_claim SET ${assignment}`);
  const all = async () => {
    const answers = [];
    for (const n of [0, 1]) answers.push(...PATHS.map((path) => expectExact(key(n), path)));
    return Promise.all(answers);
  };
  /** Runs `make`, and expects both replicas to give every key changed answers at once. */
  const becomesAtOnce = async (make: () => Promise<unknown>) => {
    const before = await all();
    expect(await all()).toEqual(before);
    await make();
    const after = await all();
    expect(after).not.toEqual(before);
    return after;
  };
  const becomes = (make: () => Promise<unknown>) =>
    becomesAtOnce(async () => {
      await make();
      await project();
    });
  /** Changes the rows without a new version: an answer that reads them shows "Failed". */
  const plant = () =>
    env.pool.query(`UPDATE app.key_order SET status = 'Failed', data = NULL WHERE key_id = $1`, [
      key(0).keyId,
    ]);

  beforeEach(async () => {
    await publish();
    await claim(0);
    await project();
  });

  it("shows a block that was indexed, and one that took its place at the same height and time", async () => {
    const filled = await becomes(() => publish({ status: "filled", filledQuantity: WAD }));
    const canceled = await becomes(() => publish({ status: "canceled" }));
    await becomes(() => publish({ status: "filled", filledQuantity: WAD }));
    expect(await all()).toEqual(filled);
    expect(canceled).not.toEqual(filled);
  });

  it("moves on X-Indexed-Block with blocks that change nothing, once they are projected, and is kept", async () => {
    const kept = await all();
    const blocks = async (of: string) => {
      for (const api of replicas)
        for (const [n, path] of PATHS.entries())
          expect(await ask(api, key(0), path)).toEqual({ ...kept[n], block: of });
    };
    await onchain.setBlock(CHAIN_ID, block(25n), block(10n));
    await blocks("20");
    await project();
    await plant();
    await blocks("25");
    expect((await ask(reader, key(0), `/orders/${ORDER}`)).body).toMatchObject({
      data: { historyOrder: { status: "Failed" } },
    });
  });

  it("is served while the rows of other keys change, in the same block too, and changes with its own", async () => {
    await claim(1, { txHash: next.txHash as string });
    await publish({}, next);
    await project();
    const kept = await all();
    const nextPath = `/orders/${next.orderId}`;
    await expectExact(key(1), nextPath);
    const before = await bothCounted();
    const more = (counts: number[], by: number) => counts.map((count) => count + by);
    const mine = async () => {
      const asked = PATHS.map((path) => expectExact(key(0), path));
      return (await Promise.all(asked)).map(({ block: _block, ...answer }) => answer);
    };
    const withoutBlock = kept.slice(0, PATHS.length).map(({ block: _block, ...answer }) => answer);

    await publish({}, { ...next, status: "filled", filledQuantity: WAD });
    await project();
    await claim(1, { txHash: hex(32, 0x1003) });
    expect(await mine()).toEqual(withoutBlock);
    const served = { ...before, served: more(before.served, PATHS.length) };
    expect(await bothCounted()).toEqual(served);
    expect((await expectExact(key(1), nextPath)).body).toMatchObject({
      data: { historyOrder: { status: "Filled" } },
    });

    await claim(0, { txHash: hex(32, 0x1003) });
    expect(await mine()).not.toEqual(withoutBlock);
    const changed = await bothCounted();
    // One more of the other key's order.
    expect(changed).toEqual({ ...served, changed: more(served.changed, PATHS.length + 1) });
  });

  it.each(["recorded", "send"] as const)("shows a claim (%s) of its key before any step", async (source) => {
    const txHash = hex(32, 0x4004);
    const body = () => expectExact(key(0), `/orders/tx/${txHash}`).then((answer) => answer.body);
    expect(await body()).toMatchObject({ code: 10001 });
    const list = await expectExact(key(0), "/orders");
    await claim(0, { source, txHash, clientOrderId: source === "send" ? "mine" : null });
    expect(await body()).toMatchObject({ data: { status: "Init", mapping: { txHash } } });
    expect((await expectExact(key(0), "/orders")).body).not.toEqual(list.body);
    await env.pool.query("UPDATE app.transaction_claim SET state = 'reverted' WHERE tx_hash = $1", [txHash]);
    expect(await body()).toMatchObject({ data: { status: "Failed" } });
  });

  it("waits for a block until it is projected", async () => {
    const waiting = (api: TestApi) =>
      createPartner(api.url, key(0)).get(`/orders/${ORDER}`, {}, { headers: { "x-min-block": "26" } });
    await onchain.setBlock(CHAIN_ID, block(26n), block(10n));
    for (const refused of await Promise.all([reader, ...replicas].map(waiting)))
      expect(refused).toMatchObject({ status: 503, body: { errCode: "INDEXER_BEHIND" } });
    const answers = Promise.all([reader, ...replicas].map(waiting));
    await project();
    for (const { status, headers } of await answers)
      expect({ status, "x-indexed-block": headers.get("x-indexed-block") }).toEqual({
        status: 200,
        "x-indexed-block": "26",
      });
  });

  it("is INDEXER_BEHIND, kept or not, while the rows of its chain are not complete", async () => {
    const kept = await all();
    await env.pool.query("UPDATE app.event_chain SET filled = false");
    for (const path of [...PATHS, `/orders/${next.orderId}`, `/orders/tx/${next.txHash}`])
      expect({ path, answer: await expectExact(key(0), path) }).toMatchObject({
        path,
        answer: {
          status: 503,
          body: { errCode: "INDEXER_BEHIND" },
        },
      });
    await env.pool.query("UPDATE app.event_chain SET filled = true");
    expect(await all()).toEqual(kept);
  });

  it.each([
    ["a record of another key with a better right", () => claim(2, { beforeFinal: true })],
    ["an attribution to another key", () => claim(1, { source: "attributed", attributionNonce: hex(16, 7) })],
    ["another key's suffix, which voids the record", () => createAttributions(env.pool, key(1), TX)],
    ["a sending that got its hash", () => claim(1, { source: "send" })],
    ["a client's id", () => change("client_order_id = 'mine'")],
    ["a claim that is gone", () => env.pool.query("DELETE FROM app.transaction_claim")],
  ])("shows %s in the next answer", async (_name, make) => {
    await becomes(make);
  });

  it("stays as it is where another user is bound to the key", async () => {
    const before = await all();
    await bind(0, hex(20, 0xbad));
    await project();
    expect(await all()).toEqual(before);
    await bind(0, null);
  });

  it("shows who may record what a key of another user recorded", async () => {
    await bind(0, hex(20, 0xbad));
    await env.pool.query("DELETE FROM app.transaction_claim");
    await claim(0, { ruleVersion: 2 });
    await project();
    await becomes(() => bind(1, USERS[0] as string));
    await bind(0, null);
    await bind(1, null);
  });

  it("shows what the rule of a record decides", async () => {
    await bind(0, hex(20, 0xbad));
    await env.pool.query("DELETE FROM app.transaction_claim");
    await claim(0);
    await project();
    await becomes(() => change("rule_version = 2"));
    await bind(0, null);
  });

  it("shows what a verdict of a suffix decides", async () => {
    const { txHash } = order;
    const suffix = { callData: "0x", suffix: OURS, fromAddress: "0x", transactionIndex: 0 } as const;
    await onchain.insert("attributionSuffix", { ...SCOPE, ...suffix, txHash, blockNumber: 3n });
    await change("rule_version = 2");
    await project();
    await becomes(() => createInvalidAttributions(env.pool, CHAIN_ID, TX));
    await env.pool.query("DELETE FROM onchain.attribution_suffix");
  });

  const bind = (n: number, user: string | null) =>
    env.pool.query("UPDATE app.api_key SET user_address = $2 WHERE key_id = $1", [key(n).keyId, user]);

  it("shows how a request to send goes on while nothing of it is indexed", async () => {
    await becomesAtOnce(() => claim(1, { source: "send", txHash: null }));
    await becomesAtOnce(() =>
      change(`tx_hash = '${hex(32, 0x2002)}', updated_at = now()`).catch(() => claimed()),
    );
    await becomesAtOnce(() => change("state = 'reverted'"));
  });
  const claimed = () =>
    env.pool.query("UPDATE app.transaction_claim SET tx_hash = $1 WHERE source = 'send'", [hex(32, 0x2002)]);

  it("is found by the hash of another attempt, once there is one", async () => {
    const wallet = hex(20, 0x3a11e7);
    const attempt = hex(32, 0x2003);
    const claimId = await claim(1, { source: "send" });
    await createWallet(env.pool, wallet);
    const options = { claimId, wallet, userAddress: USERS[0] as string, state: "signed", nonce: 0n };
    const [requestId = ""] = await createSends(env.pool, { ...SCOPE, keyId: key(1).keyId }, options);
    const list = `/orders?txHash=${attempt}`;
    const before = await expectExact(key(1), list);
    expect(await expectExact(key(1), list)).toEqual(before);
    await createAttempt(
      env.pool,
      { requestId, chainId: CHAIN_ID, wallet },
      { txHash: attempt, signedBytes: Buffer.of(1) },
    );
    const after = await expectExact(key(1), list);
    expect(after.body).not.toEqual(before.body);
    await empty(env.pool, "app.send_request", "app.delegatee_wallet");
  });

  it("is shown while the index is not ready, and as another build has it once that is projected", async () => {
    const meta = (value: object) => env.pool.query("UPDATE onchain._ponder_meta SET value = $1", [value]);
    const before = await all();
    await meta({ is_ready: 0 });
    await project();
    expect(await all()).toEqual(before);
    await meta({ is_ready: 1, build_id: "next" });
    // Another build makes other rows of the same blocks.
    await becomes(() => onchain.update("stockOrder", { orderId: ORDER }, { status: "rejected" }));
    await meta({ is_ready: 1 });
  });

  it("is not sent again to a caller who has it, on any replica, until it changes; each time a nonce is consumed", async () => {
    const path = `/orders/${ORDER}`;
    const { etag } = await expectExact(key(0), path);
    const nonce = randomUUID();
    const again = (api: TestApi, bend: Bend = {}) =>
      createPartner(api.url, key(0)).get(path, {}, { headers: { "if-none-match": etag ?? "" }, ...bend });
    for (const api of [reader, ...replicas]) {
      const { status, headers } = await again(api);
      expect({
        status,
        etag: headers.get("etag"),
        "x-indexed-block": headers.get("x-indexed-block"),
      }).toEqual({ status: 304, etag, "x-indexed-block": "20" });
    }
    expect(await again(reader, { nonce })).toMatchObject({ status: 304 });
    for (const api of replicas) expect(await again(api, { nonce })).toMatchObject({ body: { code: 401 } });
    await publish({ status: "filled" });
    await project();
    for (const api of [reader, ...replicas]) expect(await again(api)).toMatchObject({ status: 200 });
  });

  it("is refused with a body, also where it is kept", async () => {
    const uri = `/api/v1/orders/${ORDER}`;
    const { apiKey, apiSecret, chainId, productType } = key(0);
    await expectExact(key(0), `/orders/${ORDER}`);
    for (const api of [reader, ...replicas]) {
      const [timestamp, nonce] = [String(Date.now()), randomUUID()];
      const head = [
        `GET ${uri} HTTP/1.1`,
        "host: x",
        "connection: close",
        "content-length: 2",
        `x-api-key: ${apiKey}`,
        `x-api-ts: ${timestamp}`,
        `x-api-nonce: ${nonce}`,
        `x-api-chain-id: ${chainId}`,
        `x-api-p: ${productType}`,
        `x-api-sign: ${await sign(apiSecret, { method: "GET", uri, timestamp, nonce }, "{}")}`,
      ];
      const { status, body } = await sendRaw(api.url, `${head.join("\r\n")}\r\n\r\n{}`);
      expect({ status, errCode: JSON.parse(body).errCode }).toEqual({
        status: 400,
        errCode: "VALIDATION_FAILED",
      });
    }
  });

  it("is not sent again where it is never kept, either", async () => {
    const get = (headers = {}) => createPartner(reader.url, key(0)).get("/config", {}, { headers });
    const { status, headers } = await get();
    const etag = headers.get("etag") ?? "";
    expect({ status, statusOfKnown: (await get({ "if-none-match": etag })).status }).toEqual({
      status: 200,
      statusOfKnown: 304,
    });
    expect((await get({ "if-none-match": 'W/"another"' })).headers.get("etag")).toBe(etag);
  });

  it("is refused once its key is revoked", async () => {
    const own = await env.makeKey();
    await claim(0, { keyId: own.keyId, source: "send" });
    await project();
    expect(await expectExact(own, `/orders/${ORDER}`)).toMatchObject({ status: 200 });
    await revokeKey(env.admin, own.apiKey);
    expect(await expectExact(own, `/orders/${ORDER}`)).toMatchObject({ body: { code: 401, data: null } });
  });

  it("changes for nobody while a change is not committed, and at its commit for all", async () => {
    const before = await all();
    const client = await env.pool.connect();
    try {
      await client.query("BEGIN");
      await client.query("UPDATE app.transaction_claim SET state = 'reverted', client_order_id = 'late'");
      // A claim of another key, and a step, wait for nothing that is not committed.
      await createClaim(env.pool, key(1), { txHash: hex(32, 0x3003) });
      await project();
      const meanwhile = await all();
      expect(meanwhile).not.toEqual(before);
      await client.query("COMMIT");
      await project();
      expect(await all()).not.toEqual(meanwhile);
    } finally {
      client.release();
    }
  });
});

describe("an operation whose answers are kept", () => {
  const TX = hex(32, 0x1007);
  const OPERATION = hex(32, 0xdef001);
  const PATHS = ["/cash/deposits", `/cash/deposits/${OPERATION}`];
  const operation: Row<"cashOperation"> = {
    ...SCOPE,
    opId: OPERATION,
    txHash: TX,
    blockNumber: 3n,
    updatedBlock: 3n,
    kind: "deposit",
    createdAt: 1_799_000_000n,
    updatedAt: 1_799_000_000n,
    userAddress: USERS[0] as `0x${string}`,
    tokenAddress: STOCKS[0] as `0x${string}`,
    tokenAmount: WAD,
    status: "processing",
  };
  const key = () => keys[0] as PartnerKey & { keyId: string };
  const publish = async (change: Row<"cashOperation"> = {}) => {
    const block = (number: bigint) => ({ number, timestamp: 1_799_000_200n });
    await onchain.replace(CHAIN_ID, { cashOperation: [{ ...operation, ...change }] }, block(20n), block(10n));
    await project();
  };
  const both = () => Promise.all(PATHS.map((path) => expectExact(key(), path)));

  beforeEach(async () => {
    await createClaim(env.pool, key(), { txHash: TX, operationType: "deposit" });
    await publish();
  });

  it("is served from memory, and changes with the rows of its key", async () => {
    const kept = await both();
    expect(kept[1]?.body).toMatchObject({ data: { depositOperation: { status: "processing" } } });
    const before = await bothCounted();
    expect(await both()).toEqual(kept);
    const served = { ...before, served: before.served.map((count) => count + PATHS.length) };
    expect(await bothCounted()).toEqual(served);

    await publish({ status: "completed", settleTxHash: hex(32, 0x1008), settledAt: 1_799_000_100n });
    const [list, detail] = await both();
    expect(list).not.toEqual(kept[0]);
    expect(detail?.body).toMatchObject({ data: { depositOperation: { status: "completed" } } });
    expect(await bothCounted()).toEqual({
      ...served,
      changed: served.changed.map((count) => count + PATHS.length),
    });
  });

  it("is not sent again to a caller who has it, on any replica, until it changes", async () => {
    const kept = await both();
    const statuses = async () => {
      const asked = [reader, ...replicas].flatMap((api) =>
        PATHS.map(async (path, n) => {
          const headers = { "if-none-match": kept[n]?.etag ?? "" };
          return (await createPartner(api.url, key()).get(path, {}, { headers })).status;
        }),
      );
      return new Set(await Promise.all(asked));
    };
    expect(await statuses()).toEqual(new Set([304]));
    await publish({ status: "failed", rejectReason: 4 });
    expect(await statuses()).toEqual(new Set([200]));
  });
});
