import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { encodeDeployData, type Hex, maxUint256, parseEther } from "viem";
import { bytecode } from "../../packages/sandbox/src/contracts/bytecode.ts";
import { sendAll } from "../../packages/sandbox/src/transact.ts";
import { cashierAbi, cashTokenAbi, stockAbi } from "../../src/contracts/abi/index.ts";
import { decodeRevert } from "../../src/contracts/reverts.ts";
import { LONG } from "../support/assert/long.ts";
import { present } from "../support/assert/until.ts";
import { allLogs, send } from "../support/chain/product.ts";
import { type Action, anyAction, type Call, OPERATOR, type World } from "./actions.ts";
import { type Bench, startBench } from "./bench.ts";
import { cashier, cashToken, LATER, oneClick, router } from "./calls.ts";
import { apply, at, emptyLedger } from "./ledger.ts";

// After any sequence of calls the ledgers add up to the contracts' holdings, and a ledger rebuilt from events alone equals the
// contracts' state (docs/contracts.md#the-ledger-follows-from-events).

const RATE = 1_037_300n;
/** Number of sequences, of up to sixty calls each. */
const SEQUENCES = LONG ? 120 : 5;

let bench: Bench;
/** Worth 1.0373 mUSD, so that conversions round. */
let odd: Hex;
let start: World;
beforeAll(async () => {
  bench = await startBench(setUp);
  const { usdc, dai, aapl, deployment } = bench;
  const other = present(deployment.stockTokens[1], "another stock token").address;
  const ledger = emptyLedger();
  apply(ledger, await allLogs(bench));
  start = { bench, users: bench.users, cash: [usdc, dai, odd], stocks: [aapl, other], ledger };
});
afterAll(() => bench?.stop());

/** Adds a third cash token, buffers that random amounts reach, and a delegation. */
async function setUp({ client, deployment, deployer, users, ann, settleCash }: Bench): Promise<void> {
  const data = encodeDeployData({
    abi: cashTokenAbi,
    bytecode: bytecode.CashToken,
    args: ["Odd", "ODD", 18],
  });
  const [created] = await sendAll(client, deployer, [
    { name: "create ODD", to: null, data, gas: 3_000_000n },
  ]);
  odd = present(created?.contractAddress, "the token's address").toLowerCase() as Hex;
  await settleCash(
    cashier("supportToken", odd, {
      minAmount: 1,
      decimals: 18,
      depositPaused: false,
      withdrawPaused: false,
      usdRate: Number(RATE),
      withdrawBuffer: 0n,
      withdrawBufferCapacity: parseEther("100000"),
      depositFeeBps: 5,
      withdrawFeeBps: 9,
    }),
  );
  await settleCash(cashier("setCreditBuffer", parseEther("50000"), parseEther("100000")));
  for (const user of users) {
    await send(client, user, odd, cashToken("mint", user.address, parseEther("100000")));
    await send(client, user, odd, cashToken("approve", deployment.stockRouter, maxUint256));
    await send(client, user, deployment.stockRouter, router("deposit", odd, parseEther("1000") + 1n));
  }
  const message = { user: ann.address, delegatee: OPERATOR.address, nonce: 0n, deadline: LATER };
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
  const enable = oneClick("delegateBySig", ann.address, OPERATOR.address, 0n, LATER, signature);
  await send(client, OPERATOR, deployment.oneClickRouter, enable);
}

/** Makes a call if it succeeds; if not, it must revert with a custom error. */
async function attempt(world: World, { from, to, data }: Call): Promise<boolean> {
  const { client } = world.bench;
  try {
    await client.call({ account: from.address, to, data, gas: 5_000_000n });
  } catch (error) {
    const revert = decodeRevert(error);
    if (!revert || revert.name === "Panic" || revert.name === "Error") throw error;
    return false;
  }
  const receipt = await send(client, from, to, data, 5_000_000n);
  apply(world.ledger, receipt.logs);
  return true;
}

/** Returns the contracts' state in the ledger's terms. */
async function readContracts({ bench: { client, deployment, settler }, users, cash, stocks, ledger }: World) {
  const atCashier = { address: deployment.cashier, abi: cashierAbi } as const;
  const atStock = { address: deployment.stock, abi: stockAbi } as const;
  const accounts = [...users, settler].map(({ address }) => address);
  const pairs = accounts.flatMap((user) => stocks.map((token) => [user, token] as const));
  const queues = users.flatMap(({ address }) => cash.map((token) => [address, token] as const));
  const [available, locked, stock, lockedStock, pending, locks, buffer, custody, supply] = await Promise.all([
    Promise.all(
      accounts.map((user) => client.readContract({ ...atCashier, functionName: "balanceWad", args: [user] })),
    ),
    Promise.all(
      accounts.map((user) => client.readContract({ ...atCashier, functionName: "lockedWad", args: [user] })),
    ),
    Promise.all(pairs.map((args) => client.readContract({ ...atStock, functionName: "stockBalance", args }))),
    Promise.all(pairs.map((args) => client.readContract({ ...atStock, functionName: "lockedStock", args }))),
    Promise.all(queues.map((args) => client.readContract({ ...atCashier, functionName: "pending", args }))),
    Promise.all(
      [...ledger.orders.keys()].map((orderId) =>
        client.readContract({ ...atStock, functionName: "getOrder", args: [orderId] }),
      ),
    ),
    client.readContract({ ...atCashier, functionName: "creditBufferWad" }),
    Promise.all(stocks.map((token) => bench.tokensOf(token, deployment.stock))),
    Promise.all(cash.map((token) => bench.tokensOf(token, deployment.cashier))),
  ]);
  return {
    accounts,
    pairs,
    queues,
    available,
    locked,
    stock,
    lockedStock,
    pending,
    locks,
    buffer,
    custody,
    supply,
  };
}

const STATUS = ["none", "open", "canceling", "filled", "canceled", "rejected", "expired"];
const sum = (amounts: Iterable<bigint>): bigint => [...amounts].reduce((a, b) => a + b, 0n);

async function check(world: World): Promise<void> {
  const { ledger, stocks, cash } = world;
  const read = await readContracts(world);
  // The ledger of events is the ledger of the contracts.
  expect({
    available: read.accounts.map((user) => ledger.available.get(at(user)) ?? 0n),
    locked: read.accounts.map((user) => ledger.locked.get(at(user)) ?? 0n),
    stock: read.pairs.map((pair) => ledger.stock.get(at(...pair)) ?? 0n),
    lockedStock: read.pairs.map((pair) => ledger.lockedStock.get(at(...pair)) ?? 0n),
    orders: [...ledger.orders.values()].map(({ locked, filled, status }) => ({ locked, filled, status })),
    pending: read.queues.map(([user, token]) => [
      queued(world, "deposit", token, user),
      queued(world, "withdrawal", token, user),
    ]),
    buffer: ledger.creditBuffer,
  }).toEqual({
    available: read.available,
    locked: read.locked,
    stock: read.stock,
    lockedStock: read.lockedStock,
    orders: read.locks.map(({ lockedAmount, filledQuantity, status }) => ({
      locked: lockedAmount,
      filled: filledQuantity,
      status: STATUS[status],
    })),
    pending: read.pending,
    buffer: read.buffer,
  });
  // Stock: the available and locked amounts of all accounts equal the contract's holdings.
  for (const [index, token] of stocks.entries()) {
    const own = read.pairs.flatMap(([, of], pair) => (of === token ? [pair] : []));
    expect(sum(own.map((pair) => (read.stock[pair] ?? 0n) + (read.lockedStock[pair] ?? 0n)))).toBe(
      read.custody[index],
    );
  }
  // mUSD: available, locked and queued for withdrawal is worth the tokens held, less those queued as deposits.
  const owed = sum([
    ...read.available,
    ...read.locked,
    ...cash.map((token) => queued(world, "withdrawal", token)),
  ]);
  const [usdc = 0n, dai = 0n, odds = 0n] = cash.map(
    (token, index) => (read.supply[index] ?? 0n) - queued(world, "deposit", token),
  );
  const surplus = (usdc * 10n ** 12n + dai) * 1_000_000n + odds * RATE - owed * 1_000_000n;
  // Only conversions of the odd token round, each by less than one wad, and never to the contract's cost.
  const rounded = [...ledger.operations.values()].filter(({ token }) => at(token) === odd).length;
  const isBacked = surplus >= 0n && surplus <= BigInt(rounded) * 1_000_000n;
  expect({ surplus, rounded, isBacked }).toEqual({ surplus, rounded, isBacked: true });
}

function queued({ ledger }: World, kind: "deposit" | "withdrawal", token: Hex, user?: Hex): bigint {
  const operations = [...ledger.operations.values()].filter(
    (operation) =>
      operation.queued &&
      operation.kind === kind &&
      at(operation.token) === at(token) &&
      (user === undefined || operation.user === user),
  );
  return sum(operations.map(({ amount }) => amount));
}

describe("whatever is called", () => {
  it("the ledgers add up, and events alone rebuild them", async () => {
    const done = new Map<string, number>();
    const run = async (actions: Action[]): Promise<void> => {
      await bench.reset();
      const world = { ...start, ledger: structuredClone(start.ledger) };
      await check(world);
      for (const action of actions) {
        const call = action.toCall(world);
        if (!call || !(await attempt(world, call))) continue;
        done.set(action.kind, (done.get(action.kind) ?? 0) + 1);
        await check(world);
      }
    };
    const sequences = fc.array(anyAction, { minLength: 10, maxLength: 60, size: "max" });
    await fc.assert(fc.asyncProperty(sequences, run), { numRuns: SEQUENCES });
    expect(sum([...done.values()].map(BigInt))).toBeGreaterThan(20n);
  }, 600_000);
});
