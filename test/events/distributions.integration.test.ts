import { beforeEach, describe, expect, it } from "@jest/globals";
import { getAddress } from "viem";
import type { Caller } from "../../src/auth/caller.ts";
import { DISTRIBUTIONS } from "../../src/events/distributions.ts";
import { createEventWriter } from "../../src/events/writer/write.ts";
import { hex } from "../support/assert/sample.ts";
import { present } from "../support/assert/until.ts";
import { createClaim, createClaims } from "../support/db/builders/claims.ts";
import { dyingPool } from "../support/db/dying-pool.ts";
import type { Row } from "../support/db/onchain.ts";
import { CHAIN_ID, STOCKS, USERS } from "../support/db/random-chain.ts";
import { PRODUCT } from "../support/http/features.ts";
import { ignoreDeath, useLog } from "./log-fixture.ts";

// Splits and dividends of users, as events of the keys that they trade with.

const { features, onchain, deps, callers, write, readEvents, expectNoGap, expectObjects } = await useLog();
const { pool } = features.deps;
const WAD = 10n ** 18n;
const stock = present(STOCKS[0], "a stock");
const [ann, ben, cat] = [...USERS] as [`0x${string}`, `0x${string}`, `0x${string}`];
const [first, second, bound] = callers as [Caller, Caller, Caller];
const SCOPE = { chainId: CHAIN_ID, productType: PRODUCT };
const SPLIT = hex(32, 0x5b117);
const block = (number: bigint) => ({ number, timestamp: 1_799_000_000n + number });

/** An order of a user, in a transaction of its own. */
const orderOf = (n: number, userAddress: `0x${string}`): Row<"stockOrder"> => ({
  ...SCOPE,
  orderId: hex(32, 0xabc000 + n),
  txHash: hex(32, 0x1000 + n),
  blockNumber: 11n,
  updatedBlock: 11n,
  userAddress,
  stockAddress: stock,
  side: "Buy",
  orderType: "Limit",
  status: "open",
});

const move = (latest: bigint, safe = 10n) => onchain.replace(CHAIN_ID, {}, block(latest), block(safe));

interface Split {
  number?: bigint;
  newMultiplier?: bigint;
  /** Tokens of each holder, wad. */
  held: Readonly<Record<string, bigint>>;
  hash?: string;
}

/** Writes a split of the stock as the indexer does, with its holders. */
async function split({ number = 12n, newMultiplier = 2n * WAD, held, hash = `${number}` }: Split) {
  const change = {
    ...SCOPE,
    tokenAddress: stock,
    blockNumber: number,
    logIndex: 1,
    oldMultiplier: WAD,
    newMultiplier,
    txHash: SPLIT,
    timestamp: 1_799_000_000n + number,
  };
  await onchain.insert("multiplierChange", change);
  await onchain.insert("eventBlock", { chainId: CHAIN_ID, number, hash: hex(32, Number(hash)) });
  const holders = Object.entries(held);
  await onchain.insert(
    "distribution",
    ...holders.map(([user, tokens]) => ({
      ...change,
      userAddress: user as `0x${string}`,
      available: tokens - 1n,
      locked: 1n,
    })),
  );
  await pool.query("UPDATE onchain.stock_token SET multiplier = $1 WHERE token_address = $2", [
    String(newMultiplier),
    stock,
  ]);
}

/** Takes the splits of the stock back. */
async function undo() {
  for (const table of ["multiplier_change", "distribution", "event_block"])
    await pool.query(`DELETE FROM onchain.${table}`);
  await pool.query("UPDATE onchain.stock_token SET multiplier = 1000000000000000000");
}

const reported = async (caller: Caller) =>
  (await readEvents(caller, { types: "distribution.*", limit: "100" })).rows;
/** Returns the user, the tokens and the multiplier of each event. */
const told = async (caller: Caller) =>
  (await reported(caller)).map(({ data }) => {
    const { userAddress, tokens, multiplierAfter } = data as Record<string, unknown>;
    return [userAddress, tokens, multiplierAfter];
  });
const remembered = async () => {
  const { rows } = await pool.query(
    `SELECT (SELECT count(*)::int FROM app.event_distribution) AS reports,
       (SELECT count(*)::int FROM app.distribution_scan) AS scans`,
  );
  return rows[0];
};

beforeEach(async () => {
  await undo();
  await onchain.replace(
    CHAIN_ID,
    { stockOrder: [], cashOperation: [], stockBalance: [], stockOperation: [] },
    block(10n),
    block(10n),
  );
  await write();
  const orders = [orderOf(0, ann), orderOf(1, ben), orderOf(2, ben)];
  await createClaims(pool, first, [{ txHash: hex(32, 0x1000) }, { txHash: hex(32, 0x1001) }]);
  await createClaims(pool, second, [{ txHash: hex(32, 0x1002) }]);
  await onchain.replace(CHAIN_ID, { stockOrder: orders }, block(11n), block(10n));
  await write();
});

describe("a split", () => {
  it("is an event of each user who held the token, in the log of each key of theirs, once", async () => {
    await split({ held: { [ann]: 3n * WAD, [ben]: WAD / 3n, [cat]: WAD } });
    await move(12n);
    for (let statements = 3; statements < 10; statements++)
      await write(dyingPool(pool, statements)).catch(ignoreDeath);
    await Promise.all([write(), write()]);
    await move(40n, 30n);
    await write();
    await write();
    expect(await reported(first)).toMatchObject([
      {
        type: "distribution.applied",
        resource: "users/activities",
        blockNumber: 12,
        txHash: SPLIT,
        retracts: null,
        data: {
          userAddress: getAddress(ann),
          stockToken: getAddress(stock),
          symbol: "S0",
          multiplierBefore: "1",
          multiplierAfter: "2",
          tokens: "3",
          sharesBefore: "3",
          sharesAfter: "6",
          timestamp: 1_799_000_012,
          blockNumber: 12,
          txHash: SPLIT,
        },
      },
      { data: { userAddress: getAddress(ben), sharesAfter: "0.666666666666666666" } },
    ]);
    expect(await told(second)).toEqual([[getAddress(ben), "0.333333333333333333", "2"]]);
    // Bound to this user, of whom it has no order.
    expect(await told(bound)).toEqual([[getAddress(ann), "3", "2"]]);
    await expectNoGap();
    await expectObjects();
    expect(await remembered()).toEqual({ reports: 0, scans: 0 });
  });

  it("is withdrawn by what holds now where a reorg took it back, and reported anew where it came again", async () => {
    await split({ held: { [ann]: WAD, [ben]: WAD } });
    await move(12n);
    await write();
    await undo();
    await onchain.insert("stockBalance", {
      ...SCOPE,
      userAddress: ann,
      stockAddress: stock,
      available: 5n * WAD,
    });
    await write();
    await split({ held: { [ann]: 5n * WAD }, number: 13n });
    await move(13n);
    await write();
    const events = (await reported(first)).filter(
      ({ data }) => (data as { userAddress: string }).userAddress === getAddress(ann),
    );
    expect(events).toMatchObject([
      { blockNumber: 12, retracts: null, data: { tokens: "1" } },
      {
        blockNumber: null,
        txHash: null,
        retracts: events[0]?.eventId,
        data: {
          tokens: "5",
          multiplierBefore: "2",
          multiplierAfter: "1",
          timestamp: null,
          blockNumber: null,
        },
      },
      { blockNumber: 13, retracts: null, data: { tokens: "5", multiplierBefore: "1" } },
    ]);
    expect(await told(second)).toEqual([
      [getAddress(ben), "1", "2"],
      [getAddress(ben), "0", "1"],
    ]);
  });

  it("row 121: is withdrawn by the one that a reorg put in its place, of its holders alone", async () => {
    await split({ held: { [ann]: WAD, [ben]: WAD } });
    await move(12n);
    await write();
    const before = await reported(first);
    await undo();
    // The same change of the multiplier: an order before it was filled otherwise.
    await split({ held: { [ann]: 2n * WAD, [ben]: WAD }, hash: "77" });
    await write();
    await write();
    const events = await reported(first);
    expect(events.slice(before.length)).toMatchObject([
      { retracts: before[0]?.eventId, blockNumber: 12, data: { userAddress: getAddress(ann), tokens: "2" } },
    ]);
    expect(await told(second)).toHaveLength(1);
    // Two users of the first key, and one of each other.
    expect(await remembered()).toEqual({ reports: 4, scans: 1 });
  });

  it("is an event of users of operations, too, and is withdrawn for a key that has nothing of the user any more", async () => {
    const deposit = {
      ...SCOPE,
      opId: hex(32, 0xb000),
      kind: "stock-deposit" as const,
      txHash: hex(32, 0x1004),
      userAddress: cat,
      tokenAddress: stock,
      amount: WAD,
      blockNumber: 11n,
    };
    await createClaim(pool, second, { txHash: deposit.txHash, operationType: "stock-deposit" });
    await onchain.replace(CHAIN_ID, { stockOperation: [deposit] }, block(11n), block(10n));
    await write();
    await split({ held: { [cat]: WAD } });
    await move(12n);
    await write();
    await undo();
    await onchain.replace(CHAIN_ID, { stockOrder: [], stockOperation: [] }, block(12n), block(10n));
    await pool.query("DELETE FROM app.key_operation WHERE key_id = $1", [second.keyId]);
    await write();
    expect(await told(second)).toEqual([
      [getAddress(cat), "1", "2"],
      [getAddress(cat), "0", "1"],
    ]);
    expect(await told(first)).toEqual([]);
  });

  it("is an event of a key whose order came behind it, once the next change is compared", async () => {
    await split({ held: { [ann]: WAD } });
    await move(12n);
    await write();
    await createClaim(pool, second, { txHash: hex(32, 0x1005) });
    const orders = [orderOf(0, ann), orderOf(1, ben), orderOf(2, ben), orderOf(5, ann)];
    await onchain.replace(CHAIN_ID, { stockOrder: orders }, block(12n), block(10n));
    await write();
    expect(await told(second)).toEqual([]);
    await split({ held: { [ann]: WAD }, number: 13n, newMultiplier: 3n * WAD });
    await move(13n);
    await write();
    expect((await told(second)).map(([, , multiplier]) => multiplier)).toEqual(["2", "3"]);
    expect((await told(first)).map(([, , multiplier]) => multiplier)).toEqual(["2", "3"]);
  });

  it("is history where it was final before, and is no event of a writer that must not report it", async () => {
    const silent = createEventWriter(deps, { verifyMs: 0 });
    await split({ held: { [ann]: WAD } });
    await move(12n);
    while (!(await silent(CHAIN_ID)).complete);
    expect(await remembered()).toEqual({ reports: 0, scans: 0 });
    // Distributions that are not final are reported late.
    await write();
    expect(await told(first)).toHaveLength(1);
    await split({ held: { [ann]: WAD }, number: 14n });
    await move(40n, 30n);
    while (!(await silent(CHAIN_ID)).complete);
    await write();
    expect(await told(first)).toHaveLength(1);
  });
});

describe("a token with more holders than a step reports", () => {
  const HOLDERS = 1_100;
  const user = (n: number) => hex(20, 0xf00000 + n);

  it("row 120: is reported page by page, while the log goes on, and once although the writer dies", async () => {
    const claimId = await createClaim(pool, first, { txHash: hex(32, 0x1003) });
    await write();
    await pool.query(
      `INSERT INTO app.key_order (claim_id, ordinal, key_id, chain_id, product_type, source, created_at, updated_at, log_index, status,
         on_chain_status, side, order_type, user_address, data_shape, type)
       SELECT c.claim_id, n, c.key_id, c.chain_id, c.product_type, 'send', now(), now(), 0, 'New', 'open', 'Buy', 'Limit',
         '0x' || lpad(to_hex(15728640 + n), 40, '0'), 1, 'order.placed'
       FROM app.transaction_claim c, generate_series(1, $2::int) n WHERE c.claim_id = $1`,
      [claimId, HOLDERS],
    );
    const held = Object.fromEntries(Array.from({ length: HOLDERS }, (_, n) => [user(n + 1), WAD]));
    await split({ held });
    await move(12n);
    const run = createEventWriter(deps, { verifyMs: 3_600_000, moreSources: [DISTRIBUTIONS] });
    const counts: number[] = [];
    const count = async (type = "distribution.applied") => {
      const { rows } = await pool.query("SELECT count(*)::int AS count FROM app.event WHERE type = $1", [
        type,
      ]);
      return rows[0].count;
    };
    expect(await run(CHAIN_ID)).toEqual({ complete: false });
    counts.push(await count());
    // Events of other sources are appended with the next page.
    const filled = { ...orderOf(0, ann), status: "filled" as const, updatedBlock: 13n };
    await onchain.replace(
      CHAIN_ID,
      { stockOrder: [filled, orderOf(1, ben), orderOf(2, ben)] },
      block(13n),
      block(10n),
    );
    expect(await run(CHAIN_ID)).toEqual({ complete: false });
    counts.push(await count());
    expect(await count("order.filled")).toBe(1);
    for (const statements of [3, 5, 6, 7]) await write(dyingPool(pool, statements)).catch(ignoreDeath);
    // Pages have 500 pairs of a key and a user, the keys by themselves among them.
    expect({ counts }).toEqual({ counts: [counts[0], Number(counts[0]) + 500] });
    expect(counts[0]).toBeGreaterThan(490);
    await write();
    expect(await count()).toBe(HOLDERS);
    await move(40n, 30n);
    await write();
    await write();
    expect(await count()).toBe(HOLDERS);
    expect(await remembered()).toEqual({ reports: 0, scans: 0 });
    await expectNoGap();
  });
});
