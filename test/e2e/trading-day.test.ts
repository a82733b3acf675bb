import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Contract, JsonRpcProvider, parseUnits, Wallet } from "ethers";
import { createControl } from "../support/control.ts";
import { diceFrom, SEED } from "../support/dice.ts";
import { type Answer, createPartner } from "../support/partner.ts";
import { readSandboxState } from "../support/sandbox-state.ts";
import { present, until } from "../support/until.ts";

/**
 * A day of trading at random, through the API alone: orders, cancels, combined calls, deposits and withdrawals of two
 * users, a split and a reorg. Whatever happened, every balance, position and order that the API tells is what the
 * contracts say at the very block that the answer names. The contracts are asked by ethers.
 */
const STEPS = 60;
const CHECK_EVERY = 15;

interface Calldata {
  toAddress: string;
  callData: string;
  preflight: { ok: boolean; checks: { check: string; ok: boolean }[]; revert: string | null };
}
interface OrderTerms {
  userAddress: string;
  stockAddress: string;
  filledQuantity: string;
  filledNotional: string;
  lockedAmount: string;
  fee?: string;
}
interface OrderView {
  orderId: string | null;
  txHash: string;
  status: string;
  openOrder: OrderTerms | null;
  historyOrder: OrderTerms | null;
}
interface Token {
  address: string;
  isStock: boolean;
  decimals: number;
  walletBalance: string;
  exchangeBalance: string | null;
  exchangeLocked: string | null;
}
interface Balance {
  mUsdBalance: string;
  mUsdLocked: string;
  tokenBalances: Token[];
  blockNumber: number;
}
interface Position {
  stockAddress: string;
  walletBalance: string;
  exchangeBalance: string;
  lockedBalance: string;
}

const state = readSandboxState();
const chain = present(state.chains[1], "a second chain");
const key = present(
  state.keys.find(({ chainId, access }) => chainId === chain.chainId && access === "WRITABLE"),
  "a WRITABLE key of the second chain",
);
const partner = createPartner(state.baseUrl, key);
const control = createControl(state.controlUrl);
const provider = new JsonRpcProvider(chain.rpcUrl, chain.chainId, {
  staticNetwork: true,
  pollingInterval: 50,
  cacheTimeout: -1,
});
const users = state.users.slice(2, 4);
const dice = diceFrom(SEED);
/** Traded by nobody else: one of them is split. */
const stocks = ["METAx", "TSLAx"].map((wanted) =>
  present(
    chain.stockTokens.find(({ symbol }) => symbol === wanted),
    wanted,
  ),
);
const cashier = new Contract(
  chain.contracts.cashier,
  [
    "function balanceWad(address) view returns (uint256)",
    "function lockedWad(address) view returns (uint256)",
  ],
  provider,
);
const ledger = new Contract(
  chain.contracts.stock,
  [
    "function stockBalance(address,address) view returns (uint256)",
    "function lockedStock(address,address) view returns (uint256)",
    `function getOrder(bytes32) view returns (tuple(address user, uint32 deadline, uint16 feeBps, uint8 status, bool isLimit,
      bool isBuy, uint8 tif, address stockToken, uint96 size, uint96 price, uint96 filledQuantity, uint96 minFeeWad,
      uint96 feeChargedWad, uint128 filledNotionalWad, uint128 lockedAmount))`,
  ],
  provider,
);
const erc20 = ["function balanceOf(address) view returns (uint256)"];
const wad = (value: string) => parseUnits(value, 18);
const soon = () => Math.floor(Date.now() / 1000) + 3600;
const recorded: { txHash: string; path: string }[] = [];

beforeAll(() => control.post("/mode", { mode: "auto", chainId: chain.chainId, orderDelayMs: 300 }));

afterAll(async () => {
  await control.post("/mode", { mode: "auto", chainId: chain.chainId, orderDelayMs: 1000 });
  provider.destroy();
});

type Fields = Record<string, unknown>;

/** An endpoint and its input, with amounts that mostly can be afforded. */
function movement(userAddress: string): [string, Fields] {
  const cash = dice.of(chain.cashTokens);
  const cents = () => `${1 + dice.below(300)}.${10 + dice.below(89)}`;
  const move = (tokenAddress: string, tokenAmount: string) => ({ userAddress, tokenAddress, tokenAmount });
  return dice.of<[string, Fields]>([
    ["/cash/deposits", move(cash.address, cents())],
    ["/cash/withdrawals", move(cash.address, cents())],
    ["/stock/deposits", move(dice.of(stocks).address, `0.${1 + dice.below(99_999)}`)],
    ["/stock/withdrawals", move(dice.of(stocks).address, `0.${1 + dice.below(99_999)}`)],
  ]);
}

async function order(userAddress: string): Promise<[string, Fields]> {
  const stock = dice.of(stocks).address;
  const { basicInfo } = await partner.must(partner.get<{ basicInfo: { price: string } }>(`/prices/${stock}`));
  const cents = Math.round(Number(basicInfo.price) * (90 + dice.below(20)));
  const limit = {
    type: "Limit",
    quantity: `${dice.below(3)}.${1 + dice.below(9_999)}`,
    price: `${Math.floor(cents / 100)}.${`${cents % 100}`.padStart(2, "0")}`,
    timeInForce: "DAY",
  };
  const market = (side: string) =>
    side === "Buy"
      ? { type: "Market", notional: `${5 + dice.below(400)}.5` }
      : { type: "Market", quantity: `0.${1 + dice.below(9_999)}` };
  const side = dice.of(["Buy", "Sell"]);
  const terms = dice.chance(0.5) ? limit : market(side);
  const input = { userAddress, stockAddress: stock, side, deadline: soon(), ...terms };
  if (dice.chance(0.7)) return ["/orders", input];
  const cash = dice.of(chain.cashTokens);
  const deposit =
    side === "Buy" ? { tokenAddress: cash.address, tokenAmount: `${200 + dice.below(500)}` } : {};
  return ["/orders/with-deposit", { ...input, ...deposit }];
}

/** Asks for calldata, submits it where it can succeed, and records it. */
async function trade(): Promise<void> {
  const user = dice.of(users);
  const [path, input] = dice.chance(0.4) ? movement(user.address) : await order(user.address);
  const call = await partner.must(partner.post<Calldata>(`${path}/calldata`, input));
  if (!call.preflight.ok) {
    const failed = call.preflight.checks.some(({ ok }) => !ok) || call.preflight.revert !== null;
    expect({ path, input, failed }).toEqual({ path, input, failed: true });
    return;
  }
  const recordPath = path === "/orders/with-deposit" ? "/orders/tx" : `${path}/tx`;
  await submit(user.privateKey, call, recordPath);
}

async function submit(privateKey: string, call: Calldata, recordPath: string | null): Promise<void> {
  const wallet = new Wallet(privateKey, provider);
  const nonce = await provider.getTransactionCount(wallet.address, "latest");
  const sent = await wallet.sendTransaction({
    to: call.toAddress,
    data: call.callData,
    nonce,
    gasLimit: 1_500_000n,
  });
  await provider.waitForTransaction(sent.hash);
  if (!recordPath) return;
  const answer = await partner.post(recordPath, { txHash: sent.hash });
  // Between preflight and block the broker may have moved what the call needed.
  if (answer.body.errCode !== "TX_REVERTED") await partner.must(Promise.resolve(answer));
  recorded.push({ txHash: sent.hash, path: recordPath });
}

async function cancelOne(): Promise<void> {
  const { rows } = await partner.must(
    partner.get<{ rows: OrderView[] }>("/orders", { status: "New", limit: 50 }),
  );
  const mine = rows.filter(({ openOrder }) =>
    users.some(({ address }) => address === openOrder?.userAddress),
  );
  if (mine.length === 0) return;
  const { orderId, openOrder } = dice.of(mine);
  const answer = await partner.delete<Calldata>(`/orders/${orderId}/calldata`);
  // It may have been filled meanwhile.
  if (answer.body.errCode === "ORDER_NOT_CANCELABLE") return;
  const call = await partner.must(Promise.resolve(answer));
  const owner = present(
    users.find(({ address }) => address === openOrder?.userAddress),
    "the order's user",
  );
  await submit(owner.privateKey, call, null);
}

const answered = async <T>(answer: Promise<Answer<T>>) => {
  const { headers } = await answer;
  return { data: await partner.must(answer), blockTag: Number(headers.get("x-indexed-block")) };
};

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
  for (const token of data.tokenBalances) {
    const { address, isStock, decimals } = token;
    const contract = new Contract(address, erc20, provider);
    expect({ blockTag, address, wallet: parseUnits(token.walletBalance, decimals) }).toEqual({
      blockTag,
      address,
      wallet: await contract.balanceOf?.(user, at),
    });
    if (isStock) {
      const { exchangeBalance, exchangeLocked } = token;
      expect([address, wad(exchangeBalance ?? ""), wad(exchangeLocked ?? "")]).toEqual([
        address,
        await ledger.stockBalance?.(user, address, at),
        await ledger.lockedStock?.(user, address, at),
      ]);
    }
  }
}

async function checkPositions(user: string): Promise<void> {
  const { data, blockTag } = await answered(partner.get<Position[]>(`/users/${user}/positions`));
  const at = { blockTag };
  expect(data.length).toBeGreaterThan(0);
  for (const position of data) {
    const { stockAddress: address } = position;
    const contract = new Contract(address, erc20, provider);
    expect([
      blockTag,
      address,
      wad(position.walletBalance),
      wad(position.exchangeBalance),
      wad(position.lockedBalance),
    ]).toEqual([
      blockTag,
      address,
      await contract.balanceOf?.(user, at),
      await ledger.stockBalance?.(user, address, at),
      await ledger.lockedStock?.(user, address, at),
    ]);
  }
}

/** By the contract's number; 1 open, 2 canceling. */
const ENDED = ["none", "open", "canceling", "Filled", "Canceled", "Rejected", "Expired"];
const OPEN = ["Pending", "New", "Partial filled"];

async function checkOrder(txHash: string): Promise<string> {
  const { data, blockTag } = await answered(partner.get<OrderView>(`/orders/tx/${txHash}`));
  if (data.orderId === null) return data.status;
  const said = await ledger.getOrder?.(data.orderId, { blockTag });
  const terms = present(data.openOrder ?? data.historyOrder, "open or history order");
  const status = Number(said.status);
  const expected = status <= 2 ? OPEN : [ENDED[status]];
  expect({
    blockTag,
    txHash,
    expected,
    isExpected: expected.includes(data.status),
    told: data.status,
  }).toEqual({
    blockTag,
    txHash,
    expected,
    isExpected: true,
    told: data.status,
  });
  expect({
    txHash,
    blockTag,
    user: terms.userAddress,
    stock: terms.stockAddress,
    filled: wad(terms.filledQuantity),
    notional: wad(terms.filledNotional),
    locked: wad(terms.lockedAmount),
    fee: terms.fee === undefined ? said.feeChargedWad : wad(terms.fee),
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
  return data.status;
}

/** Everything of the day as the API tells it, held against the contracts. @returns how many orders have which status */
async function checkAll(): Promise<Map<string, number>> {
  for (const { address } of users) {
    await checkBalance(address);
    await checkPositions(address);
  }
  const statuses = new Map<string, number>();
  for (const { txHash } of recorded.filter(({ path }) => path === "/orders/tx")) {
    const status = await checkOrder(txHash);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  return statuses;
}

/** Rolls the chain back, and waits until the API has followed: for a moment it tells of the old branch. */
async function reorg(how: Fields): Promise<void> {
  await control.post("/reorg", { chainId: chain.chainId, ...how });
  await until("the API on the new branch", checkAll);
}

it(`tells what the contracts say, all day long (TEST_SEED=${SEED})`, async () => {
  const split = present(stocks[0], "a stock");
  const { basicInfo } = await partner.must(
    partner.get<{ basicInfo: { symbol: string } }>(`/prices/${split.address}`),
  );
  for (let step = 1; step <= STEPS; step++) {
    if (dice.chance(0.15)) await cancelOne();
    else await trade();
    if (step === STEPS / 3) {
      await control.post("/corporate-action", {
        symbol: basicInfo.symbol,
        type: "split",
        oldRate: 1,
        newRate: 2,
      });
    }
    if (step === STEPS / 2) await reorg({ depth: 4, transactions: "keep" });
    if (step === (STEPS * 2) / 3) await reorg({ depth: 2 });
    if (step % CHECK_EVERY === 0) await checkAll();
  }
  await control.post("/mine", { chainId: chain.chainId, blocks: 3 });
  await control.quiet(partner);
  const statuses = await checkAll();
  expect(statuses.get("Filled") ?? 0).toBeGreaterThan(0);
});
