import fc from "fast-check";
import { type Address, type Hex, type LocalAccount, parseEther } from "viem";
import { account } from "../support/chain/product.ts";
import type { Bench } from "./bench.ts";
import { cashier, DAY, LATER, oneClick, router, stock } from "./calls.ts";
import type { Ledger, LedgerOperation } from "./ledger.ts";

/** Random calls by users and settler, for properties that must hold whatever is called. */

export interface World {
  bench: Bench;
  users: LocalAccount[];
  cash: Address[];
  stocks: Address[];
  ledger: Ledger;
}

export interface Call {
  from: LocalAccount;
  to: Address;
  data: Hex;
}

/** A call that depends on the present state of the world. Null where it cannot be made. */
export interface Action {
  kind: string;
  toCall(world: World): Call | null;
  toString(): string;
}

/** The delegatee of the first user. */
export const OPERATOR = account(8);
const INT96_MAX = 2n ** 95n - 1n;
const UINT96_MAX = 2n ** 96n - 1n;

/** Dust, everyday amounts with all 18 digits, and the largest possible ones. */
const amount = fc.oneof(
  { weight: 2, arbitrary: fc.bigInt(0n, 1_000n) },
  { weight: 10, arbitrary: fc.bigInt(1n, parseEther("20000")) },
  { weight: 1, arbitrary: fc.bigInt(1n, INT96_MAX) },
);
/** mUSD wad per token. */
const price = fc.oneof(
  { weight: 1, arbitrary: fc.bigInt(0n, 1_000n) },
  { weight: 12, arbitrary: fc.bigInt(parseEther("1"), parseEther("400")) },
  { weight: 1, arbitrary: fc.bigInt(1n, UINT96_MAX) },
);
const which = fc.nat(20);
const percent = fc.integer({ min: 0, max: 110 });

function pick<T>(list: readonly T[], index: number): T | null {
  return list[index % list.length] ?? null;
}

function action<T extends Record<string, unknown>>(
  kind: string,
  values: { [K in keyof T]: fc.Arbitrary<T[K]> },
  toCall: (world: World, values: T) => Call | null,
): fc.Arbitrary<Action> {
  return fc.record(values).map((chosen) => ({
    kind,
    toCall: (world) => toCall(world, chosen),
    toString: () => `${kind}(${Object.values(chosen).join(", ")})`,
  }));
}

/** Returns a call of StockRouter by a user; the first user's calls may also come through the delegatee. */
function byUser<T extends Record<string, unknown>>(
  kind: string,
  values: { [K in keyof T]: fc.Arbitrary<T[K]> },
  encode: (world: World & { cashToken: Address; stockToken: Address }, values: T) => Hex | null,
): fc.Arbitrary<Action> {
  const all = fc.record({
    user: which,
    cash: which,
    stock: which,
    delegated: fc.boolean(),
    own: fc.record(values),
  });
  return all.map(({ user, cash, stock, delegated, own }) => ({
    kind,
    toCall: (world) => {
      const from = pick(world.users, user);
      const cashToken = pick(world.cash, cash);
      const stockToken = pick(world.stocks, stock);
      if (!from || !cashToken || !stockToken) return null;
      const data = encode({ ...world, cashToken, stockToken }, own);
      if (data === null) return null;
      const { stockRouter, oneClickRouter } = world.bench.deployment;
      if (!delegated || from !== world.users[0]) return { from, to: stockRouter, data };
      return { from: OPERATOR, to: oneClickRouter, data: oneClick("executeFor", from.address, data) };
    },
    toString: () =>
      `${kind}(user ${user}, ${Object.values(own).join(", ")}${delegated ? ", delegated" : ""})`,
  }));
}

/** Token base units: USDC has 6 decimals, so everyday amounts of wads are absurd ones there. */
const units = fc.record({ wad: amount, scale: fc.constantFrom(1n, 1n, 10n ** 12n) });

const userActions: fc.Arbitrary<Action>[] = [
  byUser("deposit", { amount: units }, ({ cashToken }, { amount: { wad, scale } }) =>
    router("deposit", cashToken, wad / scale),
  ),
  byUser("withdraw", { amount: units }, ({ cashToken }, { amount: { wad, scale } }) =>
    router("withdraw", cashToken, (wad / scale) * scale),
  ),
  byUser("depositStock", { amount }, ({ stockToken }, values) =>
    router("depositStock", stockToken, values.amount / 10n),
  ),
  byUser("withdrawStock", { amount }, ({ stockToken }, values) =>
    router("withdrawStock", stockToken, values.amount / 100n),
  ),
  byUser("marketBuy", { amount }, ({ stockToken }, values) =>
    router("placeMarketOrder", stockToken, values.amount, LATER),
  ),
  byUser("marketSell", { amount }, ({ stockToken }, values) =>
    router("placeMarketOrder", stockToken, -values.amount / 1000n, LATER),
  ),
  byUser("limitBuy", { amount, price }, ({ stockToken }, values) =>
    router("placeLimitOrder", stockToken, values.amount / 1000n, values.price, DAY, LATER),
  ),
  byUser("limitSell", { amount, price }, ({ stockToken }, values) =>
    router("placeLimitOrder", stockToken, -values.amount / 1000n, values.price, DAY, LATER),
  ),
  byUser("depositAndMarketBuy", { amount: units, usd: amount }, ({ cashToken, stockToken }, values) =>
    router(
      "depositAndMarketBuy",
      cashToken,
      values.amount.wad / values.amount.scale,
      stockToken,
      values.usd,
      LATER,
    ),
  ),
  byUser(
    "depositAndLimitBuy",
    { amount: units, quantity: amount, price },
    ({ cashToken, stockToken }, values) =>
      router(
        "depositAndLimitBuy",
        cashToken,
        values.amount.wad / values.amount.scale,
        stockToken,
        values.quantity / 1000n,
        values.price,
        DAY,
        LATER,
      ),
  ),
  byUser("depositStockAndMarketSell", { amount, quantity: amount }, ({ stockToken }, values) =>
    router("depositStockAndMarketSell", stockToken, values.amount / 1000n, -values.quantity / 1000n, LATER),
  ),
  byUser("depositStockAndLimitSell", { amount, quantity: amount, price }, ({ stockToken }, values) =>
    router(
      "depositStockAndLimitSell",
      stockToken,
      values.amount / 1000n,
      -values.quantity / 1000n,
      values.price,
      DAY,
      LATER,
    ),
  ),
  byUser("cancel", { order: which }, (world, { order }) => {
    const [orderId] = orderIds(world, true, order, 1);
    return orderId ? router("cancelLimitOrder", orderId) : null;
  }),
];

const atStock = ({ bench }: World, data: Hex): Call => ({
  from: bench.settler,
  to: bench.deployment.stock,
  data,
});
const atCashier = ({ bench }: World, data: Hex): Call => ({
  from: bench.settler,
  to: bench.deployment.cashier,
  data,
});

/** Returns ids of orders, open ones first, but closed ones too: settling those must change nothing. */
function orderIds({ ledger }: World, isLimit: boolean | null, first: number, count: number): Hex[] {
  const fitting = [...ledger.orders].filter(
    ([, order]) => isLimit === null || (order.limit !== null) === isLimit,
  );
  const [open, closed] = [true, false].map((wanted) =>
    fitting.filter(([, { locked }]) => locked > 0n === wanted).map(([orderId]) => orderId),
  );
  const ids = [...(open ?? []), ...(closed ?? []).reverse()];
  return Array.from({ length: count }, (_, index) => pick(ids, first + index)).filter((id) => id !== null);
}

/** Returns a settler's call for up to three ids at once; null without any id. */
function batch<T extends Record<string, unknown>>(
  kind: string,
  values: { [K in keyof T]: fc.Arbitrary<T[K]> },
  idsOf: (world: World, first: number, count: number) => Hex[],
  toCall: (world: World, ids: Hex[], values: T) => Call,
): fc.Arbitrary<Action> {
  const all = { first: fc.nat(3), count: fc.integer({ min: 1, max: 3 }), own: fc.record(values) };
  return action(kind, all, (world, { first, count, own }) => {
    const ids = idsOf(world, first, count);
    return ids.length === 0 ? null : toCall(world, ids, own as T);
  });
}

const orders =
  (isLimit: boolean | null) =>
  (world: World, first: number, count: number): Hex[] =>
    orderIds(world, isLimit, first, count);

const orderActions: fc.Arbitrary<Action>[] = [
  batch("settleMarket", { price }, orders(false), (world, ids, { price }) =>
    atStock(
      world,
      stock(
        "settleMarketOrders",
        ids,
        ids.map(() => price),
      ),
    ),
  ),
  // The price is the limit, or better by up to a half; the size is a part, all, or too much.
  action(
    "fillLimit",
    { first: fc.nat(3), part: percent, better: fc.nat(50) },
    (world, { first, part, better }) => {
      const [orderId] = orderIds(world, true, first, 1);
      const order = orderId && world.ledger.orders.get(orderId);
      if (!order || order.limit === null) return null;
      const change = (order.limit * BigInt(better)) / 100n;
      const at = order.isBuy ? order.limit - change : order.limit + change;
      const quantity = ((order.size - order.filled) * BigInt(part)) / 100n;
      return atStock(
        world,
        stock("settleLimitOrders", [orderId], [quantity], [at > UINT96_MAX ? UINT96_MAX : at]),
      );
    },
  ),
  batch("settleCancels", {}, orders(true), (world, ids) => atStock(world, stock("settleCancels", ids))),
  batch("reject", {}, orders(null), (world, ids) => atStock(world, stock("rejectOrders", ids, 1))),
  batch("expire", {}, orders(null), (world, ids) => atStock(world, stock("expireOrders", ids))),
];

/** Returns queued operations first, but closed ones too: settling those must change nothing. Instant ones are not kept. */
const operations =
  (kind: LedgerOperation["kind"]) =>
  ({ ledger }: World, first: number, count: number): Hex[] => {
    const fitting = [...ledger.operations].filter(([, one]) => one.kind === kind && !one.instant);
    fitting.sort(([, a], [, b]) => Number(b.queued) - Number(a.queued));
    const ids = fitting.map(([opId]) => opId);
    return Array.from({ length: count }, (_, index) => pick(ids, first + index)).filter((id) => id !== null);
  };

/** Returns a part, all, or more than all of an operation's value at a rate of 1. */
function settled({ ledger, cash }: World, opId: Hex, part: number): bigint {
  const operation = ledger.operations.get(opId);
  if (!operation) return 0n;
  const scale = operation.token.toLowerCase() === cash[0] ? 10n ** 12n : 1n;
  const worth = operation.kind === "deposit" ? operation.amount * scale : operation.amount / scale;
  return (worth * BigInt(part)) / 100n;
}

const cashActions: fc.Arbitrary<Action>[] = [
  batch("settleDeposits", { part: percent }, operations("deposit"), (world, ids, { part }) => {
    const credits = ids.map((opId) => settled(world, opId, part));
    return atCashier(world, cashier("batchSettleDeposit", ids, credits));
  }),
  batch("settleWithdrawals", { part: percent }, operations("withdrawal"), (world, ids, { part }) => {
    const payouts = ids.map((opId) => settled(world, opId, part));
    return atCashier(world, cashier("batchSettleWithdraw", ids, payouts));
  }),
  batch("rejectDeposits", {}, operations("deposit"), (world, ids) =>
    atCashier(world, cashier("batchRejectDeposit", ids, 1)),
  ),
  batch("rejectWithdrawals", {}, operations("withdrawal"), (world, ids) =>
    atCashier(world, cashier("batchRejectWithdraw", ids, 1)),
  ),
  action("setCreditBuffer", { share: fc.nat(100) }, (world, { share }) =>
    atCashier(world, cashier("setCreditBuffer", parseEther(`${share * 1_000}`), parseEther("100000"))),
  ),
  action("setWithdrawBuffer", { cash: which, share: fc.nat(100) }, (world, { cash, share }) => {
    const token = pick(world.cash, cash);
    const whole = token === world.cash[0] ? 10n ** 6n : 10n ** 18n;
    const buffer = BigInt(share) * 1_000n * whole;
    return token && atCashier(world, cashier("setWithdrawBuffer", token, buffer, 100_000n * whole));
  }),
  action("setTokenFees", { cash: which, deposit: fc.nat(500), withdraw: fc.nat(500) }, (world, values) => {
    const token = pick(world.cash, values.cash);
    return token && atCashier(world, cashier("setTokenFees", token, values.deposit, values.withdraw));
  }),
  action(
    "setFeeConfig",
    { buy: fc.nat(500), sell: fc.nat(500), least: amount },
    (world, { buy, sell, least }) =>
      atStock(world, stock("setFeeConfig", { buyFeeBps: buy, sellFeeBps: sell, minFeeWad: least / 10_000n })),
  ),
];

/** Users act most; the settler keeps up, so that orders and operations are open in all states. */
export const anyAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.oneof(...userActions) },
  { weight: 3, arbitrary: fc.oneof(...orderActions) },
  { weight: 2, arbitrary: fc.oneof(...cashActions) },
);
