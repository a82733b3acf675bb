import { describe, expect, it } from "@jest/globals";
import { getAddress, Interface, Transaction } from "ethers";
import fc from "fast-check";
import type { Caller } from "../../src/auth/caller.ts";
import { createChains } from "../../src/chain/clients.ts";
import type { Deployments } from "../../src/config/deployments.ts";
import type { Deps } from "../../src/context/deps.ts";
import { parseInput } from "../../src/context/input/fields.ts";
import { Prisma, type PrismaClient } from "../../src/db/generated/client.ts";
import { operationCalldataShape } from "../../src/operations/input.ts";
import { prepareOperation } from "../../src/operations/prepare.ts";
import { formatDecimal } from "../../src/protocol/decimal.ts";
import { ApiError, ERROR_CATALOGUE } from "../../src/protocol/errors.ts";
import type { OperationKind } from "../../src/protocol/operations.ts";
import { anyCharacter } from "../support/assert/arbitrary-text.ts";
import { LONG } from "../support/assert/long.ts";
import { SEED } from "../support/assert/seeded-random.ts";
import { orderCalldata, orderWithDepositCalldata } from "../support/http/verbs.ts";

// Any order or movement, from the arguments of a request to its calldata: ethers, which the server does not use, must
// read exactly what was asked for; what is wrong is refused by the name of the field; nothing is our fault.

const RUNS = { seed: SEED, numRuns: LONG ? 1_000 : 200 };

/** docs/contracts.md#stockrouter, word for word. */
const router = new Interface([
  "function deposit(address token, uint96 amount)",
  "function withdraw(address token, uint96 amountWad)",
  "function depositStock(address stockToken, uint256 amount)",
  "function withdrawStock(address stockToken, uint256 amount)",
  "function placeMarketOrder(address stockToken, int96 amount, uint32 deadline)",
  "function placeLimitOrder(address stockToken, int96 quantity, uint96 price, uint8 tif, uint32 deadline)",
  "function depositAndMarketBuy(address depositToken, uint96 depositAmount, address stockToken, int96 usdAmount, uint32 deadline)",
  "function depositAndLimitBuy(address depositToken, uint96 depositAmount, address stockToken, int96 quantity, uint96 price, uint8 tif, uint32 deadline)",
  "function depositStockAndMarketSell(address stockToken, uint256 depositAmount, int96 quantity, uint32 deadline)",
  "function depositStockAndLimitSell(address stockToken, uint256 depositAmount, int96 quantity, uint96 price, uint8 tif, uint32 deadline)",
]);

const NOW = 1_800_000_000_000;
const ROUTER = `0x${"71".repeat(20)}` as const;
const STOCK = `0x${"ab57".repeat(10)}` as const;
const CASH = { 6: `0x${"ca06".repeat(10)}`, 18: `0x${"ca18".repeat(10)}` } as const;
const MAX_UINT96 = 2n ** 96n - 1n;
const MAX_INT96 = 2n ** 95n - 1n;
const MAX_UINT256 = 2n ** 256n - 1n;
const WAD = 10n ** 18n;

/** Returns deps with an index of one stock and two cash tokens, with room for every deposit. */
function fakeDeps(): Deps {
  const deployments: Deployments = {
    chains: [
      {
        chainId: 1,
        rpcUrls: ["http://127.0.0.1:1"],
        wsUrls: [],
        confirmations: 1,
        pollingIntervalMs: 1000,
        multicall3: null,
        ephemeral: false,
        products: [
          {
            productType: "Stocks",
            startBlock: 0,
            contracts: { stockRouter: ROUTER, cashier: ROUTER, stock: ROUTER, oneClickRouter: ROUTER },
            minNotional: "1",
          },
        ],
      },
    ],
  };
  const amount = (value: bigint | string) => new Prisma.Decimal(String(value));
  const huge = amount(2n ** 200n);
  const cashTokens = ([6, 18] as const).map((decimals) => ({
    tokenAddress: CASH[decimals],
    decimals,
    minAmount: amount(0n),
    usdRate: amount("1000000"),
    depositPaused: false,
    withdrawPaused: false,
    withdrawBuffer: amount(0n),
    withdrawBufferCapacity: huge,
    depositFeeBps: 0,
    withdrawFeeBps: 0,
  }));
  const token = { tokenAddress: STOCK, symbol: "AAPL", tradable: true, multiplier: amount(WAD) };
  const checkpoint = `1800000000${"1".padStart(16, "0")}${"9".padStart(16, "0")}${"0".repeat(33)}`;
  const index = {
    $queryRawUnsafe: async () => [{ checkpoint, build: "test" }],
    stockToken: { findMany: async () => [token] },
    cashToken: { findMany: async () => cashTokens },
    cashierState: { findFirst: async () => ({ creditBuffer: huge, creditBufferCapacity: huge }) },
    feeConfig: { findFirst: async () => ({ buyFeeBps: 10, sellFeeBps: 10, minFeeWad: amount(0n) }) },
  };
  return {
    prisma: { $transaction: (read: (at: typeof index) => unknown) => read(index) } as unknown as PrismaClient,
    deployments,
    chains: createChains(deployments),
    marketData: { quote: async () => null },
    attributionKeys: [{ id: "test", key: new Uint8Array(32) }],
    now: () => NOW,
  } as unknown as Deps;
}

const deps = fakeDeps();
const caller: Caller = {
  keyId: "00000000-0000-4000-8000-000000000000",
  apiKey: "pk_test",
  access: "WRITABLE",
  chainId: 1,
  productType: "Stocks",
  userAddress: null,
};

type Args = Record<string, unknown>;
type Build = (args: Args) => Promise<{ callData: string; toAddress: string; method: string }>;
const operation =
  (kind: OperationKind): Build =>
  async (args) =>
    (await prepareOperation(deps, caller, kind, parseInput(operationCalldataShape, args))).call;
const BUILD = {
  order: async (args: Args) => (await orderCalldata(deps, caller, args)).data,
  withDeposit: async (args: Args) => (await orderWithDepositCalldata(deps, caller, args)).data,
  cashDeposit: operation("deposit"),
  cashWithdrawal: operation("withdraw"),
  stockDeposit: operation("stock-deposit"),
  stockWithdrawal: operation("stock-withdraw"),
} satisfies Record<string, Build>;
type Kind = keyof typeof BUILD;

/** A request, and the call that it asks for. */
interface Asked {
  kind: Kind;
  args: Record<string, unknown>;
  method: string;
  values: bigint[] | (string | bigint)[];
}

/** Returns the decimal text of an amount, with insignificant zeros behind it. */
const written = (amount: bigint, decimals: number, zeros: number): string => {
  const text = formatDecimal(amount, decimals);
  const fraction = text.split(".")[1]?.length ?? 0;
  const room = Math.min(zeros, decimals - fraction);
  if (room <= 0) return text;
  return `${text}${fraction === 0 ? "." : ""}${"0".repeat(room)}`;
};
/** Amounts of every magnitude, the limits among them. */
const upTo = (max: bigint, min = 1n): fc.Arbitrary<bigint> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.integer({ min: 1, max: max.toString(2).length }).chain((bits) => {
        const top = 2n ** BigInt(bits) < max ? 2n ** BigInt(bits) : max;
        return fc.bigInt({ min, max: top < min ? min : top });
      }),
    },
    { weight: 1, arbitrary: fc.constantFrom(min, max) },
  );
const zeros = fc.nat(4);
const deadline = fc.integer({ min: NOW / 1000 + 1, max: 4_294_967_295 });
/** Generates an address in any case. */
const cased = (address: string) =>
  fc.constantFrom(address, getAddress(address), `0x${address.slice(2).toUpperCase()}`);
const stockBy = fc.oneof(
  cased(STOCK).map((stockAddress) => ({ stockAddress })),
  fc.constantFrom("AAPL", "aapl", "aApL").map((symbol) => ({ symbol })),
);
const side = fc.constantFrom("Buy" as const, "Sell" as const);
const cashDecimals = fc.constantFrom(6 as const, 18 as const);

interface Terms {
  args: Record<string, unknown>;
  side: "Buy" | "Sell";
  limit: boolean;
  /** Arguments of the router: the signed amount, and the price and time in force of a limit order. */
  values: bigint[];
  size: bigint;
}

const marketTerms: fc.Arbitrary<Terms> = fc
  .record({ side, amount: upTo(MAX_INT96, WAD), zeros, day: fc.boolean() })
  .map(({ side: which, amount, zeros: padded, day }) => ({
    args: {
      side: which,
      type: "Market",
      [which === "Buy" ? "notional" : "quantity"]: written(amount, 18, padded),
      ...(day ? { timeInForce: "DAY" } : {}),
    },
    side: which,
    limit: false,
    values: [which === "Buy" ? amount : -amount],
    size: amount,
  }));

const limitTerms: fc.Arbitrary<Terms> = fc
  .record({ side, quantity: upTo(MAX_INT96, WAD), price: upTo(MAX_UINT96, WAD), zeros })
  .map(({ side: which, quantity, price, zeros: padded }) => ({
    args: {
      side: which,
      type: "Limit",
      quantity: written(quantity, 18, padded),
      price: written(price, 18, padded),
      timeInForce: "DAY",
    },
    side: which,
    limit: true,
    values: [which === "Buy" ? quantity : -quantity, price, 0n],
    size: quantity,
  }));

const orders: fc.Arbitrary<Asked> = fc
  .record({ terms: fc.oneof(marketTerms, limitTerms), until: deadline, token: stockBy })
  .map(({ terms, until, token }) => ({
    kind: "order" as const,
    args: { ...terms.args, ...token, deadline: `${until}` },
    method: terms.limit ? "placeLimitOrder" : "placeMarketOrder",
    values: [STOCK, ...terms.values, BigInt(until)],
  }));

const ordersWithDeposit: fc.Arbitrary<Asked> = fc
  .record({
    terms: fc.oneof(marketTerms, limitTerms),
    until: deadline,
    token: stockBy,
    decimals: cashDecimals,
    paid: upTo(MAX_UINT96),
    moved: fc.option(upTo(MAX_UINT256)),
    zeros,
  })
  .map(({ terms, until, token, decimals, paid, moved, zeros: padded }): Asked => {
    const args = { ...terms.args, ...token, deadline: `${until}` };
    const kind = "withDeposit" as const;
    if (terms.side === "Buy") {
      return {
        kind,
        args: { ...args, tokenAddress: CASH[decimals], tokenAmount: written(paid, decimals, padded) },
        method: terms.limit ? "depositAndLimitBuy" : "depositAndMarketBuy",
        values: [CASH[decimals], paid, STOCK, ...terms.values, BigInt(until)],
      };
    }
    return {
      kind,
      args: { ...args, ...(moved === null ? {} : { tokenAmount: written(moved, 18, padded) }) },
      method: terms.limit ? "depositStockAndLimitSell" : "depositStockAndMarketSell",
      values: [STOCK, moved ?? terms.size, ...terms.values, BigInt(until)],
    };
  });

const userAddress = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .chain((bytes) => cased(`0x${Buffer.from(bytes).toString("hex")}`));

const cashMovements: fc.Arbitrary<Asked> = fc
  .record({
    user: userAddress,
    decimals: cashDecimals,
    deposit: fc.boolean(),
    amount: upTo(MAX_UINT96),
    zeros,
  })
  .chain(({ decimals, ...rest }) =>
    cased(CASH[decimals]).map((tokenAddress) => ({ ...rest, decimals, tokenAddress })),
  )
  .map(({ user, decimals, deposit, amount, zeros: padded, tokenAddress }) => {
    // A withdrawal names mUSD, of which the token must be able to represent every digit.
    const unit = deposit ? 1n : 10n ** BigInt(18 - decimals);
    const units = amount / unit || 1n;
    return {
      kind: deposit ? ("cashDeposit" as const) : ("cashWithdrawal" as const),
      args: { userAddress: user, tokenAddress, tokenAmount: written(units, decimals, padded) },
      method: deposit ? "deposit" : "withdraw",
      values: [CASH[decimals], units * unit],
    };
  });

const stockMovements: fc.Arbitrary<Asked> = fc
  .record({
    user: userAddress,
    tokenAddress: cased(STOCK),
    deposit: fc.boolean(),
    amount: upTo(MAX_UINT256),
    zeros,
  })
  .map(({ user, tokenAddress, deposit, amount, zeros: padded }) => ({
    kind: deposit ? ("stockDeposit" as const) : ("stockWithdrawal" as const),
    args: { userAddress: user, tokenAddress, tokenAmount: written(amount, 18, padded) },
    method: deposit ? "depositStock" : "withdrawStock",
    values: [STOCK, amount],
  }));

const asked = fc.oneof(orders, ordersWithDeposit, cashMovements, stockMovements);

describe(`of 1,000 random requests (TEST_SEED=${SEED})`, () => {
  it("ethers reads exactly what was asked for", async () => {
    await fc.assert(
      fc.asyncProperty(asked, async ({ kind, args, method, values }) => {
        const call = await BUILD[kind](args);
        expect(call.toAddress.toLowerCase()).toBe(ROUTER);
        const read = router.parseTransaction({ data: call.callData });
        expect(read?.name).toBe(method);
        expect(call.method).toBe(method);
        const got = read?.args.map((arg: unknown) => (typeof arg === "string" ? arg.toLowerCase() : arg));
        expect(got).toEqual(values);
      }),
      RUNS,
    );
  });

  it("one bad field is refused by its name", async () => {
    await fc.assert(
      fc.asyncProperty(spoiled, async ({ kind, args, field }) => {
        const error = await refusalOf(kind, args);
        expect({ args, param: error?.param, status: statusOf(error) }).toEqual({
          args,
          param: field,
          status: 400,
        });
      }),
      RUNS,
    );
  });

  it("nothing at all is our fault", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...kinds), anything, async (kind, args) => {
        const error = await refusalOf(kind, args);
        if (error) expect({ kind, error, status: statusOf(error) }).toEqual({ kind, error, status: 400 });
      }),
      RUNS,
    );
  });

  it("most of anything is refused, so the tests above see refusals", async () => {
    const samples = fc.sample(anything, { seed: SEED, numRuns: 200 });
    const refused = await Promise.all(samples.map((args) => refusalOf("order", args)));
    const count = refused.filter((error) => error !== null).length;
    expect({ refused: count, areMost: count > 150 }).toEqual({ refused: count, areMost: true });
  });
});

const statusOf = (error: ApiError | null) => error && ERROR_CATALOGUE[error.errCode].status;

const kinds = Object.keys(BUILD) as Kind[];

/** Returns the error that refuses a request, or null. @throws any error that is not an ApiError */
async function refusalOf(kind: Kind, args: Args): Promise<ApiError | null> {
  try {
    await BUILD[kind](args);
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const AMOUNTS = ["notional", "quantity", "price", "tokenAmount"];
const badAmount = fc.constantFrom<unknown>(
  "0",
  "0.000",
  "-1",
  "1e",
  "abc",
  "",
  " 1",
  "1,5",
  "0x10",
  "Infinity",
  "NaN",
  "1.0000000000000000000000001",
  "9".repeat(80),
  true,
  {},
  [],
);
const badAddress = fc.constantFrom<unknown>(
  "",
  "0x",
  "0x12",
  `0x${"zz".repeat(20)}`,
  "AAPL",
  true,
  {},
  STOCK.slice(0, -1),
);
const BAD: Record<string, fc.Arbitrary<unknown>> = {
  ...Object.fromEntries(AMOUNTS.map((field) => [field, badAmount])),
  deadline: fc.constantFrom<unknown>(
    "1",
    "0",
    "-5",
    "abc",
    "",
    "1.5",
    "4294967296",
    `${NOW}`,
    `${NOW / 1000}`,
    true,
    {},
  ),
  side: fc.constantFrom<unknown>("buy", "BUY", "", "Hold", true, {}),
  type: fc.constantFrom<unknown>("market", "Stop", "", true, {}),
  timeInForce: fc.constantFrom<unknown>("GTC", "day", "IOC", "X", true, {}),
  stockAddress: badAddress,
  tokenAddress: badAddress,
  userAddress: badAddress,
};

/** A good request with one field spoiled, or taken out where it is needed. */
const spoiled = asked.chain(({ kind, args, method }) => {
  const fields = Object.keys(args).filter((field) => BAD[field]);
  return fc.constantFrom(...fields).chain((field) => {
    const bad = (BAD[field] ?? fc.constant("")).map((value) => ({
      kind,
      field,
      args: { ...args, [field]: value },
    }));
    const optional =
      field === "stockAddress" ||
      (field === "timeInForce" && !method.includes("Limit")) ||
      (field === "tokenAmount" && method.startsWith("depositStockAnd"));
    if (optional) return bad;
    const { [field]: _gone, ...rest } = args as Record<string, unknown>;
    return fc.oneof(
      { weight: 4, arbitrary: bad },
      { weight: 1, arbitrary: fc.constant({ kind, field, args: rest }) },
    );
  });
});

/** Values as they leave the body's parser: numbers are text. */
const value = fc.oneof(
  fc.constantFrom<unknown>(
    "Buy",
    "Sell",
    "Market",
    "Limit",
    "DAY",
    STOCK,
    CASH[6],
    "AAPL",
    "10",
    "0.5",
    "1900000000",
  ),
  fc.string({ unit: anyCharacter, maxLength: 300 }),
  fc.bigInt().map(String),
  fc.double().map(String),
  fc.boolean(),
  fc.constant(null),
  fc.constant({}),
  fc.jsonValue({ maxDepth: 2 }),
);
const FIELDS = [...Object.keys(BAD), "symbol", "clientOrderId"];
const anything: fc.Arbitrary<Args> = fc.dictionary(fc.constantFrom(...FIELDS), value, {
  maxKeys: FIELDS.length,
});

it("the suffix leaves the calldata one that a transaction carries", async () => {
  const { args } = fc.sample(orders, { seed: SEED, numRuns: 1 })[0] as Asked;
  const { callData } = await BUILD.order(args);
  const transaction = Transaction.from({ to: ROUTER, data: callData, chainId: 1n, type: 2 });
  expect(Transaction.from(transaction.unsignedSerialized).data).toBe(callData);
});
