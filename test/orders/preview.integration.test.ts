import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { type Hex, type LocalAccount, parseEther, parseEventLogs, type TransactionReceipt } from "viem";
import { sendAll } from "../../packages/sandbox/src/transact.ts";
import type { Caller } from "../../src/auth/caller.ts";
import type { Preflight } from "../../src/context/schema-types.ts";
import { cashierAbi, stockAbi } from "../../src/contracts/abi/index.ts";
import { formatDecimal, formatWad } from "../../src/protocol/decimal.ts";
import { ApiError, type ErrCode } from "../../src/protocol/errors.ts";
import { cashier, cashToken, DAY, LATER, router, stock, stockToken } from "../contracts/calls.ts";
import { expectRefusal } from "../support/assert/errors.ts";
import { LONG } from "../support/assert/long.ts";
import { SEED } from "../support/assert/seeded-random.ts";
import { present } from "../support/assert/until.ts";
import { account, type Product, send, snapshot, startProduct } from "../support/chain/product.ts";
import { createOnchain, type Onchain } from "../support/db/onchain.ts";
import { seedTerms } from "../support/db/seed.ts";
import { type Features, lower, startFeatures } from "../support/http/features.ts";
import { orderCalldata, orderPreview, orderWithDepositCalldata } from "../support/http/verbs.ts";

// POST /orders/preview against the contracts: what it says an order locks, costs and brings is what they lock, charge and pay, and
// what it says is refused reverts.

let product: Product;
let features: Features;
let onchain: Onchain;
let caller: Caller;
let ann: LocalAccount;
let aapl: Hex;
let goBack: () => Promise<void>;

beforeAll(async () => {
  product = await startProduct({ users: 1 });
  features = await startFeatures([{ deployment: product.deployment, rpcUrls: [product.rpcUrl] }]);
  onchain = await createOnchain(features.deps.pool);
  caller = await features.makeCaller();
  ann = present(product.users[0], "a user");
  aapl = present(product.deployment.stockTokens[0], "a stock").address;
});

afterAll(async () => {
  await features?.close();
  await product?.stop();
});

beforeEach(startAfresh);

async function startAfresh(): Promise<void> {
  await goBack?.();
  goBack = await snapshot(product.client);
  await onchain.clear();
  await seedTerms(onchain, product);
  features.market.prices = new Map([["AAPL", "200"]]);
  features.market.down = false;
}

const WAD = 10n ** 18n;
type Args = Record<string, unknown>;
const order = (args: Args) => ({ stockAddress: aapl, deadline: LATER, ...args });
const preview = async (args: Args): Promise<Preflight> =>
  (await orderPreview(features.deps, caller, order(args))).data;

/** Terms of the product, and the quote, that a case is tried under. */
interface Terms {
  buyFeeBps: number;
  sellFeeBps: number;
  minFeeWad: bigint;
  multiplier: bigint;
  /** Of the stock, six decimals. */
  quote: bigint;
  /** mUSD wad that the Cashier may credit at once. */
  creditBuffer: bigint;
}

/** A deposit in the same call, and the allowance for it; base units. */
interface Deposit {
  /** Of cash: which token. */
  index: 0 | 1;
  /** Hundredths of a token. */
  cents: bigint;
  allowance: "none" | "short" | "exact" | "unlimited";
}

interface Case {
  terms: Terms;
  side: "Buy" | "Sell";
  type: "Market" | "Limit";
  /** mUSD wad that the order is worth, from 1 mUSD on; odd down to the last digit. */
  value: bigint;
  price: bigint;
  deposit: Deposit | null;
}

const wads = (low: string, high: string) => fc.bigInt(parseEther(low), parseEther(high));
const bps = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 10_000 }));
const cases: fc.Arbitrary<Case> = fc.record({
  terms: fc.record({
    buyFeeBps: bps,
    sellFeeBps: bps,
    // Beyond the smallest order, whose fee then leaves nothing.
    minFeeWad: fc.oneof(fc.constant(0n), wads("0", "0.5"), wads("0", "40")),
    multiplier: fc.oneof(fc.constant(WAD), wads("0.01", "20")),
    quote: fc.bigInt(1_000n, 900_000_000n),
    creditBuffer: fc.oneof({ weight: 3, arbitrary: fc.constant(parseEther("1000000")) }, wads("0", "5000")),
  }),
  side: fc.constantFrom("Buy", "Sell"),
  type: fc.constantFrom("Market", "Limit"),
  // Users have 50,000 mUSD, and 100 tokens on the exchange and 1,000 in the wallet.
  value: fc.oneof(wads("1", "8"), wads("1", "50"), wads("1", "90000")),
  price: wads("0.1", "900"),
  deposit: fc.option(
    fc.record({
      index: fc.constantFrom(0 as const, 1 as const),
      cents: fc.bigInt(100n, 12_000_000n),
      allowance: fc.constantFrom("none", "short", "exact", "unlimited"),
    }),
  ),
});

/** Sets the terms on the chain, and in the index as the indexer would. */
async function configure(terms: Terms): Promise<void> {
  const { cashier: cashierAddress, stock: stockAddress } = product.deployment;
  const { buyFeeBps, sellFeeBps, minFeeWad, multiplier, creditBuffer } = terms;
  const capacity = parseEther("2000000");
  const step = (to: Hex, data: Hex) => ({ name: "configure", to, data, gas: 300_000n });
  await sendAll(product.client, product.deployer, [
    step(stockAddress, stock("setFeeConfig", { buyFeeBps, sellFeeBps, minFeeWad })),
    step(aapl, stockToken("setMultiplier", multiplier)),
    step(cashierAddress, cashier("setCreditBuffer", creditBuffer, capacity)),
  ]);
  await onchain.clear();
  await seedTerms(onchain, product);
  await onchain.update("stockToken", { tokenAddress: aapl }, { multiplier });
  features.market.prices = new Map([["AAPL", formatDecimal(terms.quote, 6)]]);
}

/** Returns one order as a request, and as a call that this test encodes itself. */
interface Order {
  args: Args;
  data: Hex;
  /** Token that is deposited with it. */
  paysWith: Hex | null;
  depositAmount: bigint;
}

const NO_DEPOSIT = { paysWith: null, depositAmount: 0n };

function orderOf({ terms, side, type, value, price, deposit }: Case): Order {
  const worth = (terms.quote * 10n ** 12n * terms.multiplier) / WAD;
  const quantity = (value * WAD) / (type === "Limit" ? price : worth) + 1n;
  const asked = termsOf({ side, type, notional: value, quantity, price });
  const cash = deposit && product.deployment.cashTokens[deposit.index];
  const sold = side === "Sell";
  const signed = sold ? -quantity : quantity;
  const marketAmount = sold ? -quantity : value;
  if (!deposit || !cash) {
    const data =
      type === "Market"
        ? router("placeMarketOrder", aapl, marketAmount, LATER)
        : router("placeLimitOrder", aapl, signed, price, DAY, LATER);
    return { args: asked, data, ...NO_DEPOSIT };
  }
  const decimals = sold ? 18 : cash.decimals;
  const amount = deposit.cents * 10n ** BigInt(decimals - 2);
  const token = sold ? aapl : cash.address;
  const paid = { paysWith: token, depositAmount: amount };
  const args = { ...asked, tokenAddress: token, tokenAmount: formatDecimal(amount, decimals) };
  return { args, data: combinedCall({ side, type, amount, token, marketAmount, signed, price }), ...paid };
}

const termsOf = ({ side, type, notional, quantity, price }: Record<string, unknown>): Args => {
  const common = { side, type, userAddress: ann.address };
  if (type === "Limit")
    return {
      ...common,
      quantity: formatWad(quantity as bigint),
      price: formatWad(price as bigint),
      timeInForce: "DAY",
    };
  return side === "Buy"
    ? { ...common, notional: formatWad(notional as bigint) }
    : { ...common, quantity: formatWad(quantity as bigint) };
};

interface Combined {
  side: Case["side"];
  type: Case["type"];
  amount: bigint;
  token: Hex;
  marketAmount: bigint;
  signed: bigint;
  price: bigint;
}

function combinedCall({ side, type, amount, token, marketAmount, signed, price }: Combined): Hex {
  if (side === "Sell")
    return type === "Market"
      ? router("depositStockAndMarketSell", aapl, amount, signed, LATER)
      : router("depositStockAndLimitSell", aapl, amount, signed, price, DAY, LATER);
  return type === "Market"
    ? router("depositAndMarketBuy", token, amount, aapl, marketAmount, LATER)
    : router("depositAndLimitBuy", token, amount, aapl, signed, price, DAY, LATER);
}

/** Lets the router take as much as the case says. */
async function allow({ paysWith, depositAmount }: Order, deposit: Deposit | null): Promise<void> {
  if (!paysWith || !deposit) return;
  const allowance = {
    none: 0n,
    short: depositAmount - 1n,
    exact: depositAmount,
    unlimited: 2n ** 256n - 1n,
  }[deposit.allowance];
  const data = cashToken("approve", product.deployment.stockRouter, allowance);
  await send(product.client, ann, paysWith, data);
}

/** Sends a call, and returns its receipt, or the custom error that it reverted with. */
async function submit(data: Hex): Promise<TransactionReceipt | string> {
  try {
    return await send(product.client, ann, product.deployment.stockRouter, data);
  } catch (error) {
    const reverted = /reverted: (\w+)\(/.exec(String(error));
    if (reverted?.[1]) return reverted[1];
    throw error;
  }
}

const ofCashier = (functionName: "balanceWad" | "lockedWad") =>
  product.client.readContract({
    address: product.deployment.cashier,
    abi: cashierAbi,
    functionName,
    args: [ann.address],
  });
const ofStock = (functionName: "stockBalance" | "lockedStock") =>
  product.client.readContract({
    address: product.deployment.stock,
    abi: stockAbi,
    functionName,
    args: [ann.address, aapl],
  });
const ledger = async () => {
  const [mUsd, lockedUsd, shares, lockedShares] = await Promise.all([
    ofCashier("balanceWad"),
    ofCashier("lockedWad"),
    ofStock("stockBalance"),
    ofStock("lockedStock"),
  ]);
  return { mUsd, lockedUsd, shares, lockedShares };
};

/** Fills an order whole at a price, as the broker does, and returns the fee that the contract charged. */
async function fill(placed: TransactionReceipt, price: bigint): Promise<bigint> {
  const [event] = parseEventLogs({
    abi: stockAbi,
    eventName: ["MarketOrderPlaced", "LimitOrderPlaced"],
    logs: placed.logs,
  });
  const { args, eventName } = present(event, "the order's event");
  const data =
    eventName === "MarketOrderPlaced"
      ? stock("settleMarketOrders", [args.orderId], [price])
      : stock(
          "settleLimitOrders",
          [args.orderId],
          [args.quantity < 0n ? -args.quantity : args.quantity],
          [price],
        );
  const { logs } = await send(product.client, product.settler, product.deployment.stock, data);
  const [settled] = parseEventLogs({
    abi: stockAbi,
    eventName: ["MarketOrderSettled", "LimitOrderFilled"],
    logs,
  });
  const fees = present(settled, "the fill").args;
  return fees.mintFee + fees.protocolFee;
}

/** Names of the custom errors that a refusal stands for. */
const REVERTS: Partial<Record<ErrCode, RegExp>> = {
  BELOW_MINIMUM: /^AmountTooSmall$/,
  BALANCE_INSUFFICIENT:
    /^(InsufficientBalanceWad|InsufficientStockBalance|ERC20InsufficientBalance|ERC20InsufficientAllowance)$/,
  ALLOWANCE_INSUFFICIENT: /^ERC20InsufficientAllowance$/,
  DEPOSIT_NOT_INSTANT: /^DepositNotInstant$/,
};

/** Returns the preview, or the errCode that the request is refused with. */
async function previewOrErrCode(args: Args): Promise<Preflight | ErrCode> {
  try {
    return await preview(args);
  } catch (error) {
    if (error instanceof ApiError) return error.errCode;
    throw error;
  }
}

describe(`random orders (TEST_SEED=${SEED})`, () => {
  it("lock, cost and bring what their preview says; the chain takes those that it accepts, and no others", async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        await startAfresh();
        await configure(given.terms);
        const made = orderOf(given);
        await allow(made, given.deposit);
        const told = await previewOrErrCode(made.args);
        const before = await ledger();
        const sent = await submit(made.data);
        const reason = typeof told === "string" ? told : told.reason;
        seen.set(`${reason}`, (seen.get(`${reason}`) ?? 0) + 1);
        if (typeof sent === "string" || typeof told === "string" || reason) {
          expect({ given, reason, reverted: sent }).toEqual({
            given,
            reason: expect.any(String),
            reverted: expect.stringMatching(REVERTS[reason as ErrCode] ?? /^ no other reason is expected$/),
          });
          return;
        }
        await expectPreviewed({ given, told, before, placed: sent });
      }),
      { seed: SEED, numRuns: LONG ? 400 : 40, endOnFailure: true },
    );
    const reasons = ["null", "BALANCE_INSUFFICIENT", "ALLOWANCE_INSUFFICIENT"];
    expect({ seen, missing: reasons.filter((reason) => !seen.has(reason)) }).toEqual({ seen, missing: [] });
  }, 240_000);
});

interface Placed {
  given: Case;
  told: Preflight;
  before: Awaited<ReturnType<typeof ledger>>;
  placed: TransactionReceipt;
}

/** Compares what a preview told with what the chain locked, and, once it is filled, charged and paid. */
async function expectPreviewed({ given, told, before, placed }: Placed): Promise<void> {
  const sold = given.side === "Sell";
  const open = await ledger();
  const lockedNow = sold ? open.lockedShares - before.lockedShares : open.lockedUsd - before.lockedUsd;
  const [credited] = parseEventLogs({ abi: cashierAbi, eventName: "InstantDeposit", logs: placed.logs });
  const price = present(told.estimate, "an estimate").price;
  const fee = await fill(placed, parseEther(price));
  const filled = await ledger();
  const deposited = sold && given.deposit ? parseEther(formatDecimal(given.deposit.cents, 2)) : 0n;
  const received = sold ? filled.mUsd - before.mUsd : filled.shares - before.shares - deposited;
  expect({
    given,
    locked: told.locked,
    fee: told.fee?.amount,
    receives: told.estimate?.receives,
    credit: told.forecast?.creditAmount ?? null,
  }).toEqual({
    given,
    locked: { ...assetOf(sold), amount: formatWad(lockedNow) },
    fee: formatWad(fee),
    receives: { ...assetOf(!sold), amount: formatWad(received) },
    credit: credited ? formatWad(credited.args.creditWad) : null,
  });
}

const assetOf = (isStock: boolean) =>
  isStock
    ? { asset: "AAPL", assetAddress: expect.stringMatching(new RegExp(`^${aapl}$`, "i")) }
    : { asset: "mUSD", assetAddress: null };

describe("a preview", () => {
  const buy = { side: "Buy", type: "Market", notional: "100" };
  const limit = { type: "Limit", quantity: "2", price: "100", timeInForce: "DAY" };

  it("is what the preflight of the order's calldata is, alone and with a deposit", async () => {
    const user = { userAddress: ann.address };
    const usdc = present(product.deployment.cashTokens[0], "USDC").address;
    const paid = { ...user, ...limit, side: "Buy", tokenAddress: usdc, tokenAmount: "20" };
    const [plain, combined] = [
      (await orderCalldata(features.deps, caller, order({ ...buy, ...user }))).data,
      (await orderWithDepositCalldata(features.deps, caller, order(paid))).data,
    ];
    // Every call has a suffix of its own, whose bytes cost gas.
    const gasEstimate = expect.stringMatching(/^\d+$/);
    expect({ ...plain.preflight, gasEstimate }).toEqual({
      ...(await preview({ ...buy, ...user })),
      gasEstimate,
    });
    expect({ ...combined.preflight, gasEstimate }).toEqual({ ...(await preview(paid)), gasEstimate });
    expect(combined.preflight).toMatchObject({
      accepted: true,
      forecast: { isInstant: true, creditAmount: "20" },
      minimum: { notional: "1", quantity: "0.01", tokenAmount: "1" },
    });
  });

  it("of no wallet says what is the same for every wallet, and asks no node", async () => {
    const nowhere = await startFeatures([
      { deployment: product.deployment, rpcUrls: ["http://127.0.0.1:1"] },
    ]);
    try {
      await seedTerms(await createOnchain(nowhere.deps.pool), product);
      nowhere.market.prices = new Map([["AAPL", "200"]]);
      const { data } = await orderPreview(nowhere.deps, await nowhere.makeCaller(), order(buy));
      expect(data).toMatchObject({
        accepted: true,
        reason: null,
        checks: [],
        gasEstimate: null,
        revert: null,
        locked: { asset: "mUSD", assetAddress: null, amount: "100" },
        estimate: { price: "200", stale: false, receives: { asset: "AAPL" } },
      });
      await expectRefusal(
        orderPreview(nowhere.deps, caller, order({ ...buy, userAddress: ann.address })),
        "RPC_UNAVAILABLE",
      );
    } finally {
      await nowhere.close();
    }
  });

  it("of a buy that its fee leaves nothing for is not accepted, whoever asks", async () => {
    await onchain.update("feeConfig", { chainId: 31337 }, { minFeeWad: parseEther("2") });
    const told = await preview({ ...buy, notional: "2" });
    expect(told).toMatchObject({ accepted: false, ok: false, reason: "BELOW_MINIMUM", fee: { amount: "2" } });
    expect(told.minimum?.notional).toBe("2.000000000000000001");
    expect(await preview({ ...buy, notional: "2.000000000000000001" })).toMatchObject({ accepted: true });
  });

  it("of a sell that its fee takes all of is accepted, and brings nothing", async () => {
    await onchain.update("feeConfig", { chainId: 31337 }, { minFeeWad: parseEther("2") });
    expect(await preview({ side: "Sell", type: "Market", quantity: "0.005" })).toMatchObject({
      accepted: true,
      fee: { amount: "1", minimum: "2" },
      estimate: { receives: { asset: "mUSD", amount: "0" } },
    });
  });

  it("without a quote has no estimate, and no fee of a market sell; a limit order needs none", async () => {
    features.market.down = true;
    expect(await preview(buy)).toMatchObject({ accepted: true, fee: { amount: "0.1" }, estimate: null });
    expect(await preview({ side: "Sell", type: "Market", quantity: "2" })).toMatchObject({
      accepted: true,
      locked: { amount: "2" },
      fee: { amount: null },
      minimum: { quantity: null },
      estimate: null,
    });
    expect(await preview({ ...limit, side: "Sell" })).toMatchObject({ estimate: { price: "100" } });
  });

  it("tells the revert of what no check foresees", async () => {
    await send(product.client, product.deployer, product.deployment.stock, stock("setTradable", aapl, false));
    expect(await preview({ ...buy, userAddress: ann.address })).toMatchObject({
      accepted: false,
      reason: "CHAIN_REVERT",
      revert: "InvalidStockToken",
      checks: [{ ok: true }],
    });
  });

  it("names the smallest quantity that is taken", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt(1_000n, 900_000_000n),
        wads("0.01", "20"),
        fc.constantFrom({ ...limit, side: "Sell" }, { side: "Sell", type: "Market" }),
        async (quote, multiplier, kind) => {
          const price = formatDecimal(quote, 6);
          await onchain.update("stockToken", { tokenAddress: aapl }, { multiplier });
          features.market.prices = new Map([["AAPL", price]]);
          const at = { ...kind, ...("price" in kind ? { price } : {}), quantity: "99999999" };
          const smallest = present((await preview(at)).minimum?.quantity, "the smallest quantity");
          expect((await preview({ ...at, quantity: smallest })).minimum?.quantity).toBe(smallest);
          const less = formatWad(parseEther(smallest) - 1n);
          await expectRefusal(preview({ ...at, quantity: less }), "BELOW_MINIMUM", "quantity");
        },
      ),
      { seed: SEED, numRuns: 30 },
    );
  });

  it.each<[string, Args, ErrCode, string]>([
    ["no notional", { side: "Buy", type: "Market" }, "NOTIONAL_REQUIRED", "notional"],
    ["a passed deadline", { ...buy, deadline: 1 }, "DEADLINE_EXPIRED", "deadline"],
    ["too small an order", { ...buy, notional: "0.99" }, "BELOW_MINIMUM", "notional"],
    ["a deposit without its token", { ...buy, tokenAmount: "20" }, "VALIDATION_FAILED", "tokenAddress"],
    [
      "a deposit without its amount",
      { ...buy, tokenAddress: `0x${"99".repeat(20)}` },
      "VALIDATION_FAILED",
      "tokenAmount",
    ],
    [
      "a deposit of another stock than is sold",
      { ...limit, side: "Sell", tokenAddress: `0x${"99".repeat(20)}` },
      "VALIDATION_FAILED",
      "tokenAddress",
    ],
  ])("is refused as calldata is: %s", async (_what, args, errCode, param) => {
    await expectRefusal(preview(args), errCode, param);
  });

  it("works for a wallet that holds nothing", async () => {
    expect(await preview({ ...buy, userAddress: lower(account(11).address) })).toMatchObject({
      accepted: false,
      reason: "BALANCE_INSUFFICIENT",
      revert: "InsufficientBalanceWad",
      locked: { amount: "100" },
    });
  });
});
