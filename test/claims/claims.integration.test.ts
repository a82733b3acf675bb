import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type pg from "pg";
import { type Hex, parseEther } from "viem";
import { z } from "zod";
import type { Caller } from "../../src/auth/caller.ts";
import { attribute, findAttributedKey } from "../../src/claims/attribution/claim.ts";
import type { SuffixedTransaction } from "../../src/claims/attribution/claim-store.ts";
import { hasOwnForm, OWN_FORM } from "../../src/claims/attribution/form.ts";
import { signAttribution } from "../../src/claims/attribution/suffix.ts";
import { findClaim, findSent, writeClaim } from "../../src/claims/claim-store.ts";
import { expireDroppedClaims } from "../../src/claims/expiry-store.ts";
import { readIndexedClaim } from "../../src/claims/outcome-store.ts";
import { requireRecordingQuota } from "../../src/claims/recording-limit.ts";
import { pauseOfWatch, watchClaims } from "../../src/claims/watch.ts";
import type { OperationType } from "../../src/protocol/enums.ts";
import { LATER, router } from "../contracts/calls.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { CONTRACTS, hex } from "../support/assert/sample.ts";
import { attributionRun } from "../support/chain/attribution.ts";
import {
  type ClaimOptions,
  createAttributions,
  createClaim,
  createClaims,
  createInvalidAttributions,
} from "../support/db/builders/claims.ts";
import { empty } from "../support/db/empty.ts";
import { waitsForLock } from "../support/db/locks.ts";
import { createOnchain, indexOnchain, type Onchain, type Row } from "../support/db/onchain.ts";
import { mostRowsRead, recordStatements } from "../support/db/plans.ts";
import { PROJECTED, project, projected } from "../support/db/projected.ts";
import { OURS } from "../support/db/random-chain.ts";
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";
import { getOrderByTransaction, listOrders } from "../support/http/verbs.ts";

// The statements of claims, beside rows of other chains, products, keys and kinds that they must not touch. The node knows
// no transaction.

const CHAIN_ID = 31337;
const OTHER_CHAIN = 31338;
const SECOND = "Second";
const USER = hex(20, 0xa);
const TX = hex(32, 1);
const LATER_TX = hex(32, 2);

/** The node's answers by method; null for methods that are not listed. */
let answers: Record<string, () => unknown>;
let node: Server;
let features: Features;
let pool: pg.Pool;
let onchain: Onchain;
let mine: Caller;
let other: Caller;

beforeAll(async () => {
  node = createServer((request, response) => answerTo(request, response));
  await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
  const { port } = node.address() as AddressInfo;
  const rpcUrls = [`http://127.0.0.1:${port}`];
  const products = [PRODUCT, SECOND];
  features = await startFeatures([
    { deployment: { chainId: CHAIN_ID, ...CONTRACTS }, rpcUrls, products },
    { deployment: { chainId: OTHER_CHAIN, ...CONTRACTS }, rpcUrls, products },
  ]);
  pool = features.deps.pool;
  onchain = await createOnchain(pool);
  [mine, other] = await Promise.all([features.makeCaller(), features.makeCaller()]);
});
afterAll(async () => {
  await features?.close();
  node?.closeAllConnections();
  node?.close();
});

/** Answers as the node; by default it knows no transaction. */
async function answerTo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { id, method } = z.object({ id: z.number(), method: z.string() }).parse(await json(request));
  const result = (await answers[method]?.()) ?? null;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

beforeEach(async () => {
  answers = { eth_blockNumber: () => "0x64", eth_chainId: () => `0x${CHAIN_ID.toString(16)}` };
  await empty(
    pool,
    "app.transaction_claim",
    "app.transaction_attribution",
    "app.invalid_attribution",
    "app.attribution_place",
    ...PROJECTED,
  );
  await onchain.clear();
  for (const chainId of [CHAIN_ID, OTHER_CHAIN])
    await onchain.setBlock(chainId, { number: 50n, timestamp: 1_800_000_000n });
});

const onOther = { chainId: OTHER_CHAIN };
const inSecond = { productType: SECOND };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const ago = (ms: number): Date => new Date(Date.now() - ms);

/** Writes a claim to TX as another program would. @returns its id */
const claim = (caller: Caller, options: ClaimOptions = {}): Promise<string> =>
  createClaim(pool, { ...caller, chainId: CHAIN_ID, productType: PRODUCT }, { txHash: TX, ...options });

async function stored(claimId: string) {
  const { rows } = await pool.query<{
    source: string;
    state: string;
    attribution_nonce: string | null;
    before_final: boolean;
    rule_version: number | null;
    next_look_at: Date;
  }>(
    `SELECT source::text, state::text, attribution_nonce, before_final, rule_version, next_look_at
     FROM app.transaction_claim WHERE claim_id = $1`,
    [claimId],
  );
  return rows[0];
}

const orderIn = (place: { chainId?: number; productType?: string; txHash?: Hex } = {}, orderId = 0x77) =>
  onchain.insert("stockOrder", {
    chainId: CHAIN_ID,
    productType: PRODUCT,
    txHash: TX,
    logIndex: 0,
    userAddress: USER,
    stockAddress: hex(20, 5),
    side: "Buy",
    orderType: "Market",
    status: "open",
    ...place,
    orderId: hex(32, orderId),
  });
const suffixOf = (
  txHash: Hex,
  place: Pick<
    Row<"attributionSuffix">,
    "blockNumber" | "transactionIndex" | "chainId" | "productType" | "suffix"
  > = {},
) =>
  onchain.insert("attributionSuffix", {
    chainId: CHAIN_ID,
    productType: PRODUCT,
    blockNumber: 10n,
    transactionIndex: 0,
    fromAddress: USER,
    callData: "0x",
    suffix: "0x",
    ...place,
    txHash,
  });
const carries = ({ keyId }: Caller, chainId = CHAIN_ID, txHash = TX) =>
  createAttributions(pool, { keyId, chainId }, txHash);
const ownOf = async (caller: Caller, type: OperationType = "trade", txHash = TX) =>
  (await readIndexedClaim(features.deps.pool, caller, { operationType: type, txHash }))?.own ?? null;
const write = (caller: Caller, final = false, txHash = TX) =>
  writeClaim(pool, caller, { operationType: "trade", txHash }, { effects: [], seen: true, final });

describe("a claim is found", () => {
  it("as what was sent, in its own chain and product", async () => {
    const claimId = await claim(mine, { source: "send" });
    const found = async (caller: Caller) => (await findSent(pool, caller, TX))?.claim.claimId ?? null;
    expect(await found(other)).toBe(claimId);
    expect({
      ofSecondProduct: await found({ ...mine, ...inSecond }),
      onOtherChain: await found({ ...mine, ...onOther }),
    }).toEqual({ ofSecondProduct: null, onOtherChain: null });
  });

  it("as what was sent, and not where it was recorded", async () => {
    await claim(mine);
    expect(await findSent(pool, mine, TX)).toBeNull();
  });

  it("by its own key, and its kind", async () => {
    await claim(mine);
    const found = (caller: Caller, operationType: OperationType) =>
      findClaim(features.deps.prisma, caller, { operationType, txHash: TX });
    expect(await found(mine, "trade")).not.toBeNull();
    expect({ trade: await found(other, "trade"), deposit: await found(mine, "deposit") }).toEqual({
      trade: null,
      deposit: null,
    });
  });
});

describe("a record", () => {
  it("is before finality, whatever is final on another chain", async () => {
    await claim(other, { ...onOther, state: "final" });
    const before = await write(mine);
    expect(await stored(before.claim.claimId)).toMatchObject({ before_final: true });
    await pool.query("UPDATE app.transaction_claim SET state = 'final' WHERE claim_id = $1", [
      before.claim.claimId,
    ]);
    const after = await write(other);
    expect(await stored(after.claim.claimId)).toMatchObject({ before_final: false });
    const final = await write(other, true, LATER_TX);
    expect(await stored(final.claim.claimId)).toMatchObject({ before_final: false });
  });

  it("is later than every claim to its transaction, also where a clock was set back", async () => {
    await claim(other, { createdAt: ago(-HOUR_MS) });
    const { claim: written } = await write(mine);
    const { rowCount } = await pool.query(
      `SELECT 1 FROM app.transaction_claim c, app.transaction_claim o
       WHERE c.claim_id = $1 AND o.claim_id <> c.claim_id AND o.created_at < c.created_at`,
      [written.claimId],
    );
    expect(rowCount).toBe(1);
  });

  it.each([
    ["dropped", "pending"],
    ["final", "final"],
    ["reverted", "reverted"],
  ] as const)("over one that is %s leaves it %s", async (state, then) => {
    const claimId = await claim(mine, { state });
    await write(mine);
    expect(await stored(claimId)).toMatchObject({ state: then });
  });

  it("over the second use of the key's suffix makes it a record; over the first, it stays an attribution", async () => {
    const [first, second] = [
      await claim(mine, { source: "attributed", attributionNonce: "n" }),
      await claim(mine, { source: "attributed", attributionNonce: "n", txHash: LATER_TX }),
    ];
    await suffixOf(TX, { blockNumber: 10n });
    await suffixOf(LATER_TX, { blockNumber: 11n });
    await write(mine);
    await write(mine, false, LATER_TX);
    expect(await stored(first)).toMatchObject({ source: "attributed", attribution_nonce: "n" });
    expect(await stored(second)).toMatchObject({
      source: "recorded",
      attribution_nonce: null,
      rule_version: 2,
    });
  });

  it("by a key that is bound to their user since is made anew where all orders are that user's, and it is not final", async () => {
    const effect = (userAddress: Hex) =>
      ({ operationType: "trade", userAddress, orderId: TX, operationId: null, logIndex: 0 }) as const;
    const orders = { ours: [effect(USER), effect(USER)], mixed: [effect(USER), effect(hex(20, 0xbad))] };
    const key = await features.makeCaller();
    await claim(key, { ruleVersion: 2, createdAt: ago(HOUR_MS) });
    await pool.query("UPDATE app.api_key SET user_address = $2 WHERE key_id = $1", [key.keyId, USER]);
    const ageOf = async (effects: keyof typeof orders, final = false) => {
      const evidence = { effects: orders[effects], seen: true, final };
      const rebound = { ...key, userAddress: USER };
      const { claim: written } = await writeClaim(
        pool,
        rebound,
        { operationType: "trade", txHash: TX },
        evidence,
      );
      return Date.now() - written.createdMs < MINUTE_MS ? "new" : "old";
    };
    expect({ mixed: await ageOf("mixed"), ours: await ageOf("ours", true) }).toEqual({
      mixed: "old",
      ours: "old",
    });
    // Another claim was found final: a node that lags says otherwise.
    const found = await claim(other, { operationType: "deposit", state: "final" });
    expect(await ageOf("ours")).toBe("old");
    await pool.query("DELETE FROM app.transaction_claim WHERE claim_id = $1", [found]);
    expect(await ageOf("ours")).toBe("new");
  });

  it("waits for another one to the same transaction", async () => {
    const holder = await pool.connect();
    try {
      await holder.query("BEGIN");
      await holder.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [
        `claim ${CHAIN_ID} ${TX}`,
      ]);
      const recording = write(mine);
      await waitsForLock(pool, "%pg_advisory_xact_lock%", recording);
      await holder.query("COMMIT");
      await recording;
    } finally {
      holder.release();
    }
  });
});

describe("an order belongs to a claim", () => {
  const old = { createdAt: ago(HOUR_MS) };

  it.each([
    ["chain", onOther],
    ["product", inSecond],
  ])("of its own %s", async (_what, scope) => {
    await claim(other, { ...scope, ...old });
    const claimId = await claim(mine);
    await orderIn();
    expect((await ownOf(mine))?.claim.claimId).toBe(claimId);
  });

  it("whatever suffix another chain's transaction carries", async () => {
    await claim(mine);
    await carries(other, OTHER_CHAIN);
    await orderIn();
    expect(await ownOf(mine)).not.toBeNull();
    await carries(other);
    expect(await ownOf(mine)).toBeNull();
  });

  it.each([
    ["chain", onOther],
    ["product", inSecond],
  ])("whatever suffix in our form a transaction of another %s carries", async (_what, scope) => {
    await claim(mine, { ruleVersion: 2 });
    await orderIn();
    await suffixOf(TX, { ...scope, suffix: OURS });
    expect(await ownOf(mine)).not.toBeNull();
    await suffixOf(TX, { suffix: OURS });
    expect(await ownOf(mine)).toBeNull();
  });

  it("once the verdict is stored of its own chain's transaction", async () => {
    await claim(mine, { ruleVersion: 2 });
    await orderIn();
    await suffixOf(TX, { suffix: OURS });
    await createInvalidAttributions(pool, OTHER_CHAIN, TX);
    expect(await ownOf(mine)).toBeNull();
    await createInvalidAttributions(pool, CHAIN_ID, TX);
    expect(await ownOf(mine)).not.toBeNull();
  });

  it("of the first use of a suffix, also within one block", async () => {
    await claim(mine, { source: "attributed", attributionNonce: "n" });
    await claim(mine, { source: "attributed", attributionNonce: "n", txHash: LATER_TX });
    await suffixOf(TX, { transactionIndex: 3 });
    await suffixOf(LATER_TX, { transactionIndex: 4 });
    await orderIn();
    await orderIn({ txHash: LATER_TX }, 0x78);
    expect({
      hasOwn: (await ownOf(mine)) !== null,
      ownOfLater: await ownOf(mine, "trade", LATER_TX),
    }).toEqual({ hasOwn: true, ownOfLater: null });
  });

  it.each([
    ["chain", onOther],
    ["product", inSecond],
  ])("though its suffix was used before in another %s", async (_what, scope) => {
    await claim(mine, { source: "attributed", attributionNonce: "n", txHash: LATER_TX, ...scope });
    await suffixOf(LATER_TX, { blockNumber: 1n, ...scope });
    await claim(mine, { source: "attributed", attributionNonce: "n" });
    await suffixOf(TX);
    await orderIn();
    expect(await ownOf(mine)).not.toBeNull();
  });
});

describe("what a claim came to", () => {
  it.each([
    ["chain", onOther],
    ["product", inSecond],
  ])("is of its own %s", async (_what, scope) => {
    await claim(mine);
    await orderIn(scope);
    // Its transaction is not indexed, which differs from owning nothing.
    const key = { operationType: "trade", txHash: TX } as const;
    expect(await readIndexedClaim(features.deps.pool, mine, key)).toBeNull();
  });

  it("is of its own key", async () => {
    await claim(mine);
    await orderIn();
    expect({ hasOwn: (await ownOf(mine)) !== null, ownOfOther: await ownOf(other) }).toEqual({
      hasOwn: true,
      ownOfOther: null,
    });
  });

  it("is of its kind, and no part of an order", async () => {
    const operation = { chainId: CHAIN_ID, productType: PRODUCT, txHash: TX, userAddress: USER } as const;
    const insert = (kind: "deposit" | "withdraw", logIndex: number, orderId: Hex | null = null) =>
      onchain.insert("cashOperation", {
        ...operation,
        kind,
        logIndex,
        orderId,
        status: "completed",
        tokenAddress: hex(20, 6),
        opId: hex(32, logIndex),
      });
    await claim(mine, { operationType: "deposit" });
    await insert("withdraw", 1);
    await insert("deposit", 2, hex(32, 0x77));
    expect(await ownOf(mine, "deposit")).toBeNull();
    await insert("deposit", 3);
    await insert("deposit", 4);
    expect((await ownOf(mine, "deposit"))?.outcome).toMatchObject({ ordinal: 0, operationId: hex(32, 3) });
  });

  it("is an order with the deposit that was made with it, and with no other", async () => {
    const deposit = (orderId: number, logIndex: number) =>
      onchain.insert("stockOperation", {
        chainId: CHAIN_ID,
        productType: PRODUCT,
        txHash: TX,
        userAddress: USER,
        kind: "stock-deposit",
        logIndex,
        opId: hex(32, logIndex),
        orderId: hex(32, orderId),
        tokenAddress: hex(20, 5),
      });
    await claim(mine);
    await orderIn();
    await deposit(0x78, 1);
    expect((await ownOf(mine))?.outcome).toMatchObject({ operationId: null });
    await deposit(0x77, 2);
    expect((await ownOf(mine))?.outcome).toMatchObject({ operationId: hex(32, 2) });
  });

  it("is listed in its own chain and product, to its own key", async () => {
    await claim(mine);
    const listed = async (caller: Caller) =>
      (await projected(listOrders)(features.deps, caller, {})).data.rows.length;
    expect(await listed(mine)).toBe(1);
    for (const viewer of [other, { ...mine, ...inSecond }, { ...mine, ...onOther }]) {
      expect({ viewer, listed: await listed(viewer) }).toEqual({ viewer, listed: 0 });
    }
  });
});

it("by transaction, a key is told what it may record without reading other claims", async () => {
  await createClaims(pool, mine, 3_000);
  await createClaims(pool, other, [{}, {}]);
  await claim(other, { ruleVersion: 2 });
  await orderIn();
  await indexOnchain(pool);
  await project(features.deps);
  await pool.query("VACUUM ANALYZE");
  const recorded = recordStatements(features.deps);
  const asked = getOrderByTransaction(recorded.deps, mine, { txHash: TX });
  const { message } = await expectRefusal(asked, "TRANSACTION_NOT_FOUND");
  expect(message).toBe("The transaction belongs to another API key");
  expect(recorded.statements).toHaveLength(5);
  expect(await mostRowsRead(pool, recorded.statements)).toBeLessThan(60);
});

describe("transactions that no node knows", () => {
  const room = (key: Caller) =>
    requireRecordingQuota(features.deps.pool, key.keyId).then(
      () => true,
      () => false,
    );

  it("leave room for one of a thousand", async () => {
    await createClaims(pool, mine, 999);
    expect(await room(mine)).toBe(true);
    await createClaims(pool, other, 1_000);
    expect({ hasRoom: await room(mine), hasOtherRoom: await room(other) }).toEqual({
      hasRoom: true,
      hasOtherRoom: false,
    });
  });

  it.each(["state = 'final'", "source = 'attributed'", "last_seen_at = now()"])(
    "are none of those with %s",
    async (change) => {
      await createClaims(pool, mine, 1_000);
      await pool.query(`UPDATE app.transaction_claim SET ${change} WHERE key_id = $1`, [mine.keyId]);
      expect(await room(mine)).toBe(true);
    },
  );
});

describe("the watch takes", () => {
  const takes = async (...claimIds: string[]) => {
    const before = await Promise.all(claimIds.map(stored));
    await watchClaims(features.deps, CHAIN_ID);
    const after = await Promise.all(claimIds.map(stored));
    return after.map((row, index) => row?.next_look_at.getTime() !== before[index]?.next_look_at.getTime());
  };
  const due = { nextLookAt: ago(MINUTE_MS) };

  it("what is due on its chain, and has neither been sent here nor been decided", async () => {
    const wanted = await claim(mine, due);
    const others = [
      await claim(mine, { ...due, ...onOther, txHash: hex(32, 2) }),
      await claim(mine, { nextLookAt: ago(-HOUR_MS), txHash: hex(32, 3) }),
      await claim(mine, { ...due, source: "send", txHash: hex(32, 4) }),
      await claim(mine, { ...due, state: "final", txHash: hex(32, 5) }),
    ];
    expect({ takes: await takes(wanted, ...others) }).toEqual({ takes: [true, false, false, false, false] });
  });

  it("what another worker does not hold, without waiting for it", async () => {
    const [held, free] = [await claim(mine, due), await claim(mine, { ...due, txHash: LATER_TX })];
    const holder = await pool.connect();
    try {
      await holder.query("BEGIN");
      await holder.query("SELECT 1 FROM app.transaction_claim WHERE claim_id = $1 FOR UPDATE", [held]);
      expect({ takes: await takes(held, free) }).toEqual({ takes: [false, true] });
      await holder.query("ROLLBACK");
    } finally {
      holder.release();
    }
  });

  it("no claim that another worker has taken while it looked", async () => {
    const claimId = await claim(mine, due);
    // Reads of keys wait in this view until the advisory lock is free.
    await pool.query("ALTER TABLE app.api_key RENAME TO api_key_table");
    await pool.query(
      "CREATE VIEW app.api_key AS SELECT * FROM app.api_key_table WHERE pg_advisory_xact_lock_shared(77) IS NOT NULL",
    );
    const holder = await pool.connect();
    try {
      await holder.query("SELECT pg_advisory_lock(77)");
      const watching = watchClaims(features.deps, CHAIN_ID);
      await waitsForLock(pool, "%WITH due%", watching);
      await holder.query(
        "UPDATE app.transaction_claim SET next_look_at = now() + interval '1 hour' WHERE claim_id = $1",
        [claimId],
      );
      await holder.query("SELECT pg_advisory_unlock(77)");
      expect(await watching).toBe(0);
    } finally {
      holder.release(true);
      await pool.query("DROP VIEW app.api_key");
      await pool.query("ALTER TABLE app.api_key_table RENAME TO api_key");
    }
  });

  it("of one key with very many those first that are due longest, and of every key some", async () => {
    await createClaims(pool, mine, 150, { nextLookAt: ago(10 * MINUTE_MS) });
    const longest = await claim(mine, { nextLookAt: ago(DAY_MS) });
    const late = await claim(other, due);
    expect({ takes: await takes(longest, late) }).toEqual({ takes: [true, true] });
  });
});

describe("the watch pauses", () => {
  const pause = () => pauseOfWatch(features.deps, CHAIN_ID);

  it("five seconds where no claim waits for a look", async () => {
    await claim(mine, { nextLookAt: ago(MINUTE_MS), source: "send" });
    await claim(mine, { nextLookAt: ago(MINUTE_MS), state: "final", txHash: hex(32, 3) });
    expect(await pause()).toBe(5_000);
  });

  it("for no claim of another chain", async () => {
    await claim(mine, { ...onOther, nextLookAt: ago(MINUTE_MS) });
    expect(await pause()).toBe(5_000);
  });

  it("until the first claim of any key is due, at least a second and at most five", async () => {
    await claim(mine, { nextLookAt: ago(-HOUR_MS) });
    expect(await pause()).toBe(5_000);
    await claim(other, { nextLookAt: ago(-4_000), txHash: hex(32, 3) });
    const soon = await pause();
    expect({ isOverOneSecond: soon > 1_000, isWithinFourSeconds: soon <= 4_000 }).toEqual({
      isOverOneSecond: true,
      isWithinFourSeconds: true,
    });
    await claim(mine, { nextLookAt: ago(MINUTE_MS), txHash: hex(32, 4) });
    expect(await pause()).toBe(1_000);
  });
});

describe("the watch decides", () => {
  const OLD = { createdAt: ago(25 * HOUR_MS), nextLookAt: ago(MINUTE_MS) };
  const stateOf = async (claimId: string) => (await stored(claimId))?.state;

  it("24 hours after a node last knew the transaction", async () => {
    const [gone, seen] = [await claim(mine, OLD), await claim(mine, { ...OLD, txHash: LATER_TX })];
    await pool.query("UPDATE app.transaction_claim SET last_seen_at = now() WHERE claim_id = $1", [seen]);
    await watchClaims(features.deps, CHAIN_ID);
    expect({ gone: await stateOf(gone), seen: await stateOf(seen) }).toEqual({
      gone: "dropped",
      seen: "pending",
    });
  });

  it("nothing of a claim that was decided while it asked", async () => {
    const claimId = await claim(mine, OLD);
    answers.eth_blockNumber = async () => {
      await pool.query("UPDATE app.transaction_claim SET state = 'final' WHERE claim_id = $1", [claimId]);
      return "0x64";
    };
    await watchClaims(features.deps, CHAIN_ID);
    expect(await stateOf(claimId)).toBe("final");
  });
});

describe("a dropped claim", () => {
  const forget = () => expireDroppedClaims(features.deps);
  const OLD = { updatedAt: ago(31 * DAY_MS) };
  const isThere = async (claimId: string) => (await stored(claimId)) !== undefined;

  it("is removed where it was recorded, thirty days ago, and nothing of it is indexed", async () => {
    const gone = await claim(mine, { ...OLD, state: "dropped" });
    const kept = [
      await claim(mine, { updatedAt: ago(29 * DAY_MS), state: "dropped", txHash: hex(32, 3) }),
      await claim(mine, { ...OLD, state: "dropped", source: "attributed", txHash: hex(32, 4) }),
      await claim(mine, { ...OLD, state: "reverted", txHash: hex(32, 5) }),
      await claim(mine, { ...OLD, state: "dropped", txHash: hex(32, 6) }),
      await claim(mine, { ...OLD, state: "dropped", chainId: 5, txHash: hex(32, 7) }),
    ];
    await orderIn({ txHash: hex(32, 6) });
    await orderIn({ ...onOther }, 0x78);
    expect(await forget()).toBe(1);
    expect(await isThere(gone)).toBe(false);
    const isKept = await Promise.all(kept.map(isThere));
    expect({ isKept }).toEqual({ isKept: kept.map(() => true) });
  });

  it("stays while the index is not ready", async () => {
    await claim(mine, { ...OLD, state: "dropped" });
    await pool.query("UPDATE onchain._ponder_meta SET value = '{\"is_ready\": 0}'");
    try {
      expect(await forget()).toBe(0);
    } finally {
      await pool.query("UPDATE onchain._ponder_meta SET value = '{\"is_ready\": 1}'");
    }
    expect(await forget()).toBe(1);
  });

  it("that is recorded again while it is removed stays", async () => {
    const claimId = await claim(mine, { ...OLD, state: "dropped" });
    const holder = await pool.connect();
    try {
      await holder.query("BEGIN");
      await holder.query("UPDATE app.transaction_claim SET state = 'pending' WHERE claim_id = $1", [claimId]);
      const forgetting = forget();
      await waitsForLock(pool, "%DELETE FROM app.transaction_claim%", forgetting);
      await holder.query("COMMIT");
      expect(await forgetting).toBe(0);
    } finally {
      holder.release();
    }
    expect(await isThere(claimId)).toBe(true);
  });
});

describe("a suffix", () => {
  const callData = router("placeMarketOrder", hex(20, 5), parseEther("10"), LATER);
  const bound = async () => features.makeCaller({ userAddress: USER });
  /** Returns a transaction with a suffix of a key, valid for any sender unless a user is named. */
  function suffixed(key: Caller, change: Partial<SuffixedTransaction> = {}, user: Hex | null = null) {
    const { chainId = CHAIN_ID } = change;
    const call = { chainId, router: CONTRACTS.stockRouter, callData };
    const suffix = signAttribution(features.deps.attributionKeys, call, { apiKey: key.apiKey, user });
    return { chainId, productType: PRODUCT, txHash: TX, from: USER, callData, suffix, ...change };
  }
  const look = (transaction: SuffixedTransaction) =>
    attribute(features.deps, CONTRACTS.stockRouter, transaction);
  const claims = async () =>
    (
      await pool.query<{ tx_hash: Hex; source: string; state: string; key_id: string }>(
        "SELECT tx_hash, source::text, state::text, key_id FROM app.transaction_claim ORDER BY tx_hash",
      )
    ).rows;

  it("is verified any number of times, for its own chain", async () => {
    const transaction = suffixed(mine);
    expect({ first: await look(transaction), second: await look(transaction) }).toEqual({
      first: mine.keyId,
      second: mine.keyId,
    });
    expect(await claims()).toMatchObject([{ source: "attributed", key_id: mine.keyId }]);
    expect(await findAttributedKey(features.deps.prisma, CHAIN_ID, TX)).toBe(mine.keyId);
    expect(await findAttributedKey(features.deps.prisma, OTHER_CHAIN, TX)).toBeNull();
  });

  it("of a key that is bound to another user than the sender claims nothing", async () => {
    const key = await bound();
    await look(suffixed(key, { from: hex(20, 0xb) }));
    expect(await claims()).toEqual([]);
    await look(suffixed(key));
    expect(await claims()).toHaveLength(1);
  });

  it("that was used before claims nothing", async () => {
    const first = suffixed(mine);
    await look(first);
    await suffixOf(TX);
    await look({ ...first, txHash: LATER_TX });
    expect(await claims()).toMatchObject([{ tx_hash: TX }]);
  });

  it.each([
    ["recorded", "pending", "attributed", "pending"],
    ["recorded", "dropped", "attributed", "pending"],
    ["recorded", "final", "attributed", "final"],
    ["send", "pending", "send", "pending"],
  ] as const)("makes a claim that was %s and %s one that is %s and %s", async (source, state, ...then) => {
    await claim(mine, { source, state });
    await look(suffixed(mine));
    expect(await claims()).toMatchObject([{ source: then[0], state: then[1] }]);
  });

  /** Inserts the row that the indexer writes for a transaction with a suffix. */
  const indexSuffix = ({ suffix, ...rest }: SuffixedTransaction, blockNumber: bigint, transactionIndex = 0) =>
    onchain.insert("attributionSuffix", {
      chainId: rest.chainId,
      productType: rest.productType,
      txHash: rest.txHash,
      fromAddress: rest.from,
      callData,
      suffix,
      blockNumber,
      transactionIndex,
    });
  const setSafe = (block: bigint) =>
    pool.query("UPDATE onchain._ponder_checkpoint SET safe_checkpoint = $1", [
      `${"1".repeat(10)}${"0".repeat(16)}${String(block).padStart(16, "0")}${"0".repeat(33)}`,
    ]);
  const keyOf = async (txHash: Hex) => (await claims()).find((row) => row.tx_hash === txHash)?.key_id ?? null;

  it("is read for its own product, and of two uses the first one in the chain counts", async () => {
    const transaction = suffixed(mine);
    await indexSuffix({ ...transaction, txHash: LATER_TX }, 11n);
    await indexSuffix(transaction, 10n);
    await attributionRun(features.deps)();
    const found = (await pool.query("SELECT product_type, tx_hash FROM app.transaction_claim")).rows;
    expect(found).toEqual([{ product_type: PRODUCT, tx_hash: TX }]);
  });

  it("is read where an earlier run stopped within its block, and only there", async () => {
    const run = attributionRun(features.deps);
    await setSafe(20n);
    await indexSuffix(suffixed(mine), 10n, 1);
    expect(await run()).toBe(1);
    await indexSuffix(suffixed(mine, { txHash: LATER_TX }), 10n, 2);
    expect(await run()).toBe(1);
    expect(await keyOf(LATER_TX)).toBe(mine.keyId);
    expect(await run()).toBe(0);
  });

  it("that is claimed is not verified again while it may still be taken back", async () => {
    const run = attributionRun(features.deps);
    await setSafe(1n);
    await indexSuffix(suffixed(mine), 10n);
    expect({ firstRun: await run(), secondRun: await run() }).toEqual({ firstRun: 1, secondRun: 0 });
  });

  it("is read again where another chain stands where a run stopped", async () => {
    await setSafe(20n);
    await indexSuffix(suffixed(mine), 15n);
    await attributionRun(features.deps)();
    await onchain.clear();
    await indexSuffix(suffixed(mine, { txHash: LATER_TX }), 10n);
    await attributionRun(features.deps)();
    expect(await keyOf(LATER_TX)).toBe(mine.keyId);
  });

  it("is read again with other server keys", async () => {
    await setSafe(20n);
    const key = { id: "other", key: Buffer.alloc(32, 9) };
    const transaction = suffixed(mine);
    const call = { chainId: CHAIN_ID, router: CONTRACTS.stockRouter, callData };
    const suffix = signAttribution([key], call, { apiKey: mine.apiKey, user: null });
    await indexSuffix({ ...transaction, suffix }, 10n);
    await attributionRun(features.deps)();
    expect(await claims()).toEqual([]);
    await attributionRun({ ...features.deps, attributionKeys: [key] })();
    expect(await keyOf(TX)).toBe(mine.keyId);
  });

  it("names a key that is there", async () => {
    expect(await look(suffixed({ ...mine, apiKey: `pk_${randomUUID()}` }))).toBeNull();
  });

  it("in our form that is not valid is stored once, on its own chain, until it is valid after all", async () => {
    const invalid = suffixed(mine, { from: hex(20, 0xb) }, USER);
    expect({ first: await look(invalid), second: await look(invalid) }).toEqual({
      first: null,
      second: null,
    });
    await look(suffixed(mine, { txHash: LATER_TX, suffix: "0x8021" }));
    const verdicts = await pool.query("SELECT chain_id, tx_hash FROM app.invalid_attribution");
    expect(verdicts.rows).toEqual([{ chain_id: CHAIN_ID, tx_hash: TX }]);
    // An order that another key recorded.
    await claim(other, { ruleVersion: 2 });
    await orderIn();
    await indexSuffix(invalid, 10n);
    expect(await ownOf(other)).not.toBeNull();
    expect(await look({ ...invalid, from: USER })).toBe(mine.keyId);
    expect({ ownOfOther: await ownOf(other), hasOwn: (await ownOf(mine)) !== null }).toEqual({
      ownOfOther: null,
      hasOwn: true,
    });
  });

  it("has the form of ours for PostgreSQL where it has it for TypeScript", async () => {
    const ours = suffixed(mine).suffix;
    const changed = Array.from({ length: ours.length - 2 }, (_, index) => {
      const digit = ours[index + 2] === "0" ? "f" : "0";
      return `${ours.slice(0, index + 2)}${digit}${ours.slice(index + 3)}`;
    });
    const asked = [ours, `${ours}0`, ours.slice(0, -2), ...changed];
    const { rows } = await pool.query<{ found: boolean }>(
      `SELECT regexp_like(s.suffix, '${OWN_FORM}') AS found FROM unnest($1::text[]) WITH ORDINALITY AS s (suffix, n) ORDER BY s.n`,
      [asked],
    );
    expect(rows.map(({ found }) => found)).toEqual(asked.map(hasOwnForm));
    expect(new Set(rows.map(({ found }) => found))).toEqual(new Set([true, false]));
  });
});
