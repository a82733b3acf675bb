import { randomUUID } from "node:crypto";
import type { Hex } from "viem";
import type { Caller } from "../../src/auth/caller.ts";
import type { Deps } from "../../src/context/deps.ts";
import { timeline } from "../../src/dashboard/timeline/timeline.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createClaim, createClaims } from "../support/db/builders/claims.ts";
import { insertRows } from "../support/db/builders/rows.ts";
import { createAttempt, createSends, createWallet } from "../support/db/builders/sends.ts";
import { createOnchain, indexOnchain, type Onchain, type Row } from "../support/db/onchain.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";

/** A database and a chain of timelines' tests: block 1,000 is the head, two confirmations make final. */

export const CHAIN = 31337;
export const WAD = 10n ** 18n;
export const ALICE = hex(20, 0xa11ce);
export const STOCK = hex(20, 0x57);
export const WALLET = hex(20, 0x5e4d);
export const HEAD = 1_000n;
/** Block 990 was mined then; a block a second. */
export const START = 1_799_000_000;
export const secondsOf = (block: number): number => START + block - 990;
export const dateOf = (seconds: number): Date => new Date(seconds * 1_000);

export interface TimelineFixture {
  features: Features;
  onchain: Onchain;
  /** Deps of the features, with a chain whose nodes answer as `node` says. */
  deps: Deps;
  node: { head: bigint | null; explorerUrl: string | undefined };
  key: Caller;
  rival: Caller;
  /** Returns a timeline that must be there. */
  timelineOf(kind: string, id: string): Promise<ShownTimeline>;
  close(): Promise<void>;
}

export type ShownTimeline = NonNullable<Awaited<ReturnType<typeof timeline>>>;

export async function startTimelines(): Promise<TimelineFixture> {
  const deployment = { chainId: CHAIN, ...CONTRACTS };
  const features = await startFeatures([{ deployment, rpcUrls: ["http://127.0.0.1:1"] }]);
  const onchain = await createOnchain(features.deps.pool);
  await onchain.setBlock(CHAIN, { number: HEAD, timestamp: BigInt(secondsOf(1_000)) });
  const scope = { chainId: CHAIN, productType: PRODUCT };
  await onchain.insert("stockToken", { ...scope, tokenAddress: STOCK, symbol: "AAPL", multiplier: WAD });
  await createWallet(features.deps.pool, WALLET);
  // A worker that is alive for as long as the tests run.
  await features.deps.pool.query(
    "INSERT INTO app.program_seen (program, seen_at) VALUES ('worker', now() + INTERVAL '1 day')",
  );
  features.clock.nowMs = secondsOf(1_000) * 1_000;
  const node: TimelineFixture["node"] = { head: HEAD, explorerUrl: undefined };
  const deps = { ...features.deps, chains: chainsOf(features.deps, node) };
  return {
    features,
    onchain,
    deps,
    node,
    key: await features.makeCaller({ userAddress: ALICE }),
    rival: await features.makeCaller(),
    timelineOf: async (kind, id) => present(await timeline(deps, { kind, id }), `the ${kind}`),
    close: () => features.close(),
  };
}

/** Returns the chain with nodes that know its head and no transaction. */
function chainsOf({ chains }: Deps, node: TimelineFixture["node"]): Deps["chains"] {
  const chain = present(chains.get(CHAIN), "the chain");
  const getBlockNumber = async () => {
    if (node.head === null) throw new Error("no node answers");
    return node.head;
  };
  const client = new Proxy(chain.client, {
    get: (target, name) => (name === "getBlockNumber" ? getBlockNumber : Reflect.get(target, name)),
  });
  const config = new Proxy(chain.config, {
    get: (target, name) => (name === "explorerUrl" ? node.explorerUrl : Reflect.get(target, name)),
  });
  return new Map([[CHAIN, { ...chain, client, config, nodes: [] }]]);
}

let count = 0;
/** Returns a number that no other object of the test has. */
export const unique = (): number => ++count;

interface SentOrder {
  orderId: Hex;
  txHash: Hex;
  claimId: string;
  requestId: string;
}

type Scope = Pick<Caller, "keyId" | "chainId" | "productType">;
const scopeOf = ({ chainId, productType }: Scope) => ({ chainId, productType });

/** Writes an order that was sent here and mined in block 992. Options are those of its row, and of its request. */
export async function createSentOrder(
  { features, onchain }: TimelineFixture,
  key: Caller,
  { order = {}, send = {} }: { order?: Row<"stockOrder">; send?: Record<string, unknown> } = {},
): Promise<SentOrder> {
  const { pool } = features.deps;
  const number = unique();
  const [orderId, txHash] = [hex(32, 0x0d0000 + number), hex(32, 0x7e0000 + number)];
  const claimId = await createClaim(pool, key, {
    txHash,
    source: "send",
    userAddress: ALICE,
    createdAt: dateOf(START),
  });
  const [requestId = ""] = await createSends(pool, key, {
    userAddress: ALICE,
    wallet: WALLET,
    nonce: number,
    txHash,
    claimId,
    symbol: "AAPL",
    state: "final",
    acceptedAt: dateOf(START),
    signedAt: dateOf(START + 1),
    broadcastAt: dateOf(START + 1),
    minedBlock: 992n,
    minedSuccess: true,
    minedFiller: false,
    outcome: "confirmed",
    minedAt: dateOf(START + 3),
    finalAt: dateOf(START + 6),
    ...send,
  });
  await createAttempt(
    pool,
    { requestId, chainId: CHAIN, wallet: WALLET },
    {
      signedBytes: Buffer.from("ca4a5e", "hex"),
      nonce: BigInt(number),
      txHash,
      broadcasts: 1,
      taken: 1,
      answer: "taken",
      createdAt: dateOf(START + 1),
      firstBroadcastAt: dateOf(START + 1),
      lastBroadcastAt: dateOf(START + 1),
    },
  );
  await onchain.insert("stockOrder", {
    ...scopeOf(key),
    orderId,
    txHash,
    logIndex: 1,
    userAddress: ALICE,
    stockAddress: STOCK,
    blockNumber: 992n,
    createdAt: BigInt(secondsOf(992)),
    side: "Buy",
    orderType: "Limit",
    status: "open",
    quantity: 2n * WAD,
    price: 180n * WAD,
    deadline: BigInt(START + 3_600),
    updatedBlock: 992n,
    updatedAt: BigInt(secondsOf(992)),
    ...order,
  });
  return { orderId, txHash, claimId, requestId };
}

interface EventOptions {
  type: string;
  data: object;
  at: number;
  resource?: string;
  blockNumber?: bigint | null;
  txHash?: string | null;
  retracts?: string | null;
}

const sequences = new Map<string, number>();

/** Appends an event to the log of a key. @returns its id and sequence */
export async function createEvent(
  { features }: TimelineFixture,
  key: Scope,
  { at, resource = "orders", ...event }: EventOptions,
): Promise<{ eventId: string; sequence: number }> {
  const sequence = (sequences.get(key.keyId) ?? 0) + 1;
  sequences.set(key.keyId, sequence);
  const eventId = randomUUID();
  const { data, ...columns } = event;
  const row = {
    ...scopeOf(key),
    keyId: key.keyId,
    sequence,
    eventId,
    resource,
    createdAt: dateOf(at),
    data: {},
  };
  await insertRows(features.deps.pool, "app.event", [{ ...row, ...columns }]);
  // Passes text, like the event log's writer: jsonb rejects an escaped zero byte.
  await features.deps.pool.query("UPDATE app.event SET data = $1::text::json WHERE event_id = $2", [
    JSON.stringify(data),
    eventId,
  ]);
  return { eventId, sequence };
}

/** Writes a webhook of a key, and deliveries of events to it. @returns its id */
export async function createDeliveries(
  { features }: TimelineFixture,
  key: Scope,
  deliveries: readonly ({ eventId: string; sequence: number } & Record<string, unknown>)[],
): Promise<string> {
  const webhookId = randomUUID();
  await insertRows(features.deps.pool, "app.webhook", [
    {
      webhookId,
      ...scopeOf(key),
      keyId: key.keyId,
      url: `https://receiver.example/canary/${webhookId}`,
      types: "",
      cursor: 0,
    },
  ]);
  const rows = deliveries.map((delivery) => ({
    webhookId,
    eventType: "order.placed",
    eventAt: dateOf(START),
    object: "orders",
    ...delivery,
  }));
  if (rows.length > 0) await insertRows(features.deps.pool, "app.webhook_delivery", rows);
  return webhookId;
}

/** Writes so many rows of everything that a search or a timeline reads, and tells PostgreSQL how many there are. */
export async function createNoise(
  { features, onchain, rival }: TimelineFixture,
  rows: number,
): Promise<void> {
  const { pool } = features.deps;
  const numbers = Array.from({ length: rows }, (_unused, index) => index);
  const scope = scopeOf(rival);
  const hashOf = (kind: number, index: number) => hex(32, kind * 0x1000000 + index);
  await insertRows(
    pool,
    "app.api_key",
    numbers.map((index) => ({
      keyId: randomUUID(),
      name: `Noise ${index}`,
      apiKey: `noise-${index}`,
      access: "WRITABLE",
      secretSealed: Buffer.alloc(60),
      masterKeyId: "test",
    })),
  );
  const claims = numbers.map((index) => ({ txHash: hashOf(0x71, index), claimId: randomUUID() }));
  await createClaims(pool, rival, claims, { source: "send", userAddress: WALLET });
  const sends = await createSends(
    pool,
    rival,
    ...claims.map((claim, index) => ({
      ...claim,
      userAddress: WALLET,
      wallet: WALLET,
      nonce: 1_000_000 + index,
      state: "final",
      envelopeUuid: randomUUID(),
      outcome: "confirmed",
      minedBlock: 1n,
      minedSuccess: true,
    })),
  );
  await insertRows(
    pool,
    "app.send_attempt",
    sends.map((requestId, index) => ({
      requestId,
      chainId: CHAIN,
      wallet: WALLET,
      nonce: 1_000_000 + index,
      kind: "call",
      gasLimit: 1,
      maxFeePerGas: 1,
      maxPriorityFee: 1,
      txHash: hashOf(0x71, index),
      signedBytes: Buffer.from("ca4a5e"),
    })),
  );
  await insertRows(
    pool,
    "app.event",
    claims.map(({ claimId }, index) => ({
      ...scope,
      keyId: rival.keyId,
      sequence: index + 1,
      eventId: randomUUID(),
      type: "order.placed",
      resource: "orders",
      data: { mapping: { mappingId: claimId } },
    })),
  );
  await onchain.insert(
    "stockOrder",
    ...numbers.map((index) => ({
      ...scope,
      orderId: hashOf(0x72, index),
      txHash: hashOf(0x71, index),
      userAddress: WALLET,
      ...({ side: "Buy", orderType: "Market", status: "open" } as const),
    })),
  );
  await indexOnchain(pool);
}

/** Returns the kinds of the steps, with their state where it is not done. */
export const kindsOf = ({ steps }: ShownTimeline): string[] =>
  steps.map(({ kind, state }) => (state === "done" ? kind : `${kind} ${state}`));

export const titlesOf = ({ steps }: ShownTimeline): string[] => steps.map(({ title }) => title);

/** Returns the facts of the first step of a kind. */
export const factsOf = ({ steps }: ShownTimeline, kind: string): Record<string, string> => {
  const found = present(
    steps.find((step) => step.kind === kind),
    `a step ${kind}`,
  );
  return Object.fromEntries(found.detail.map(({ label, value }) => [label, value]));
};

/** Returns a row of app.request_log: a refused request of a key, answered now. */
export const requestRow = (uuid: string, { keyId, chainId, productType }: Caller, more: object = {}) => ({
  uuid,
  at: new Date(),
  keyId,
  chainId,
  productType,
  method: "GET",
  route: "/orders/:orderId",
  status: 400,
  errCode: "ORDER_NOT_FOUND",
  durationMs: 3,
  ...more,
});
