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
import { type Features, PRODUCT, startFeatures } from "../support/http/features.ts";
import { getStatement } from "../support/http/verbs.ts";

// GET /users/{userId}/statement over rows that the test writes. test/indexer/trading.integration.test.ts holds its sums against contracts.

const CHAIN_ID = 31337;
const WAD = 10n ** 18n;
const USER = hex(20, 0xa1);
const STOCK = hex(20, 0x57);
const CASH = hex(20, 0x58);
const tx = (value: number) => hex(32, 0x1000 + value);
const id = (value: number) => hex(32, 0xabc000 + value);
const scope = { chainId: CHAIN_ID, productType: PRODUCT };
const INDEXED = 1_800_000_000;
const from = INDEXED - 100_000;
const at = (seconds: number) => BigInt(from + seconds);

let features: Features;
let onchain: Onchain;
let mine: Caller;
let other: Caller;

beforeAll(async () => {
  features = await startFeatures([
    { deployment: { chainId: CHAIN_ID, ...CONTRACTS }, rpcUrls: ["http://127.0.0.1:1"] },
  ]);
  features.clock.nowMs = INDEXED * 1000;
  onchain = await createOnchain(features.deps.pool);
  await indexOnchain(features.deps.pool);
  [mine, other] = await Promise.all([features.makeCaller(), features.makeCaller()]);
});

afterAll(() => features?.close());

beforeEach(async () => {
  await empty(features.deps.pool, "app.transaction_claim");
  await onchain.clear();
  await onchain.setBlock(CHAIN_ID, { number: 50n, timestamp: BigInt(INDEXED) });
  await onchain.insert("stockToken", { ...scope, tokenAddress: STOCK, symbol: "AAPL", multiplier: WAD });
  await onchain.insert("cashToken", { ...scope, tokenAddress: CASH, decimals: 6 });
});

const statement = async (viewer: Viewer, input: object = {}) =>
  (await getStatement(features.deps, viewer, { userId: USER, from: String(from), ...input })).data;

const activity = (seconds: number, row: Row<"activity">) =>
  onchain.insert("activity", {
    ...scope,
    userAddress: USER,
    asset: "mUSD",
    kind: "other",
    logIndex: 1,
    txHash: tx(seconds),
    blockNumber: BigInt(Math.max(seconds, 1)),
    timestamp: at(seconds),
    ...row,
  });

/** Balances of the user now. */
async function balances(cash: Row<"cashBalance">, stock: Row<"stockBalance"> = {}): Promise<void> {
  await onchain.insert("cashBalance", { ...scope, userAddress: USER, ...cash });
  await onchain.insert("stockBalance", { ...scope, userAddress: USER, stockAddress: STOCK, ...stock });
}

const inMusd = (available: string, locked = "0") => ({
  asset: "mUSD",
  stockAddress: null,
  available,
  locked,
});
const inStock = (available: string, locked = "0") => ({
  asset: "AAPL",
  stockAddress: getAddress(STOCK),
  available,
  locked,
});

/** A buy of 2 AAPL in two fills of one transaction, before and after which there is something else. */
async function aBuy(): Promise<void> {
  const order = { kind: "order-placed", causeId: id(1), txHash: tx(1) } as const;
  const filled = { ...order, kind: "order-filled", txHash: tx(2), blockNumber: 20n } as const;
  await onchain.insert("stockOrder", { ...scope, orderId: id(1), txHash: tx(1), userAddress: USER });
  await createClaim(features.deps.pool, mine, { txHash: tx(1) });
  for (const [ordinal, price, fee] of [
    [0, 100n, 1n],
    [1, 101n, 2n],
  ] as const)
    await onchain.insert("orderFill", {
      ...scope,
      orderId: id(1),
      ordinal,
      quantity: WAD,
      price: price * WAD,
      notional: price * WAD,
      fee: fee * WAD,
      txHash: tx(2),
    });
  await activity(-50, { delta: 1_000n * WAD, balanceAfter: 1_000n * WAD });
  await activity(10, { ...order, delta: -210n * WAD, lockedDelta: 210n * WAD, balanceAfter: 790n * WAD });
  const stock = { ...filled, asset: STOCK, delta: WAD };
  await activity(20, { ...stock, logIndex: 3, balanceAfter: WAD });
  await activity(20, { ...filled, logIndex: 4, lockedDelta: -101n * WAD, balanceAfter: 790n * WAD });
  await activity(20, { ...stock, logIndex: 6, balanceAfter: 2n * WAD });
  await activity(20, {
    ...filled,
    logIndex: 7,
    delta: 6n * WAD,
    lockedDelta: -109n * WAD,
    balanceAfter: 796n * WAD,
  });
  await activity(99_990, { delta: 4n * WAD, balanceAfter: 800n * WAD });
  await balances({ available: 800n * WAD, locked: 0n }, { available: 2n * WAD });
}

describe("GET /users/{userId}/statement", () => {
  it("begins with what there was, ends with what there is, and has each movement, fill and fee in between", async () => {
    await aBuy();
    const data = await statement(mine, { to: String(from + 99_989) });
    expect(data).toMatchObject({
      userAddress: getAddress(USER),
      from,
      to: from + 99_989,
      opening: [inMusd("1000"), inStock("0")],
      closing: [inMusd("796"), inStock("2")],
      nextCursor: null,
      csv: null,
    });
    const fill = (price: string) => ({ quantity: "1", price, notional: price });
    expect(data.rows).toMatchObject([
      {
        kind: "order-placed",
        asset: "mUSD",
        delta: "-210",
        lockedDelta: "210",
        fill: null,
        fee: null,
        orderId: id(1),
      },
      { kind: "order-filled", asset: "AAPL", delta: "1", fill: fill("100"), fee: "1", txHash: tx(2) },
      { kind: "order-filled", asset: "mUSD", delta: "0", lockedDelta: "-101", fill: null, fee: null },
      { kind: "order-filled", asset: "AAPL", delta: "1", fill: fill("101"), fee: "2", balanceAfter: "2" },
      { kind: "order-filled", asset: "mUSD", delta: "6", lockedDelta: "-109", fill: null, fee: null },
    ]);
  });

  it("without an end goes on to now; before the user had anything it is empty", async () => {
    await aBuy();
    const now = await statement(mine);
    expect(now).toMatchObject({ to: INDEXED, closing: [inMusd("800"), inStock("2")] });
    expect(now.rows).toHaveLength(6);
    const before = { from: String(from - 1_000), to: String(from - 900) };
    expect(await statement(mine, before)).toMatchObject({
      opening: [inMusd("0"), inStock("0")],
      closing: [inMusd("0"), inStock("0")],
      rows: [],
    });
    expect(await statement(mine, { userId: hex(20, 0xb2) })).toMatchObject({
      opening: [],
      closing: [],
      rows: [],
    });
    // Where the index is behind, the statement is too.
    expect(await statement(mine, { to: String(INDEXED + 10) })).toMatchObject({ to: INDEXED });
  });

  it("counts what a balance keeps: the half of an activity that nothing has joined", async () => {
    await balances({
      available: 5n * WAD,
      openKind: "other",
      openDelta: 2n * WAD,
      openLocked: 0n,
      openTxHash: tx(9),
      openLogIndex: 1,
      openBlockNumber: 30n,
      openTimestamp: at(30),
    });
    const data = await statement(mine);
    expect(data).toMatchObject({ opening: [inMusd("3"), inStock("0")], rows: [{ delta: "2" }] });
    expect((await statement(mine, { to: String(from + 29) })).closing).toMatchObject([
      { available: "3" },
      {},
    ]);
  });

  it("has the fee of each cash operation in mUSD, once it is known", async () => {
    const operation = (opId: number, kind: "deposit" | "withdraw", amounts: Row<"cashOperation">) =>
      onchain.insert("cashOperation", {
        ...scope,
        opId: id(opId),
        kind,
        userAddress: USER,
        tokenAddress: CASH,
        txHash: tx(opId),
        ...amounts,
      });
    await operation(1, "deposit", { tokenAmount: 10_000_000n, wadAmount: 9n * WAD, usdRate: 1_000_000n });
    await operation(2, "withdraw", { tokenAmount: 4_000_000n, wadAmount: 9n * WAD, usdRate: 2_000_000n });
    await operation(3, "withdraw", { tokenAmount: null, wadAmount: 5n * WAD, usdRate: null });
    await operation(4, "deposit", { tokenAmount: 1_000_000n, wadAmount: 2n * WAD, usdRate: 1_000_000n });
    for (const [seconds, kind] of [
      [1, "deposit"],
      [2, "withdraw"],
      [3, "withdraw"],
      [4, "deposit"],
    ] as const)
      await activity(seconds, { kind, causeId: id(seconds), delta: WAD });
    await activity(5, { kind: "stock-deposit", asset: STOCK, causeId: id(5), delta: WAD });
    await balances({});
    const { rows } = await statement({ ...scope, keyId: null });
    expect(rows.map(({ operationId, fee }) => [operationId, fee])).toEqual([
      [id(1), "1"],
      [id(2), "1"],
      [id(3), null],
      [id(4), "0"],
      [id(5), null],
    ]);
  });

  it("names a cause to the key that owns it alone", async () => {
    await aBuy();
    const causes = async (viewer: Viewer) => (await statement(viewer)).rows.map(({ orderId }) => orderId);
    expect(await causes(mine)).toEqual([id(1), id(1), id(1), id(1), id(1), null]);
    expect(await causes(other)).toEqual([null, null, null, null, null, null]);
  });

  it.each([1, 2, 4])(
    "in pages of %i is the same statement, which ends where it ended when it began",
    async (size) => {
      await aBuy();
      const whole = await statement(mine);
      const pages = [await statement(mine, { limit: String(size) })];
      await onchain.setBlock(CHAIN_ID, { number: 60n, timestamp: BigInt(INDEXED + 100) });
      await activity(100_050, { delta: WAD, blockNumber: 59n });
      await onchain.update("cashBalance", { ...scope, userAddress: USER }, { available: 801n * WAD });
      for (let cursor = pages[0]?.nextCursor; cursor; cursor = pages.at(-1)?.nextCursor)
        pages.push(await statement(mine, { limit: String(size), cursor }));
      expect(pages.flatMap(({ rows }) => rows)).toEqual(whole.rows);
      expect(pages.map(({ opening }) => opening)).toEqual(
        pages.map((_, n) => (n === 0 ? whole.opening : null)),
      );
      expect(pages.map(({ closing }) => closing)).toEqual(
        pages.map((_, n) => (n === pages.length - 1 ? whole.closing : null)),
      );
    },
  );

  it("as CSV is one file in as many pages as there are", async () => {
    await aBuy();
    const to = String(from + 15);
    const { csv, rows } = await statement(mine, { to, format: "csv" });
    const activityId = (await statement(mine, { to })).rows[0]?.activityId;
    const stock = getAddress(STOCK);
    expect({ csv, rows }).toEqual({
      csv: [
        "timestamp,kind,asset,stockAddress,delta,balanceAfter,lockedDelta,lockedAfter,fillQuantity,fillPrice,fillNotional,fee,orderId,operationId,txHash,blockNumber,activityId,multiplierBefore,multiplierAfter",
        `${from},opening,mUSD,,,1000,,0,,,,,,,,,,,`,
        `${from},opening,AAPL,${stock},,0,,0,,,,,,,,,,,`,
        `${from + 10},order-placed,mUSD,,-210,790,210,,,,,,${id(1)},,${tx(1)},10,${activityId},,`,
        `${to},closing,mUSD,,,790,,210,,,,,,,,,,,`,
        `${to},closing,AAPL,${stock},,0,,0,,,,,,,,,,,`,
        "",
      ].join("\r\n"),
      rows: [],
    });
    const whole = (await statement(mine, { format: "csv" })).csv;
    let file = "";
    let cursor: string | null | undefined;
    do {
      const page = await statement(mine, { format: "csv", limit: "2", cursor });
      file += page.csv;
      cursor = page.nextCursor;
    } while (cursor);
    expect(file).toBe(whole);
  });

  it("lets no spreadsheet calculate a symbol", async () => {
    await onchain.update("stockToken", { tokenAddress: STOCK }, { symbol: '=HYPERLINK("x",1)' });
    await balances({});
    expect((await statement(mine, { format: "csv" })).csv).toContain(`,"'=HYPERLINK(""x"",1)",`);
  });

  const YEAR = 366 * 24 * 60 * 60;
  it.each([
    ["milliseconds", { from: String(from * 1000) }, "from"],
    ["an end before the beginning", { to: String(from - 1) }, "from"],
    ["more than 366 days", { to: String(from + YEAR + 1) }, "from"],
    ["more than 366 days until now", { from: String(INDEXED - YEAR - 1) }, "from"],
    ["another format", { format: "xml" }, "format"],
    ["a user that is no address", { userId: "0x12" }, "userId"],
    ["a cursor that is none", { cursor: "WzE" }, "cursor"],
  ])("refuses %s", async (_what, input, param) => {
    await expectRefusal(statement(mine, input), "VALIDATION_FAILED", param);
  });

  it("without a beginning is of the last 30 days", async () => {
    const days = 30 * 24 * 60 * 60;
    expect(await statement(mine, { from: undefined })).toMatchObject({ from: INDEXED - days, to: INDEXED });
    const to = from - 10;
    expect(await statement(mine, { from: undefined, to: String(to) })).toMatchObject({ from: to - days, to });
    expect(await statement(mine, { from: undefined, to: "5" })).toMatchObject({ from: 0, to: 5 });
  });

  it("takes 366 days", async () => {
    expect(await statement(mine, { to: String(from + YEAR) })).toMatchObject({ rows: [] });
  });

  it("refuses a cursor of another user's, another beginning's or another end's statement", async () => {
    await aBuy();
    const { nextCursor: cursor } = await statement(mine, { limit: "1" });
    for (const input of [{ userId: STOCK }, { from: String(from - 1) }, { to: String(INDEXED - 1) }])
      await expectRefusal(statement(mine, { ...input, cursor }), "VALIDATION_FAILED", "cursor");
    await expectRefusal(
      statement({ ...mine, productType: "Other" }, { cursor }),
      "VALIDATION_FAILED",
      "cursor",
    );
    expect((await statement(mine, { to: String(INDEXED), cursor })).rows).toHaveLength(5);
  });

  it.each([
    ["an asset that the database does not take", { position: [1_000, 10, 1, "\u0000"], from, to: INDEXED }],
    ["an end that is none", { position: [1_000, 10, 1, "mUSD"], from, to: -1 }],
    ["a position alone", [1_000, 10, 1, "mUSD"]],
  ])("refuses a cursor that a caller sealed over %s", async (_what, place) => {
    const name = { list: `statement ${USER}`, chainId: CHAIN_ID, productType: PRODUCT };
    await expectRefusal(statement(mine, { cursor: sealCursor(name, place) }), "VALIDATION_FAILED", "cursor");
  });
});
