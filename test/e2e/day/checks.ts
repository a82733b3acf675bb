import { expect } from "@jest/globals";
import { parseUnits } from "ethers";
import { present } from "../../support/assert/until.ts";
import type {
  ActivityList,
  Balance,
  HistoryOrder,
  OpenOrder,
  OperationList,
  Order,
  Position,
  Operation as ToldOperation,
} from "../../support/http/answers.ts";
import type { Done } from "./actions.ts";
import { answered, balanceOf, cashier, chain, ledger, partner, users, wad } from "./context.ts";
import { type Cost, type Fill, type Kind, type Operation, operationsUpTo, tradesUpTo } from "./events.ts";

/** Everything that the API tells, held against the contracts and their events at the very block that the answer names. */
type OrderTerms = Omit<OpenOrder, "status"> & Partial<Pick<HistoryOrder, "fee" | "fills">>;

async function checkBalance(user: string): Promise<void> {
  const { data, blockTag } = await answered(partner.get<Balance>(`/users/${user}/balance`));
  expect(data.blockNumber).toBe(blockTag);
  const at = { blockTag };
  const told = { blockTag, mUsd: wad(data.mUsdBalance), locked: wad(data.mUsdLocked) };
  expect(told).toEqual({
    blockTag,
    mUsd: await cashier.balanceWad?.(user, at),
    locked: await cashier.lockedWad?.(user, at),
  });
  await Promise.all(data.tokenBalances.map((token) => checkToken(token, user, blockTag)));
}

async function checkToken(
  { address, isStock, decimals, walletBalance, exchangeBalance, exchangeLocked }: Balance["tokenBalances"][0],
  user: string,
  blockTag: number,
): Promise<void> {
  const at = { blockTag };
  expect({ blockTag, address, wallet: parseUnits(walletBalance, decimals) }).toEqual({
    blockTag,
    address,
    wallet: await balanceOf(address, user, at),
  });
  if (!isStock) return;
  expect([address, wad(exchangeBalance ?? ""), wad(exchangeLocked ?? "")]).toEqual([
    address,
    ...(await Promise.all([
      ledger.stockBalance?.(user, address, at),
      ledger.lockedStock?.(user, address, at),
    ])),
  ]);
}

/** Expects the deltas of each asset to sum to the contracts' balances at the first page's block: later pages have no newer rows. */
async function checkActivities(user: string): Promise<void> {
  const sums = new Map<string, { available: bigint; locked: bigint; newest: bigint }>();
  const path = `/users/${user}/activities`;
  let page = await answered(partner.get<ActivityList>(path, { limit: "100" }));
  const { blockTag } = page;
  for (;;) {
    for (const { asset, stockAddress, delta, lockedDelta, balanceAfter } of page.data.rows) {
      const name = stockAddress ?? asset;
      const sum = sums.get(name) ?? { available: 0n, locked: 0n, newest: wad(balanceAfter) };
      sum.available += wad(delta);
      sum.locked += wad(lockedDelta);
      sums.set(name, sum);
    }
    const { nextCursor } = page.data;
    if (nextCursor === null) break;
    page = await answered(partner.get<ActivityList>(path, { limit: "100", cursor: nextCursor }));
  }
  const at = { blockTag };
  for (const [name, { available, locked, newest }] of sums) {
    const args = name === "mUSD" ? [user, at] : [user, name, at];
    const [balanceOfAsset, lockOfAsset] =
      name === "mUSD" ? [cashier.balanceWad, cashier.lockedWad] : [ledger.stockBalance, ledger.lockedStock];
    const balance = await balanceOfAsset?.(...args);
    expect({ name, available, newest, locked }).toEqual({
      name,
      available: balance,
      newest: balance,
      locked: await lockOfAsset?.(...args),
    });
  }
  expect({ assets: [...sums.keys()], areMany: sums.size > 1 }).toEqual({
    assets: [...sums.keys()],
    areMany: true,
  });
}

/** @returns how many positions have a cost */
async function checkPositions(user: string): Promise<number> {
  const { data, blockTag } = await answered(partner.get<Position[]>(`/users/${user}/positions`));
  expect({ user, data }).toEqual({ user, data: expect.arrayContaining([expect.anything()]) });
  const { costOf } = await tradesUpTo(blockTag);
  const checkPosition = async (position: Position) => {
    const { stockAddress } = position;
    const held = await holdingOf(user, stockAddress, blockTag);
    const expected = {
      ...held,
      ...worth(held, costOf(user, stockAddress), wad(present(position.marketPrice, "a market price"))),
    };
    const fields = Object.keys(expected) as (keyof typeof expected)[];
    const told = Object.fromEntries(
      fields.map((field) => [field, position[field] === null ? null : wad(position[field])]),
    );
    expect({ blockTag, stockAddress, ...told }).toEqual({ blockTag, stockAddress, ...expected });
  };
  await Promise.all(data.map(checkPosition));
  return data.filter(({ costBasis }) => costBasis !== null).length;
}

async function holdingOf(user: string, stock: string, blockTag: number) {
  const at = { blockTag };
  const [walletBalance, exchangeBalance, lockedBalance]: [bigint, bigint, bigint] = await Promise.all([
    balanceOf(stock, user, at),
    ledger.stockBalance?.(user, stock, at),
    ledger.lockedStock?.(user, stock, at),
  ]);
  const quantity = walletBalance + exchangeBalance + lockedBalance;
  return { walletBalance, exchangeBalance, lockedBalance, quantity };
}

const ONE = 10n ** 18n;

/** Values a holding. No stock leaves the wallets on such a day: all that was bought and not sold is held. */
function worth({ quantity }: { quantity: bigint }, { shares, paid, gained }: Cost, price: bigint) {
  expect({ shares, quantity, isHeld: shares <= quantity }).toEqual({ shares, quantity, isHeld: true });
  const known = shares > 0n;
  return {
    averageEntryPrice: known ? (paid * ONE) / shares : null,
    costBasis: known ? paid : null,
    marketValue: (quantity * price) / ONE,
    unrealizedPnl: known ? (shares * price) / ONE - paid : null,
    realizedPnl: gained,
  };
}

/** Statuses by the contract's number; 1 is open, 2 canceling. */
const ENDED = ["none", "open", "canceling", "Filled", "Canceled", "Rejected", "Expired"];
const OPEN = ["Pending", "New", "Partial filled"];

async function checkOrder({ txHash, by }: Done): Promise<string> {
  const { data, blockTag } = await answered(by.get<Order>(`/orders/tx/${txHash}`));
  if (data.orderId === null) return data.status;
  const said = await ledger.getOrder?.(data.orderId, { blockTag });
  const terms: OrderTerms = present(data.openOrder ?? data.historyOrder, "open or history order");
  const status = Number(said.status);
  const expected = status <= 2 ? OPEN : [ENDED[status]];
  expect({ blockTag, txHash, expected }).toEqual({
    blockTag,
    txHash,
    expected: expect.arrayContaining([data.status]),
  });
  expect({
    txHash,
    blockTag,
    user: terms.userAddress,
    stock: terms.stockAddress,
    filled: wad(present(terms.filledQuantity, "filledQuantity")),
    notional: wad(present(terms.filledNotional, "filledNotional")),
    locked: wad(present(terms.lockedAmount, "lockedAmount")),
    fee: terms.fee === undefined ? said.feeChargedWad : wad(present(terms.fee, "fee")),
  }).toEqual({
    txHash,
    blockTag,
    user: said.user,
    stock: said.stockToken,
    filled: said.filledQuantity,
    notional: said.filledNotionalWad,
    locked: said.lockedAmount,
    fee: said.feeChargedWad,
  });
  const { fills } = await tradesUpTo(blockTag);
  checkFills(terms, fills.get(data.orderId) ?? [], said);
  return data.status;
}

/** Expects the fills of an order to equal its events, and to add up to the contract's totals. */
function checkFills(
  { fills: told }: OrderTerms,
  fills: Fill[],
  said: { filledNotionalWad: bigint; feeChargedWad: bigint },
): void {
  const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
  expect({
    filledNotionalWad: sum(fills.map(({ notional }) => notional)),
    feeChargedWad: sum(fills.map(({ fee }) => fee)),
  }).toEqual({ filledNotionalWad: said.filledNotionalWad, feeChargedWad: said.feeChargedWad });
  if (!told) return;
  const wads = told.map(({ quantity, price, fee, txHash }) => [wad(quantity), wad(price), wad(fee), txHash]);
  expect(wads).toEqual(fills.map(({ quantity, price, fee, txHash }) => [quantity, price, fee, txHash]));
}

const KINDS: Kind[] = ["cash/deposits", "cash/withdrawals", "stock/deposits", "stock/withdrawals"];

/** @returns how many operations there are of each kind */
async function checkOperations(by: Done["by"], done: readonly Done[]): Promise<Map<Kind, number>> {
  const own = new Set(done.filter((one) => one.by === by).map(({ txHash }) => txHash));
  const counts = new Map<Kind, number>();
  for (const kind of KINDS) {
    const { data, blockTag } = await answered(by.get<OperationList>(`/${kind}`, { limit: 100 }));
    const expected = (await operationsUpTo(blockTag, own)).get(kind) ?? [];
    const told = data.rows.flatMap(({ operationStatus, depositOperation, withdrawalOperation }) => {
      const operation = depositOperation ?? withdrawalOperation;
      if (!operation || !own.has(operation.createTxHash)) return [];
      expect(operationStatus).toBe(operation.status);
      return [amountsOf(kind, operation)];
    });
    const byId = (a: Operation, b: Operation) => (a.operationId < b.operationId ? -1 : 1);
    expect({ blockTag, kind, operations: told.sort(byId) }).toEqual({
      blockTag,
      kind,
      operations: expected.sort(byId),
    });
    counts.set(kind, expected.length);
  }
  return counts;
}

/** Returns an operation of an answer, with amounts in base units. */
function amountsOf(kind: Kind, told: ToldOperation): Operation {
  const { operationId, userAddress, tokenAddress, status, isInstant, createTxHash, settleTxHash } = told;
  const decimals = chain.cashTokens.find(({ address }) => address === tokenAddress)?.decimals ?? 18;
  const [asked, came] = kind === "cash/deposits" ? [decimals, 18] : [18, decimals];
  const units = (text: string | null, scale: number) => (text === null ? null : parseUnits(text, scale));
  return {
    operationId,
    userAddress,
    tokenAddress,
    status,
    isInstant,
    createTxHash,
    settleTxHash,
    amount: parseUnits(present(told.amount, "an amount"), asked),
    creditAmount: units(told.creditAmount, came),
    feeAmount: units(told.feeAmount, came),
  };
}

/** Counts of what was checked: a day on which nothing happened proves nothing. */
export interface Seen {
  /** Orders by status. */
  statuses: Map<string, number>;
  /** Positions with a cost. */
  costs: number;
  operations: number;
}

/**
 * Compares all answers of the API about the day with the contracts. The requests run concurrently: each answer is compared at
 * its own block, and ethers sends many calls as one.
 */
export async function checkAll(done: readonly Done[], keys: readonly Done["by"][]): Promise<Seen> {
  const [costs, ended, operations] = await Promise.all([
    Promise.all(users.map(({ address }) => checkUser(address))),
    Promise.all(done.filter(({ isOrder }) => isOrder).map(checkOrder)),
    Promise.all(keys.map((by) => checkOperations(by, done))),
  ]);
  const statuses = new Map<string, number>();
  for (const status of ended) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  return {
    statuses,
    costs: sum(costs),
    operations: sum(operations.flatMap((counts) => [...counts.values()])),
  };
}

/** @returns how many positions have a cost */
async function checkUser(address: string): Promise<number> {
  await Promise.all([checkBalance(address), checkActivities(address)]);
  return checkPositions(address);
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
