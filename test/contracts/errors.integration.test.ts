import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import {
  type Abi,
  type Address,
  encodeFunctionData,
  type Hex,
  type LocalAccount,
  parseEther,
  zeroAddress,
} from "viem";
import { toAccount } from "viem/accounts";
import { protocolErrorsAbi } from "../../src/contracts/abi/index.ts";
import { account, send } from "../support/chain/product.ts";
import { type Bench, idOf, startBench } from "./bench.ts";
import { cashier, cashToken, DAY, LATER, oneClick, router, stock, stockToken } from "./calls.ts";
import { deployHostileToken, hostileAbi } from "./hostile.ts";

// Every custom error of our contracts, each with calls that revert with it (docs/contracts.md#errors).

const wad = parseEther;
const ONE = 10n ** 18n;
const NO_ID: Hex = `0x${"00".repeat(31)}01`;
const NOBODY: Hex = "0x1111111111111111111111111111111111111111";
const FREE = { buyFeeBps: 0, sellFeeBps: 0, minFeeWad: 0n };

let bench: Bench;
/** A listed cash token that misbehaves on request of a case. */
let hostile: Address;
beforeAll(async () => {
  bench = await startBench(async (b) => {
    hostile = await deployHostileToken(b.client, b.ann);
    await b.settleCash(cashier("supportToken", hostile, tokenConfig(18)));
    await send(b.client, b.ann, hostile, cashToken("approve", b.deployment.stockRouter, wad("1000000")));
  });
});
beforeEach(() => bench.reset());
afterAll(() => bench?.stop());

const tokenConfig = (decimals: number) => ({
  minAmount: 0,
  decimals,
  depositPaused: false,
  withdrawPaused: false,
  usdRate: 1_000_000,
  withdrawBuffer: 0n,
  withdrawBufferCapacity: wad("1000000"),
  depositFeeBps: 0,
  withdrawFeeBps: 0,
});

interface Attempt {
  from: LocalAccount;
  to: Address;
  data: Hex;
}
const asUser = (data: Hex, from = bench.ann): Attempt => ({ from, to: bench.deployment.stockRouter, data });
const asSettler = (to: "stock" | "cashier", data: Hex): Attempt => ({
  from: bench.settler,
  to: bench.deployment[to],
  data,
});
const at = (to: Address, data: Hex, from = bench.ann): Attempt => ({ from, to, data });

const market = async (amount: bigint): Promise<Hex> =>
  idOf(
    await bench.user(bench.ann, router("placeMarketOrder", bench.aapl, amount, LATER)),
    "MarketOrderPlaced",
  );
const limit = async (quantity: bigint, price = ONE): Promise<Hex> =>
  idOf(
    await bench.user(bench.ann, router("placeLimitOrder", bench.aapl, quantity, price, DAY, LATER)),
    "LimitOrderPlaced",
  );
const fill = (orderId: Hex, quantity: bigint, price: bigint): Attempt =>
  asSettler("stock", stock("settleLimitOrders", [orderId], [quantity], [price]));
const settle = (orderId: Hex, price: bigint): Attempt =>
  asSettler("stock", stock("settleMarketOrders", [orderId], [price]));
const queuedDeposit = async (): Promise<Hex> => {
  await bench.settleCash(cashier("setCreditBuffer", 0n, 0n));
  return idOf(await bench.user(bench.ann, router("deposit", bench.usdc, 5_000_000n)), "DepositRequested");
};
const queuedWithdrawal = async (): Promise<Hex> => {
  await bench.settleCash(cashier("setWithdrawBuffer", bench.usdc, 0n, 0n));
  return idOf(await bench.user(bench.ann, router("withdraw", bench.usdc, wad("5"))), "WithdrawalRequested");
};
const tellHostile = async (
  functionName: "refuse" | "callBack",
  args: readonly [] | readonly [Address, Hex],
) => {
  const abi: Abi = hostileAbi;
  await send(bench.client, bench.ann, hostile, encodeFunctionData({ abi, functionName, args }));
};
const delegateBySig = (nonce: bigint, from: LocalAccount): Attempt =>
  at(
    bench.deployment.oneClickRouter,
    oneClick("delegateBySig", bench.ann.address, account(8).address, nonce, LATER, "0x1234"),
    from,
  );

type Case = [error: string, when: string, attempt: () => Attempt | Promise<Attempt>];

const cash: Case[] = [
  ["AmountCannotBeZero", "nothing is deposited", () => asUser(router("deposit", bench.usdc, 0n))],
  ["AmountCannotBeZero", "nothing is withdrawn", () => asUser(router("withdraw", bench.usdc, 0n))],
  [
    "AmountCannotBeZero",
    "a deposit is settled with nothing",
    async () => asSettler("cashier", cashier("batchSettleDeposit", [await queuedDeposit()], [0n])),
  ],
  [
    "AmountCannotBeZero",
    "a withdrawal is settled with nothing",
    async () => asSettler("cashier", cashier("batchSettleWithdraw", [await queuedWithdrawal()], [0n])),
  ],
  ["TokenNotSupported", "a stock is deposited as cash", () => asUser(router("deposit", bench.aapl, ONE))],
  ["TokenNotSupported", "a stock is withdrawn as cash", () => asUser(router("withdraw", bench.aapl, ONE))],
  [
    "TokenNotSupported",
    "it is paused",
    () => asSettler("cashier", cashier("setTokenPaused", NOBODY, true, true)),
  ],
  ["TokenNotSupported", "it is delisted", () => asSettler("cashier", cashier("unsupportToken", NOBODY))],
  [
    "DepositPaused",
    "deposits are paused",
    async () => {
      await bench.settleCash(cashier("setTokenPaused", bench.usdc, true, false));
      return asUser(router("deposit", bench.usdc, 5_000_000n));
    },
  ],
  [
    "WithdrawPaused",
    "withdrawals are paused",
    async () => {
      await bench.settleCash(cashier("setTokenPaused", bench.usdc, false, true));
      return asUser(router("withdraw", bench.usdc, wad("5")));
    },
  ],
  ["AmountTooSmall", "a deposit is below the minimum", () => asUser(router("deposit", bench.usdc, 999_999n))],
  [
    "AmountTooSmall",
    "a withdrawal is below the minimum",
    () => asUser(router("withdraw", bench.dai, ONE - 1n)),
  ],
  [
    "AmountTooSmall",
    "the fee takes the whole deposit",
    async () => {
      await bench.settleCash(cashier("setTokenFees", bench.usdc, 10_000, 0));
      return asUser(router("deposit", bench.usdc, 5_000_000n));
    },
  ],
  [
    "AmountTooSmall",
    "the fee takes the whole buy",
    () => asUser(router("placeMarketOrder", bench.aapl, 1n, LATER)),
  ],
  [
    "AmountNotRepresentable",
    "a withdrawal has more digits than the token",
    () => asUser(router("withdraw", bench.usdc, wad("5.0000001"))),
  ],
  [
    "AmountNotRepresentable",
    "the fee takes the whole payout",
    async () => {
      await bench.settleCash(cashier("setTokenFees", bench.usdc, 0, 10_000));
      return asUser(router("withdraw", bench.usdc, wad("5")));
    },
  ],
  [
    "InsufficientBalanceWad",
    "a withdrawal is too large",
    () => asUser(router("withdraw", bench.dai, wad("50001"))),
  ],
  [
    "InsufficientBalanceWad",
    "a buy is too large",
    () => asUser(router("placeMarketOrder", bench.aapl, wad("50001"), LATER)),
  ],
  [
    "InsufficientBuffer",
    "the tokens to pay a withdrawal are not there",
    async () => {
      const opId = await queuedWithdrawal();
      await bench.settleCash(cashier("setWithdrawBuffer", bench.usdc, wad("1"), wad("1")));
      await bench.settleCash(cashier("setCreditBuffer", 0n, wad("1000000000")));
      const held = await bench.tokensOf(bench.usdc, bench.deployment.cashier);
      await bench.user(bench.settler, router("withdraw", bench.usdc, held * 10n ** 12n));
      return asSettler("cashier", cashier("batchSettleWithdraw", [opId], [5_000_000n]));
    },
  ],
  [
    "ExceedsBufferCapacity",
    "the credit buffer is set above it",
    () => asSettler("cashier", cashier("setCreditBuffer", 2n, 1n)),
  ],
  [
    "ExceedsBufferCapacity",
    "a withdraw buffer is set above it",
    () => asSettler("cashier", cashier("setWithdrawBuffer", bench.usdc, 2n, 1n)),
  ],
  ["InvalidOperationId", "unknown", () => asSettler("cashier", cashier("batchSettleDeposit", [NO_ID], [1n]))],
  [
    "InvalidOperationId",
    "a withdrawal is settled as a deposit",
    async () => asSettler("cashier", cashier("batchSettleDeposit", [await queuedWithdrawal()], [1n])),
  ],
  [
    "InvalidOperationId",
    "a deposit is rejected as a withdrawal",
    async () => asSettler("cashier", cashier("batchRejectWithdraw", [await queuedDeposit()], 1)),
  ],
  [
    "ExceedsOperationValue",
    "more is credited than was deposited",
    async () => asSettler("cashier", cashier("batchSettleDeposit", [await queuedDeposit()], [wad("5") + 1n])),
  ],
  [
    "ExceedsOperationValue",
    "more is paid than was withdrawn",
    async () =>
      asSettler("cashier", cashier("batchSettleWithdraw", [await queuedWithdrawal()], [5_000_001n])),
  ],
  ["LengthMismatch", "of deposits", () => asSettler("cashier", cashier("batchSettleDeposit", [NO_ID], []))],
  ["LengthMismatch", "of withdrawals", () => asSettler("cashier", cashier("batchSettleWithdraw", [], [1n]))],
  ["LengthMismatch", "of market fills", () => asSettler("stock", stock("settleMarketOrders", [NO_ID], []))],
  [
    "LengthMismatch",
    "of limit fills",
    () => asSettler("stock", stock("settleLimitOrders", [NO_ID], [1n], [])),
  ],
  [
    "InvalidConfig",
    "a token has other decimals than said",
    () => asSettler("cashier", cashier("supportToken", bench.usdc, tokenConfig(18))),
  ],
  [
    "InvalidConfig",
    "a token is worth nothing",
    () => asSettler("cashier", cashier("setTokenLimits", bench.usdc, 1, 0)),
  ],
  [
    "InvalidConfig",
    "a fee is above all",
    () => asSettler("cashier", cashier("setTokenFees", bench.usdc, 10_001, 0)),
  ],
  [
    "InvalidConfig",
    "an order fee is above all",
    () => asSettler("stock", stock("setFeeConfig", { ...FREE, sellFeeBps: 10_001 })),
  ],
  [
    "InvalidConfig",
    "a multiplier is zero",
    () => at(bench.aapl, stockToken("setMultiplier", 0n), bench.settler),
  ],
];

const orders: Case[] = [
  [
    "InsufficientStockBalance",
    "a sell is too large",
    () => asUser(router("placeMarketOrder", bench.aapl, -wad("101"), LATER)),
  ],
  [
    "InsufficientStockBalance",
    "a withdrawal is",
    () => asUser(router("withdrawStock", bench.aapl, wad("101"))),
  ],
  [
    "InvalidStockToken",
    "unlisted in an order",
    () => asUser(router("placeMarketOrder", bench.usdc, ONE, LATER)),
  ],
  ["InvalidStockToken", "unlisted in a deposit", () => asUser(router("depositStock", bench.usdc, ONE))],
  [
    "InvalidStockToken",
    "not of 18 decimals",
    () => asSettler("stock", stock("listStockToken", bench.usdc, "X", true)),
  ],
  [
    "InvalidStockToken",
    "listed twice",
    () => asSettler("stock", stock("listStockToken", bench.aapl, "X", true)),
  ],
  [
    "InvalidStockToken",
    "unlisted, made tradable",
    () => asSettler("stock", stock("setTradable", NOBODY, true)),
  ],
  [
    "QuantityCannotBeZero",
    "a market order is of nothing",
    () => asUser(router("placeMarketOrder", bench.aapl, 0n, LATER)),
  ],
  [
    "QuantityCannotBeZero",
    "a limit order is",
    () => asUser(router("placeLimitOrder", bench.aapl, 0n, ONE, DAY, LATER)),
  ],
  ["QuantityCannotBeZero", "a stock deposit is", () => asUser(router("depositStock", bench.aapl, 0n))],
  ["QuantityCannotBeZero", "a fill is", async () => fill(await limit(ONE), 0n, ONE)],
  [
    "QuantityCannotBeZero",
    "a market buy buys nothing",
    async () => settle(await market(wad("0.01") + 1n), 2n * ONE),
  ],
  [
    "PriceCannotBeZero",
    "of a limit order",
    () => asUser(router("placeLimitOrder", bench.aapl, ONE, 0n, DAY, LATER)),
  ],
  ["PriceCannotBeZero", "of a limit fill", async () => fill(await limit(ONE), ONE, 0n)],
  ["PriceCannotBeZero", "of a market fill", async () => settle(await market(ONE), 0n)],
  ["PriceBeyondLimit", "a buy is filled too high", async () => fill(await limit(ONE), ONE, ONE + 1n)],
  ["ExceedsRemainingQuantity", "a fill is too large", async () => fill(await limit(-ONE), ONE + 1n, ONE)],
  [
    "ExceedsLockedAmount",
    "dust costs more, rounded up, than the lock",
    async () => {
      await bench.settleStock(stock("setFeeConfig", FREE));
      const orderId = await limit(10n, wad("0.1"));
      await bench.settleStock(stock("settleLimitOrders", [orderId], [1n], [wad("0.1")]));
      return fill(orderId, 1n, wad("0.1"));
    },
  ],
  ["OrderNotFound", "of a cancel", () => asUser(router("cancelLimitOrder", NO_ID))],
  ["OrderNotFound", "of a fill", () => settle(NO_ID, ONE)],
  ["OrderNotFound", "of a rejection", () => asSettler("stock", stock("rejectOrders", [NO_ID], 1))],
  ["OrderNotFound", "of an expiry", () => asSettler("stock", stock("expireOrders", [NO_ID]))],
  [
    "OrderNotOpen",
    "a filled order is cancelled",
    async () => {
      const orderId = await limit(ONE);
      await bench.settleStock(stock("settleLimitOrders", [orderId], [ONE], [ONE]));
      return asUser(router("cancelLimitOrder", orderId));
    },
  ],
  [
    "CancelAlreadyRequested",
    "a cancel is asked for twice",
    async () => {
      const orderId = await limit(ONE);
      await bench.user(bench.ann, router("cancelLimitOrder", orderId));
      return asUser(router("cancelLimitOrder", orderId));
    },
  ],
  [
    "CallerNotOwner",
    "somebody else's order is cancelled",
    async () => asUser(router("cancelLimitOrder", await limit(ONE)), bench.bob),
  ],
  [
    "NotALimitOrder",
    "a market order is cancelled",
    async () => asUser(router("cancelLimitOrder", await market(ONE))),
  ],
  ["NotALimitOrder", "a market order is filled as one", async () => fill(await market(ONE), ONE, ONE)],
  [
    "NotALimitOrder",
    "a market order's cancel is settled",
    async () => asSettler("stock", stock("settleCancels", [await market(ONE)])),
  ],
  ["NotAMarketOrder", "a limit order is filled as one", async () => settle(await limit(ONE), ONE)],
  ["DeadlineExpired", "of a market order", () => asUser(router("placeMarketOrder", bench.aapl, ONE, 1))],
  [
    "DeadlineExpired",
    "of a limit order",
    () => asUser(router("placeLimitOrder", bench.aapl, ONE, ONE, DAY, 1)),
  ],
  [
    "DeadlineExpired",
    "of a combined call",
    () => asUser(router("depositStockAndMarketSell", bench.aapl, ONE, -ONE, 1)),
  ],
  ["TimeInForceNotSupported", "GTC", () => asUser(router("placeLimitOrder", bench.aapl, ONE, ONE, 1, LATER))],
  [
    "WrongSide",
    "a combined buy sells",
    () => asUser(router("depositAndMarketBuy", bench.usdc, 5_000_000n, bench.aapl, -ONE, LATER)),
  ],
  [
    "DepositNotInstant",
    "a combined buy's deposit would be queued",
    async () => {
      await bench.settleCash(cashier("setCreditBuffer", 0n, 0n));
      return asUser(router("depositAndMarketBuy", bench.usdc, 5_000_000n, bench.aapl, ONE, LATER));
    },
  ],
  ["SafeCastOverflowedUintDowncast", "a price is absurdly low", async () => settle(await market(ONE), 1n)],
  [
    "SafeCastOverflowedIntDowncast",
    "a price is just too low",
    // Fee aside, 5e10 wad at a price of 1 wad: 5e28 tokens, between the largest int96 and the largest uint96.
    async () => settle(await market(wad("0.01") + 50_000_000_000n), 1n),
  ],
];

const others: Case[] = [
  ["InvalidNonce", "a delegation's nonce is another", () => delegateBySig(7n, account(8))],
  ["InvalidSigner", "its signature is not one", () => delegateBySig(0n, account(8))],
  ["NotDelegatee", "its delegatee is not the caller", () => delegateBySig(0n, bench.bob)],
  [
    "NotDelegatee",
    "somebody executes for somebody",
    () =>
      at(bench.deployment.oneClickRouter, oneClick("executeFor", bench.ann.address, "0x12345678"), bench.bob),
  ],
  [
    "DeadlineExpired",
    "a delegation is late",
    () => at(bench.deployment.oneClickRouter, oneClick("delegateBySig", NOBODY, NOBODY, 0n, 1, "0x")),
  ],
  [
    "InvalidCall",
    "a forwarded call names no function",
    async () => {
      const { client, ann, deployment } = bench;
      const operator = account(8);
      const message = { user: ann.address, delegatee: operator.address, nonce: 0n, deadline: LATER };
      const signature = await ann.signTypedData({
        domain: {
          name: "OneClickRouter",
          version: "1",
          chainId: 31337,
          verifyingContract: deployment.oneClickRouter,
        },
        types: {
          Delegate: [
            { name: "user", type: "address" },
            { name: "delegatee", type: "address" },
            { name: "nonce", type: "uint64" },
            { name: "deadline", type: "uint32" },
          ],
        },
        primaryType: "Delegate",
        message,
      });
      const enable = oneClick("delegateBySig", ann.address, operator.address, 0n, LATER, signature);
      await send(client, operator, deployment.oneClickRouter, enable);
      return at(deployment.oneClickRouter, oneClick("executeFor", ann.address, "0x123456"), operator);
    },
  ],
  [
    "ERC20InsufficientAllowance",
    "the router is not approved",
    async () => {
      await send(bench.client, bench.ann, bench.usdc, cashToken("approve", bench.deployment.stockRouter, 4n));
      return asUser(router("deposit", bench.usdc, 5_000_000n));
    },
  ],
  [
    "ERC20InsufficientBalance",
    "the wallet holds too little",
    () => asUser(router("depositStock", bench.aapl, wad("1001"))),
  ],
  ["ERC20InvalidReceiver", "of a transfer", () => at(bench.usdc, cashToken("transfer", zeroAddress, 1n))],
  ["ERC20InvalidSpender", "of an approval", () => at(bench.usdc, cashToken("approve", zeroAddress, 1n))],
  [
    "ERC20InvalidApprover",
    "of an allowance",
    () => at(bench.usdc, cashToken("transferFrom", zeroAddress, NOBODY, 0n)),
  ],
  [
    "ERC20InvalidSender",
    "of a transfer",
    () => at(bench.usdc, cashToken("transfer", NOBODY, 0n), nobody(zeroAddress)),
  ],
  [
    "SafeERC20FailedOperation",
    "a token answers false",
    async () => {
      await tellHostile("refuse", []);
      return asUser(router("deposit", hostile, ONE));
    },
  ],
  [
    "ReentrancyGuardReentrantCall",
    "a token calls back while it is deposited",
    async () => {
      await tellHostile("callBack", [
        bench.deployment.stockRouter,
        router("placeMarketOrder", bench.aapl, ONE, LATER),
      ]);
      return asUser(router("deposit", hostile, ONE));
    },
  ],
  [
    "ReentrancyGuardReentrantCall",
    "a token calls back while it is withdrawn",
    async () => {
      await bench.user(bench.ann, router("deposit", hostile, ONE));
      await tellHostile("callBack", [bench.deployment.stockRouter, router("withdraw", hostile, ONE)]);
      return asUser(router("withdraw", hostile, ONE));
    },
  ],
  ["Unauthorized", "a user settles", () => at(bench.deployment.stock, stock("expireOrders", []))],
];

/** Returns an account by its address: calls that are not sent need no signature. */
function nobody(address: Address): LocalAccount {
  const refuse = async (): Promise<never> => {
    throw new Error("signs nothing");
  };
  return {
    ...toAccount({ address, signMessage: refuse, signTransaction: refuse, signTypedData: refuse }),
    publicKey: "0x",
  };
}

describe.each([
  ["cash", cash],
  ["orders", orders],
  ["delegation, tokens and access", others],
])("%s", (_group, cases) => {
  it.each(cases)("%s: %s", async (error, _when, attempt) => {
    const { from, to, data } = await attempt();
    expect(await bench.revertOf(from, to, data)).toBe(error);
  });
});

describe("all errors of the ABI", () => {
  /** Errors of names too long for EIP-712's short strings, which only a constructor could meet: ours are constants. */
  const NEVER = ["InvalidShortString", "StringTooLong"];

  it("have a case here", () => {
    const tried = new Set([...cash, ...orders, ...others].map(([error]) => error));
    const known = protocolErrorsAbi.map(({ name }) => name).filter((name) => !NEVER.includes(name));
    expect(known.filter((name) => !tried.has(name))).toEqual([]);
  });
});
