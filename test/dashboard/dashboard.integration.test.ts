import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, jest } from "@jest/globals";
import pg from "pg";
import { getAddress, type Hex } from "viem";
import { buildApiSchema } from "../../src/api/schema.ts";
import type { Caller } from "../../src/auth/caller.ts";
import { sealCursor } from "../../src/context/input/list.ts";
import { listChains } from "../../src/dashboard/chains.ts";
import { readProblems } from "../../src/dashboard/problems/watch.ts";
import type { OperationType } from "../../src/protocol/enums.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { createClaim } from "../support/db/builders/claims.ts";
import { createAttempt, createSends, createWallet } from "../support/db/builders/sends.ts";
import { empty } from "../support/db/empty.ts";
import { createOnchain, type Onchain } from "../support/db/onchain.ts";
import { project } from "../support/db/projected.ts";
import type { SendQueue } from "../support/http/answers.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";
import { type GraphqlServer, postGraphql, startGraphql } from "../support/http/graphql.ts";

// The field `dashboard` over /graphql: across keys, chains and products, in a real PostgreSQL.

const WAD = 10n ** 18n;
const tx = (value: number) => hex(32, 0x1000 + value);
const ALICE = hex(20, 0xa11ce);
const BOB = hex(20, 0xb0b);
const STOCK = hex(20, 0x57);
const WALLET = hex(20, 0x5e4d);
const FIRST_MS = 1_799_000_000_000;
const ORDERS = 60;
const SECOND = "Second";

let features: Features;
let onchain: Onchain;
let server: GraphqlServer;
/** One of each scope: two products of the first chain, and the second chain. */
let keys: [Caller, Caller, Caller];

beforeAll(async () => {
  features = await startFeatures([
    {
      deployment: { chainId: 31337, ...CONTRACTS },
      rpcUrls: ["http://127.0.0.1:1"],
      products: [PRODUCT, SECOND],
    },
    { deployment: { chainId: 31338, ...CONTRACTS }, rpcUrls: ["http://127.0.0.1:1"] },
  ]);
  onchain = await createOnchain(features.deps.pool);
  server = await startGraphql({ schema: buildApiSchema(), deps: features.deps });
  keys = [
    await features.makeCaller({ userAddress: ALICE }),
    await features.makeCaller({ productType: SECOND }),
    await features.makeCaller({ chainId: 31338 }),
  ];
  await seed();
  await project(features.deps);
});

afterAll(async () => {
  await server?.stop();
  await features?.close();
});

/** Inserts sixty orders of the three keys, every fourth sent by this service, a deposit each of cash and stock, and ledgers. */
async function seed(): Promise<void> {
  await createWallet(features.deps.pool, WALLET, { chainIds: [31337, 31338] });
  for (const chainId of [31337, 31338]) {
    await onchain.setBlock(chainId, { number: BigInt(chainId), timestamp: 1_800_000_000n });
  }
  for (const key of keys) {
    const scope = { chainId: key.chainId, productType: key.productType };
    await onchain.insert("stockToken", { ...scope, tokenAddress: STOCK, symbol: "AAPL", multiplier: WAD });
    await onchain.insert("cashBalance", { ...scope, userAddress: ALICE, available: 7n * WAD, locked: WAD });
    await onchain.insert("stockBalance", {
      ...scope,
      userAddress: BOB,
      stockAddress: STOCK,
      available: 2n * WAD,
    });
  }
  for (let index = 0; index < ORDERS; index++) await seedOrder(keys[index % 3] ?? keys[0], index);
  await seedOperation(keys[0], 100, "deposit");
  await seedOperation(keys[2], 102, "stock-withdraw");
}

async function seedOrder(key: Caller, index: number): Promise<void> {
  const claimId = await claim(key, index, "trade", index % 4 === 0 ? "send" : "recorded");
  await onchain.insert("stockOrder", {
    chainId: key.chainId,
    productType: key.productType,
    orderId: hex(32, 0xabc000 + index),
    txHash: tx(index),
    logIndex: 1,
    // A record is void for a user who is not the key's.
    userAddress: index % 3 === 0 ? ALICE : BOB,
    stockAddress: STOCK,
    side: "Buy",
    orderType: "Limit",
    quantity: WAD,
    price: 180n * WAD,
    status: index % 5 === 0 ? "filled" : "open",
    updatedAt: 1_799_999_000n,
  });
  if (index % 4 === 0) await seedSend(key, index, claimId);
}

async function claim(
  key: Caller,
  index: number,
  operationType: OperationType,
  source: "send" | "recorded",
): Promise<string> {
  // Two of each have one time: what breaks the tie is the claim's id.
  const createdAt = new Date(FIRST_MS + Math.floor(index / 2) * 1_000);
  const terms = { operationType, txHash: tx(index), source, createdAt, updatedAt: createdAt };
  return createClaim(features.deps.pool, key, terms);
}

async function seedSend(key: Caller, index: number, claimId: string): Promise<void> {
  const { pool } = features.deps;
  const common = { wallet: WALLET, nonce: index, txHash: tx(index) };
  const [requestId = ""] = await createSends(pool, key, {
    ...common,
    userAddress: ALICE,
    toAddress: hex(20, 1),
    inputHash: "canary-of-an-input",
    claimId,
    state: "broadcast",
  });
  const fees = { maxFeePerGas: "5", signedBytes: Buffer.from("ca4a5e", "hex") };
  await createAttempt(
    pool,
    { ...common, requestId, chainId: key.chainId },
    { ...fees, nonce: index, txHash: tx(index) },
  );
}

async function seedOperation(key: Caller, index: number, kind: "deposit" | "stock-withdraw"): Promise<void> {
  await claim(key, index, kind, "recorded");
  const row = {
    chainId: key.chainId,
    productType: key.productType,
    opId: hex(32, index),
    userAddress: ALICE,
    tokenAddress: STOCK,
    txHash: tx(index),
    logIndex: 1,
  };
  if (kind === "deposit") {
    await onchain.insert("cashOperation", {
      ...row,
      kind,
      status: "completed",
      tokenAmount: 1n,
      wadAmount: WAD,
    });
  } else {
    await onchain.insert("stockOperation", { ...row, kind, amount: WAD });
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of any query
async function ask(fields: string, variables: Record<string, unknown> = {}, types = ""): Promise<any> {
  const { json } = await postGraphql(server.url, {
    query: `query ${types} { dashboard { ${fields} } }`,
    variables,
  });
  if (json.errors) throw new Error(JSON.stringify(json.errors));
  return json.data.dashboard;
}

const refusal = async (fields: string) => {
  const { json } = await postGraphql(server.url, { query: `{ dashboard { ${fields} } }` });
  return json.errors?.[0]?.extensions;
};

const EVERYTHING = `
  totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor } indexedBlocks { chainId number timestamp }
  edges { cursor node {
    order { orderId txHash status onChainStatus orderIds mapping { mappingId chainId productType }
      openOrder { symbol quantity price } historyOrder { status fills { price } } }
    key { keyId name apiKey status scopes { chainId productType } ips policy { killed } }
    sendRequest { requestId state attempts { txHash kind } key { name } } } }`;

describe("orders", () => {
  it("come across keys, chains and products, in pages that repeat and miss nothing", async () => {
    const seen: string[] = [];
    let after: string | null = null;
    for (let page = 0; page < 4; page++) {
      const { orders } = await ask(
        "orders(first: 16, after: $after) { totalCount edges { cursor node { order { orderId } } } pageInfo { hasNextPage hasPreviousPage endCursor } }",
        { after },
        "($after: Text)",
      );
      expect(orders.totalCount).toBe(ORDERS);
      expect(orders.pageInfo).toMatchObject({ hasNextPage: page < 3, hasPreviousPage: page > 0 });
      seen.push(
        ...orders.edges.map((edge: { node: { order: { orderId: string } } }) => edge.node.order.orderId),
      );
      after = orders.pageInfo.endCursor;
    }
    expect(new Set(seen).size).toBe(ORDERS);
    expect(seen).toHaveLength(ORDERS);
    const { orders } = await ask("orders(first: 100) { edges { node { order { orderId } } } }");
    expect(
      orders.edges.map((edge: { node: { order: { orderId: string } } }) => edge.node.order.orderId),
    ).toEqual(seen);
  });

  it("name their key, what sent them and the blocks that they were read at", async () => {
    const { orders } = await ask(`orders(first: 4) { ${EVERYTHING} }`);
    const sent = orders.edges.find(({ node }: { node: { sendRequest: unknown } }) => node.sendRequest);
    expect(sent.node).toMatchObject({
      order: { txHash: tx(56), status: "New", openOrder: { symbol: "AAPL", quantity: "1", price: "180" } },
      key: {
        keyId: keys[2].keyId,
        apiKey: keys[2].apiKey,
        status: "active",
        ips: ["127.0.0.1"],
        policy: null,
      },
      sendRequest: {
        state: "broadcast",
        attempts: [{ txHash: tx(56), kind: "call" }],
        key: { name: "test" },
      },
    });
    expect(orders.indexedBlocks).toEqual([
      { chainId: 31337, number: 31337, timestamp: 1_800_000_000 },
      { chainId: 31338, number: 31338, timestamp: 1_800_000_000 },
    ]);
  });

  it.each([
    ["chainId: 31338", 20],
    ['chainId: 31337, productType: "Second"', 20],
    ["chainId: 1", 0],
    ['productType: "second"', 0],
    ['status: "Filled"', 12],
    ['status: "New", symbol: "aapl"', 48],
    ['symbol: "MSFT"', 0],
    [`userAddress: "${ALICE}"`, 20],
    [`txHash: "${tx(7)}"`, 1],
    [`from: ${FIRST_MS / 1_000 + 29}`, 2],
    [`to: ${FIRST_MS / 1_000}`, 2],
    ["updatedAfter: 1799999000", 0],
  ])("are filtered: %s", async (filter, count) => {
    const { orders } = await ask(`orders(first: 100, ${filter}) { totalCount edges { cursor } }`);
    expect({ edgesCount: orders.edges.length, totalCount: orders.totalCount }).toEqual({
      edgesCount: count,
      totalCount: count,
    });
  });

  it("are filtered by key", async () => {
    const { orders } = await ask(
      `orders(first: 100, keyId: "${keys[1].keyId}") { edges { node { key { keyId } order { mapping { productType } } } } }`,
    );
    expect(orders.edges).toHaveLength(20);
    expect(new Set(orders.edges.map((edge: unknown) => JSON.stringify(edge))).size).toBe(1);
  });
});

it("a page of 50 with all that is nested costs as many statements as a page of one", async () => {
  const count = async (first: number) => {
    const query = jest.spyOn(pg.Client.prototype, "query");
    try {
      await ask(`orders(first: ${first}) { ${EVERYTHING} }`);
      return query.mock.calls.length;
    } finally {
      query.mockRestore();
    }
  };
  // This service sent one of the newest four, so a page of four has every kind of row that a page of 50 has.
  const small = await count(4);
  expect(small).toBeGreaterThan(3);
  expect(await count(50)).toBe(small);
  expect(small).toBeLessThan(12);
});

it("operations come of every kind, or of one", async () => {
  const fields =
    "edges { node { kind key { keyId } sendRequest { state } operation { operationStatus mapping { chainId } depositOperation { amount } withdrawalOperation { amount } } } }";
  const { operations } = await ask(`operations { ${fields} totalCount }`);
  expect(operations.totalCount).toBe(2);
  expect(operations.edges.map(({ node }: { node: { kind: string } }) => node.kind)).toEqual([
    "stock-withdraw",
    "deposit",
  ]);
  expect(operations.edges[0].node).toMatchObject({
    key: { keyId: keys[2].keyId },
    sendRequest: null,
    operation: {
      operationStatus: "completed",
      mapping: { chainId: 31338 },
      withdrawalOperation: { amount: "1" },
    },
  });
  const one = await ask(`operations(kind: "deposit", status: "completed") { ${fields} }`);
  expect(one.operations.edges).toHaveLength(1);
  expect((await ask(`operations(kind: "withdraw") { ${fields} }`)).operations.edges).toEqual([]);
});

it("balances come by chain, product and user, with stocks and the keys of the user", async () => {
  const fields =
    "chainId productType userAddress mUsdBalance mUsdLocked stocks { symbol exchangeBalance } keys { keyId }";
  const first = await ask(
    `balances(first: 5) { totalCount edges { node { ${fields} } } pageInfo { endCursor hasNextPage } }`,
  );
  expect(first.balances).toMatchObject({ totalCount: 6, pageInfo: { hasNextPage: true } });
  expect(first.balances.edges.map(({ node }: { node: unknown }) => node)).toMatchObject([
    { productType: PRODUCT, mUsdBalance: "0", stocks: [{ symbol: "AAPL", exchangeBalance: "2" }], keys: [] },
    { productType: PRODUCT, mUsdBalance: "7", mUsdLocked: "1", stocks: [], keys: [{ keyId: keys[0].keyId }] },
    { productType: SECOND },
    { productType: SECOND },
    { chainId: 31338 },
  ]);
  const rest = await ask(
    `balances(after: "${first.balances.pageInfo.endCursor}") { edges { node { ${fields} } } }`,
  );
  expect(rest.balances.edges).toHaveLength(1);
  const holders = await ask(`balances(symbol: "aapl", chainId: 31338) { edges { node { ${fields} } } }`);
  expect(holders.balances.edges).toHaveLength(1);
  const bound = await ask(`balances(keyId: "${keys[0].keyId}") { edges { node { ${fields} } } }`);
  expect(bound.balances.edges).toHaveLength(1);
});

it("delegations of a user are of each scope, with the wallet chosen here and what ends or blocks them", async () => {
  const FIELDS = "chainId productType state delegatee wallet txHash updatedAt";
  const other = hex(20, 0x07e4);
  const scopes = keys.map(({ chainId, productType }) => ({ chainId, productType }));
  const [first, second, third] = scopes as [(typeof scopes)[0], (typeof scopes)[0], (typeof scopes)[0]];
  const lockOf = { userAddress: ALICE, delegatee: WALLET };
  const { delegationLock } = features.deps.prisma;
  const read = async () =>
    (await ask(`delegations(userAddress: "${ALICE}") { ${FIELDS} }`)).delegations as unknown[];
  const onChain = { userAddress: ALICE, nonce: 1n, txHash: tx(900), updatedAt: 1_799_999_000n };
  const changed = { txHash: tx(900), updatedAt: 1_799_999_000 };
  expect(await read()).toEqual([]);

  await onchain.insert("delegation", { ...first, ...onChain, delegatee: WALLET });
  await onchain.insert("delegation", { ...second, ...onChain, delegatee: other });
  await delegationLock.createMany({ data: [first, third].map((scope) => ({ ...scope, ...lockOf })) });
  const wallet = getAddress(WALLET);
  expect(await read()).toEqual([
    { ...first, state: "active", delegatee: wallet, wallet, ...changed },
    { ...second, state: "elsewhere", delegatee: getAddress(other), wallet: null, ...changed },
    { ...third, state: "ended", delegatee: null, wallet, txHash: null, updatedAt: null },
  ]);

  await delegationLock.updateMany({ where: first, data: { blocked: true } });
  expect(await read()).toContainEqual({ ...first, state: "blocked", delegatee: wallet, wallet, ...changed });
  expect(await ask(`delegations(userAddress: "${BOB}") { state }`)).toEqual({ delegations: [] });
});

describe("keys", () => {
  const list = async (filter = "") =>
    (
      await ask(
        `keys${filter} { totalCount edges { node { keyId status } } pageInfo { endCursor hasNextPage } }`,
      )
    ).keys;

  it("are listed, filtered by status in its words, and found", async () => {
    const { pool } = features.deps;
    const [ended, off, revoked] = [
      await features.makeCaller(),
      await features.makeCaller(),
      await features.makeCaller(),
    ];
    await pool.query("UPDATE app.api_key SET expires_at = now() - interval '1 s' WHERE key_id = $1", [
      ended.keyId,
    ]);
    await pool.query("UPDATE app.api_key SET active = false WHERE key_id = $1", [off.keyId]);
    await pool.query("UPDATE app.api_key SET active = false, revoked_at = now() WHERE key_id = $1", [
      revoked.keyId,
    ]);
    const expected = { expired: ended, inactive: off, revoked };
    for (const [status, key] of Object.entries(expected)) {
      const { edges } = await list(`(status: "${status}")`);
      expect(edges.map(({ node }: { node: unknown }) => node)).toEqual([{ keyId: key.keyId, status }]);
    }
    expect((await list('(status: "active")')).totalCount).toBe(3);
    const first = await list("(first: 4)");
    const rest = await list(`(first: 4, after: "${first.pageInfo.endCursor}")`);
    const ids = [...first.edges, ...rest.edges].map(({ node }: { node: { keyId: string } }) => node.keyId);
    expect(new Set(ids).size).toBe(6);
    expect((await list("(chainId: 31338)")).totalCount).toBe(1);
    expect((await list('(name: "TES")')).totalCount).toBe(6);
    const one = await ask(
      `key(keyId: "${keys[0].keyId}") { name } none: key(keyId: "${randomUUID()}") { name }`,
    );
    expect(one).toEqual({ key: { name: "test" }, none: null });
  });

  it("show no secret, ciphertext or hash, and the schema has no field for one but those of a new webhook and a rotated key", async () => {
    const schema = buildApiSchema();
    const names = Object.values(schema.getTypeMap()).flatMap((type) =>
      "getFields" in type ? Object.keys(type.getFields()).map((field) => `${type.name}.${field}`) : [],
    );
    const isSecret = (name: string) =>
      /\..*(secret|seal|cipher|master|signedBytes|inputHash|password|token$)/i.test(name);
    // The owner is shown a new secret once, by a mutation, which dashboards are refused; the others are times.
    expect(names.filter(isSecret)).toEqual([
      "RotatedKey.apiSecret",
      "RotatedKey.previousSecretUntil",
      "CallingKey.previousSecretUntil",
      "Webhook.previousSecretUntil",
      "NewWebhook.secret",
    ]);
    const { rows } = await features.deps.pool.query(
      "SELECT encode(secret_sealed, 'hex') AS sealed FROM app.api_key",
    );
    const answer = await postGraphql(server.url, {
      query: `{ dashboard { keys(first: 100) { edges { node { keyId name apiKey access status ips scopes { chainId } } } }
        orders { ${EVERYTHING} } sendRequests { edges { node { requestId toAddress txHash attempts { txHash answer } } } } } }`,
    });
    expect(answer.json.errors).toBeUndefined();
    const secrets = [...rows.map(({ sealed }) => sealed), "canary", "ca4a5e"];
    expect(secrets.filter((secret) => answer.text.includes(secret))).toEqual([]);
  });
});

it("requests to send are listed newest first, filtered and found by any attempt", async () => {
  const list = async (filter: string) =>
    (
      await ask(
        `sendRequests(${filter}) { totalCount edges { node { txHash status final operation wallet key { keyId } } } pageInfo { endCursor } }`,
      )
    ).sendRequests;
  const all = await list("first: 10");
  expect(all.totalCount).toBe(15);
  expect(all.edges[0].node).toMatchObject({
    txHash: tx(56),
    status: "submitted",
    final: false,
    operation: "orders/send",
  });
  expect((await list(`after: "${all.pageInfo.endCursor}"`)).edges).toHaveLength(5);
  expect((await list(`txHash: "${tx(8)}"`)).edges).toHaveLength(1);
  expect((await list(`chainId: 31338, state: "broadcast", keyId: "${keys[2].keyId}"`)).totalCount).toBe(5);
  expect((await list('state: "failed"')).edges).toEqual([]);
  const signed = (await list('state: "signed"')).totalCount;
  const [reserved = ""] = await createSends(features.deps.pool, keys[0], {
    userAddress: ALICE,
    wallet: WALLET,
    state: "signed",
    nonce: 900n,
    reservedMaxFee: "9",
    reservedTip: "1",
    signedAt: new Date(),
  });
  const found = await ask('sendRequests(state: "reserved") { edges { node { requestId state signedAt } } }');
  expect(found.sendRequests.edges).toEqual([
    { node: { requestId: reserved, state: "reserved", signedAt: null } },
  ]);
  expect((await list('state: "signed"')).totalCount).toBe(signed);
  await features.deps.pool.query("DELETE FROM app.send_request WHERE request_id = $1", [reserved]);
});

it("events of all keys are listed newest first, filtered and found by their object", async () => {
  const objectId = `0x${"e1".repeat(32)}`;
  const { pool } = features.deps;
  await empty(pool, "app.event");
  for (const [index, key] of [keys[0], keys[0], keys[2]].entries()) {
    await pool.query(
      `INSERT INTO app.event (key_id, chain_id, product_type, sequence, event_id, type, resource, created_at, data)
       VALUES ($1, 31337, $2, $3, gen_random_uuid(), $4, 'orders', to_timestamp($5), $6)`,
      [
        key.keyId,
        PRODUCT,
        index + 1,
        ["order.placed", "order.filled", "mapping.removed"][index],
        1_800_000_000 + index,
        JSON.stringify({ orderId: index < 2 ? objectId : null }),
      ],
    );
  }
  await pool.query(
    `INSERT INTO app.key_order (claim_id, ordinal, key_id, chain_id, product_type, order_id, source, created_at, updated_at, log_index,
       status, on_chain_status, side, order_type, data_shape, type)
     VALUES (gen_random_uuid(), 0, $1, 31337, $2, $3, 'recorded', now(), now(), 0, 'Filled', 'history', 'Buy', 'Limit', 1, 'order.filled')`,
    [keys[0].keyId, PRODUCT, objectId],
  );
  const list = async (filter: string) =>
    (
      await ask(
        `events(${filter}) { totalCount pageInfo { endCursor } edges { node { chainId productType key { keyId }
          event { sequence type resource createdAt blockNumber txHash retracts data } } } }`,
      )
    ).events;
  const typesOf = ({ edges }: { edges: { node: { event: { type: string } } }[] }) =>
    edges.map(({ node }) => node.event.type);
  const first = await list("first: 2");
  expect(first.totalCount).toBe(3);
  expect(first.edges[0].node).toEqual({
    chainId: 31337,
    productType: PRODUCT,
    key: { keyId: keys[2].keyId },
    event: {
      sequence: 3,
      type: "mapping.removed",
      resource: "orders",
      createdAt: 1_800_000_002,
      blockNumber: null,
      txHash: null,
      retracts: null,
      data: { orderId: null },
    },
  });
  const rest = await list(`first: 2, after: "${first.pageInfo.endCursor}"`);
  expect([...typesOf(first), ...typesOf(rest)]).toEqual(["mapping.removed", "order.filled", "order.placed"]);
  expect(typesOf(await list(`keyId: "${keys[2].keyId}"`))).toEqual(["mapping.removed"]);
  expect(typesOf(await list('types: "order.*"'))).toEqual(["order.filled", "order.placed"]);
  expect(typesOf(await list(`objectId: "${objectId}"`))).toEqual(["order.filled", "order.placed"]);
  expect(typesOf(await list(`objectId: "0x${"e2".repeat(32)}"`))).toEqual([]);
  expect(typesOf(await list("chainId: 31338"))).toEqual([]);
});

it("requests to send are found by their stock's symbol, in any case and letter by letter", async () => {
  const total = async (symbol: string) =>
    (await ask(`sendRequests(symbol: ${JSON.stringify(symbol)}) { totalCount }`)).sendRequests.totalCount;
  const { rows } = await features.deps.pool.query<{ request_id: string }>(
    "SELECT request_id FROM app.send_request ORDER BY sequence LIMIT 2",
  );
  await features.deps.pool.query("UPDATE app.send_request SET symbol = 'a_%\\b' WHERE request_id = $1", [
    rows[0]?.request_id,
  ]);
  await features.deps.pool.query("UPDATE app.send_request SET symbol = 'axxxb' WHERE request_id = $1", [
    rows[1]?.request_id,
  ]);
  expect({ totals: await Promise.all(["A_%\\B", "a_%\\b", "AXXXB", "a%b", "a____"].map(total)) }).toEqual({
    totals: [1, 1, 1, 0, 0],
  });
});

it("chains tell how far the index is, and are told of while their nodes are down", async () => {
  features.clock.nowMs = 1_800_000_005_000;
  const { chains } = await ask(
    "chains { chainId products indexedBlock lagSeconds headBlock lagBlocks sendQueues { wallet depth } }",
  );
  features.clock.nowMs = null;
  expect(chains).toMatchObject([
    {
      chainId: 31337,
      products: [PRODUCT, SECOND],
      indexedBlock: 31337,
      lagSeconds: 5,
      headBlock: null,
      lagBlocks: null,
    },
    { chainId: 31338, sendQueues: [{ depth: { broadcast: 5 } }] },
  ]);
});

it("the head of a chain is not behind its index, although a node was asked a block before", async () => {
  const getBlock = async () => ({ number: 31_336n, timestamp: 1_799_999_999n });
  const chains = new Map(
    [...features.deps.chains].map(([chainId, chain]) => {
      const client = { ...chain.client, getBlock } as unknown as typeof chain.client;
      return [chainId, { ...chain, client }] as const;
    }),
  );
  const [chain] = await listChains({ ...features.deps, chains }, { chainId: 31337 });
  expect(chain).toMatchObject({
    indexedBlock: 31_337n,
    headBlock: 31_337n,
    headAt: chain?.indexedAt,
    lagBlocks: 0,
    behindSeconds: 0,
  });
});

it("a switch that is not carried out is a problem, with the key's name, and one in time is none", async () => {
  const { cancelAfter } = features.deps.prisma;
  const { keyId, chainId, productType } = keys[0];
  const where = { keyId_chainId_productType: { keyId, chainId, productType } };
  const cancelAt = new Date(Date.now() - 60_000);
  // Dashboards share an answer for a second.
  const read = () =>
    readProblems({ ...features.deps }).then((problems) => problems.filter(({ cause }) => cause === "switch"));
  await cancelAfter.create({ data: { keyId, chainId, productType, seconds: 60, cancelAt } });
  const { name } = (await ask(`key(keyId: "${keyId}") { name }`)).key;
  expect(await read()).toEqual([
    expect.objectContaining({
      severity: "critical",
      text: `Open orders of ${name} on chain ${chainId} are not canceled, as its switch asks`,
      since: Math.floor(cancelAt.getTime() / 1_000),
    }),
  ]);
  await cancelAfter.update({ where, data: { cancelAt: new Date() } });
  expect(await read()).toEqual([]);
  await cancelAfter.delete({ where });
});

it("a wallet's queue tells what failed of its own requests, and of no other wallet's", async () => {
  const { pool } = features.deps;
  const other = hex(20, 0x07e5);
  const failed: [number, Hex, string][] = [
    [31337, WALLET, "OUT_OF_GAS"],
    [31338, WALLET, "CHAIN_REVERT"],
    [31338, WALLET, "CHAIN_REVERT"],
    [31338, other, "CHAIN_REVERT"],
    [31338, other, "POLICY_REFUSED"],
  ];
  await createWallet(pool, other, { chainIds: [31338] });
  for (const [chainId, wallet, errCode] of failed) {
    const terms = { userAddress: ALICE, wallet, inputHash: "failing", state: "failed", errCode };
    await createSends(pool, { ...keys[2], chainId, productType: PRODUCT }, terms);
  }
  const { chains } = await ask("chains { chainId sendQueues { wallet failures } }");
  await pool.query("DELETE FROM app.send_request WHERE input_hash = 'failing'");
  await pool.query("DELETE FROM app.delegatee_wallet WHERE address = $1", [other]);
  const told = chains.flatMap(({ chainId, sendQueues }: { chainId: number; sendQueues: SendQueue[] }) =>
    sendQueues.map(({ wallet, failures }) => [chainId, wallet.toLowerCase(), failures]),
  );
  expect(told.toSorted()).toEqual(
    [
      [31337, WALLET, { OUT_OF_GAS: 1 }],
      [31338, WALLET, { CHAIN_REVERT: 2 }],
      [31338, other, { CHAIN_REVERT: 1, POLICY_REFUSED: 1 }],
    ].toSorted(),
  );
});

it.each([
  ["orders(first: 101) { totalCount }", "first"],
  ["orders(first: 0) { totalCount }", "first"],
  ['orders(first: "many") { totalCount }', "first"],
  ['orders(after: "nonsense") { edges { cursor } }', "after"],
  ['orders(status: "filled") { totalCount }', "status"],
  ['orders(keyId: "1") { totalCount }', "keyId"],
  ["orders(chainId: 99999999999) { totalCount }", "chainId"],
  ["delegations { state }", "userAddress"],
  ['delegations(userAddress: "alice") { state }', "userAddress"],
  ['operations(kind: "trade") { totalCount }', "kind"],
  ['keys(after: "nonsense") { edges { cursor } }', "after"],
  ['balances(after: "nonsense") { edges { cursor } }', "after"],
  ['sendRequests(after: "nonsense") { edges { cursor } }', "after"],
  ['sendRequests(state: "x") { totalCount }', "state"],
])("what is wrong is named: %s", async (field, param) => {
  expect(await refusal(field)).toMatchObject({ errCode: "VALIDATION_FAILED", param });
});

it.each([
  ["balances", [1, "\u0000", "0x"]],
  ["events", [9e15, "3fa85f64-5717-4562-b3fc-2c963f66afa6"]],
])("a sealed cursor of %s that the database does not take is refused", async (list, position) => {
  const after = sealCursor({ list: `dashboard ${list}`, chainId: null, productType: null }, position);
  expect(await refusal(`${list}(after: "${after}") { edges { cursor } }`)).toMatchObject({ param: "after" });
});

it("a cursor of another list is refused", async () => {
  const { keys: list } = await ask("keys(first: 1) { pageInfo { endCursor } }");
  expect(await refusal(`orders(after: "${list.pageInfo.endCursor}") { edges { cursor } }`)).toMatchObject({
    param: "after",
  });
});
