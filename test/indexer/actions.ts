import { concat, type Hex, type LocalAccount, parseEther, parseUnits, size, toHex } from "viem";
import { oneClickRouterAbi, stockAbi } from "../../src/contracts/abi/index.ts";
import { cashier, DAY, LATER, oneClick, router, stock, stockToken } from "../contracts/calls.ts";
import { wallet } from "../contracts/wallet-calls.ts";
import { act, type World } from "./world.ts";

type Action = (world: World) => Promise<void>;

const MARKER = "0x80218021802180218021802180218021";

/** Returns a call of StockRouter that may well succeed, combined ones included. */
function routerCall({ product, random, facts }: World): Hex {
  const token = random.of(product.deployment.stockTokens).address;
  const cash = random.of(product.deployment.cashTokens);
  const whole = (amount: number) => parseUnits(`${amount}`, cash.decimals);
  const price = random.wad(80, 120);
  const quantity = random.wad(0, 2) + 1n;
  const side = random.chance(0.5) ? 1n : -1n;
  const limits = [...facts.orders].filter(([, { isLimit }]) => isLimit).map(([id]) => id);
  return random.of([
    () => router("placeMarketOrder", token, side > 0n ? random.wad(1, 200) : -quantity, LATER),
    () => router("placeLimitOrder", token, side * quantity, price, DAY, LATER),
    () => router("placeLimitOrder", token, side * quantity, price, DAY, LATER),
    () => router("deposit", cash.address, whole(1 + random.below(500))),
    () => router("withdraw", cash.address, parseEther(`${1 + random.below(200)}`)),
    () => router("depositStock", token, random.wad(0, 3) + 1n),
    () => router("withdrawStock", token, random.wad(0, 2) + 1n),
    () => router("depositAndMarketBuy", cash.address, whole(100), token, random.wad(1, 90), LATER),
    () => router("depositAndLimitBuy", cash.address, whole(300), token, quantity, price, DAY, LATER),
    () => router("depositStockAndMarketSell", token, quantity, -quantity, LATER),
    () => router("depositStockAndLimitSell", token, quantity + 5n, -quantity, price, DAY, LATER),
    () => (limits.length === 0 ? "0x" : router("cancelLimitOrder", random.of(limits.slice(-6)))),
  ])();
}

const someUser = ({ product, random }: World): LocalAccount => random.of(product.users);

/** A user's own call, half of the time with an attribution behind it. */
const plain: Action = async (world) => {
  const { product, random, facts } = world;
  const from = someUser(world);
  const callData = routerCall(world);
  const { stockRouter } = product.deployment;
  if (random.chance(0.5)) return void (await act(world, from, stockRouter, callData));
  const cbor = toHex(random.below(2 ** 32), { size: 4 + random.below(300) });
  const suffix = concat([cbor, toHex(size(cbor), { size: 2 }), "0x02", MARKER]);
  const txHash = await act(world, from, stockRouter, concat([callData, suffix]));
  facts.suffixes.set(txHash, { callData, suffix, from: from.address });
};

/** Several calls in one transaction of a wallet contract. */
const batch: Action = async (world) => {
  const { product, random, smart } = world;
  const calls = Array.from({ length: 2 + random.below(3) }, () => ({
    target: product.deployment.stockRouter,
    value: 0n,
    data: routerCall(world),
  }));
  await act(world, smart.owner, smart.address, wallet("executeBatch", calls));
};

export const delegate: Action = async (world) => {
  const { product, operator } = world;
  const { client, deployment } = product;
  const user = someUser(world);
  const at = { address: deployment.oneClickRouter, abi: oneClickRouterAbi } as const;
  const nonce = await client.readContract({ ...at, functionName: "nonceOf", args: [user.address] });
  const message = { user: user.address, delegatee: operator.address, nonce, deadline: LATER };
  const signature = await user.signTypedData({
    domain: {
      name: "OneClickRouter",
      version: "1",
      chainId: deployment.chainId,
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
  const data = oneClick("delegateBySig", user.address, operator.address, nonce, LATER, signature);
  await act(world, operator, deployment.oneClickRouter, data);
};

const executeFor: Action = async (world) => {
  const { product, operator } = world;
  const data = oneClick("executeFor", someUser(world).address, routerCall(world));
  await act(world, operator, product.deployment.oneClickRouter, data);
};

const undelegate: Action = async (world) => {
  const { product, random, operator } = world;
  const user = someUser(world);
  const [from, data] = random.of([
    [user, oneClick("undelegate")],
    [user, oneClick("undelegateFor", user.address)],
    [operator, oneClick("undelegateFor", user.address)],
  ] as const);
  await act(world, from, product.deployment.oneClickRouter, data);
};

const settle = (call: (world: World) => Promise<Hex> | Hex, to: "stock" | "cashier"): Action => {
  return async (world) => {
    const { settler, deployment } = world.product;
    await act(world, settler, deployment[to], await call(world));
  };
};

const ordersOf = ({ facts }: World, isLimit: boolean) =>
  [...facts.orders].filter(([, order]) => order.isLimit === isLimit).map(([id]) => id);

/** Batches include closed orders too, and sometimes one order twice: closed ones are skipped. */
const settleMarket = settle((world) => {
  const ids = world.random.some(ordersOf(world, false), 6);
  return stock(
    "settleMarketOrders",
    ids,
    ids.map(() => world.random.wad(80, 120)),
  );
}, "stock");

const fillLimit = settle(async (world) => {
  const { product, random } = world;
  const ids = random.some(ordersOf(world, true), 3);
  const at = { address: product.deployment.stock, abi: stockAbi } as const;
  const orders = await Promise.all(
    ids.map((id) => product.client.readContract({ ...at, functionName: "getOrder", args: [id] })),
  );
  const quantities = orders.map(({ size: whole, filledQuantity }) => {
    const left = whole - filledQuantity;
    return random.chance(0.4) || left < 3n ? left : left / 3n + 1n;
  });
  // Better than the limit by a few odd wads, as quotes are.
  const prices = orders.map(({ price, isBuy }) => price + (isBuy ? -1n : 1n) * BigInt(random.below(10 ** 9)));
  return stock("settleLimitOrders", ids, quantities, prices);
}, "stock");

const cancel = settle(
  (world) => stock("settleCancels", world.random.some(ordersOf(world, true), 2)),
  "stock",
);
const reject = settle(
  (world) =>
    stock(
      "rejectOrders",
      world.random.some([...world.facts.orders.keys()].slice(-6), 2),
      world.random.below(256),
    ),
  "stock",
);
const expire = settle(
  (world) => stock("expireOrders", world.random.some([...world.facts.orders.keys()].slice(-6), 2)),
  "stock",
);

const settleDeposits = settle(({ random, facts }) => {
  const ids = random.some([...facts.deposits], 3);
  return cashier(
    "batchSettleDeposit",
    ids,
    ids.map(() => random.wad(0, 1) + 1n),
  );
}, "cashier");
const settleWithdrawals = settle(({ random, facts }) => {
  const ids = random.some([...facts.withdrawals], 3);
  return cashier(
    "batchSettleWithdraw",
    ids,
    ids.map(() => BigInt(1 + random.below(10 ** 6))),
  );
}, "cashier");
const rejectDeposits = settle(
  ({ random, facts }) =>
    cashier("batchRejectDeposit", random.some([...facts.deposits], 2), random.below(256)),
  "cashier",
);
const rejectWithdrawals = settle(
  ({ random, facts }) =>
    cashier("batchRejectWithdraw", random.some([...facts.withdrawals], 2), random.below(256)),
  "cashier",
);

/** Sets buffers: without them cash is queued, with them it is instant. */
const buffers = settle(({ product, random }) => {
  const token = random.of(product.deployment.cashTokens);
  const capacity = random.chance(0.5) ? 0n : parseUnits("50000000", token.decimals);
  const credit = random.chance(0.2) ? 0n : parseEther("50000000");
  return random.chance(0.3)
    ? cashier("setCreditBuffer", credit, parseEther("100000000"))
    : cashier("setWithdrawBuffer", token.address, capacity / 2n, capacity);
}, "cashier");

const settings: Action = async (world) => {
  const { product, random } = world;
  const { settler, deployment } = product;
  const cash = random.of(deployment.cashTokens).address;
  const token = random.of(deployment.stockTokens).address;
  const [to, data] = random.of([
    [deployment.cashier, cashier("setTokenFees", cash, random.below(50), random.below(50))],
    [deployment.cashier, cashier("setTokenPaused", cash, random.chance(0.1), random.chance(0.1))],
    [deployment.cashier, cashier("unsupportToken", cash)],
    [deployment.cashier, cashier("setTokenLimits", cash, 1_000_000, 900_000 + random.below(200_000))],
    [deployment.stock, stock("setTradable", token, random.chance(0.8))],
    [
      deployment.stock,
      stock("setFeeConfig", {
        buyFeeBps: random.below(50),
        sellFeeBps: random.below(50),
        minFeeWad: random.wad(0, 1) / 100n,
      }),
    ],
    [token, stockToken("setMultiplier", random.wad(1, 4))],
  ] as const);
  await act(world, settler, to, data);
  if (data.startsWith(cashier("unsupportToken", cash).slice(0, 10))) await support(world, cash);
};

/** Lists a cash token, or lists it again, with buffers that make cash instant. */
export async function support(world: World, token: Hex): Promise<void> {
  const { settler, deployment } = world.product;
  const decimals = deployment.cashTokens.find(({ address }) => address === token)?.decimals ?? 18;
  const config = {
    minAmount: 1_000_000,
    decimals,
    depositPaused: false,
    withdrawPaused: false,
    usdRate: 1_000_000,
    withdrawBuffer: parseUnits("1000000", decimals),
    withdrawBufferCapacity: parseUnits("50000000", decimals),
    depositFeeBps: 0,
    withdrawFeeBps: 0,
  };
  await act(world, settler, deployment.cashier, cashier("supportToken", token, config));
}

/** All actions, the frequent ones more often. */
export const ACTIONS: readonly Action[] = [
  ...Array.from({ length: 12 }, () => plain),
  batch,
  batch,
  batch,
  executeFor,
  executeFor,
  delegate,
  undelegate,
  settleMarket,
  settleMarket,
  settleMarket,
  fillLimit,
  fillLimit,
  fillLimit,
  fillLimit,
  cancel,
  reject,
  expire,
  settleDeposits,
  settleWithdrawals,
  rejectDeposits,
  rejectWithdrawals,
  buffers,
  buffers,
  buffers,
  settings,
];
