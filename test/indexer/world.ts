import { type Address, encodeDeployData, type Hex, type LocalAccount, parseEther, parseUnits } from "viem";
import { bytecode, smartWalletAbi } from "../../packages/sandbox/src/contracts/bytecode.ts";
import { sendAll } from "../../packages/sandbox/src/transact.ts";
import { decodeEvents } from "../contracts/bench.ts";
import { cashToken } from "../contracts/calls.ts";
import { wallet } from "../contracts/wallet-calls.ts";
import { type SeededRandom, seededRandom } from "../support/assert/seeded-random.ts";
import { present } from "../support/assert/until.ts";
import { account, type Product, send } from "../support/chain/product.ts";

/** Facts of the chain, by the receipts: those that the contracts themselves do not store. */
export interface Facts {
  orders: Map<Hex, { isLimit: boolean }>;
  deposits: Set<Hex>;
  withdrawals: Set<Hex>;
  /** Combined calls; the deposit of a stock has no id on the chain. */
  combined: { orderId: Hex; depositOpId: Hex | null }[];
  /** Suffixes of calls that went straight to the router, by transaction. */
  suffixes: Map<Hex, { callData: Hex; suffix: Hex; from: Address }>;
  /** Number of emissions of each event. */
  counts: Map<string, number>;
}

/** A product with an account for every role, and a random source. */
export interface World {
  product: Product;
  facts: Facts;
  random: SeededRandom;
  /** A wallet contract: its transactions may hold many calls. */
  smart: { owner: LocalAccount; address: Address };
  /** Account that may be named as delegatee. */
  operator: LocalAccount;
}

export async function createWorld(product: Product, seed: number): Promise<World> {
  const operator = account(20);
  const facts: Facts = {
    orders: new Map(),
    deposits: new Set(),
    withdrawals: new Set(),
    combined: [],
    suffixes: new Map(),
    counts: new Map(),
  };
  return {
    product,
    facts,
    random: seededRandom(seed),
    operator,
    smart: await setUpWallet(product, operator),
  };
}

async function setUpWallet({ client, deployment, deployer, users }: Product, operator: LocalAccount) {
  const owner = present(users[0], "a user");
  const { cashTokens, stockTokens, stockRouter } = deployment;
  const tokens = [...cashTokens, ...stockTokens];
  const data = encodeDeployData({
    abi: smartWalletAbi,
    bytecode: bytecode.SmartWallet,
    args: [owner.address],
  });
  const [receipt] = await sendAll(client, owner, [{ name: "wallet", to: null, data, gas: 2_000_000n }]);
  const address = present(receipt?.contractAddress, "a wallet");
  await sendAll(client, deployer, [
    { name: "gas of the operator", to: operator.address, value: parseEther("10"), gas: 21_000n },
    ...tokens.map(({ address: to, decimals }) => ({
      name: "tokens of the wallet",
      to,
      data: cashToken("mint", address, parseUnits("1000000", decimals)),
      gas: 200_000n,
    })),
  ]);
  const approve = cashToken("approve", stockRouter, 2n ** 256n - 1n);
  const approvals = tokens.map(({ address: target }) => ({ target, value: 0n, data: approve }));
  await send(client, owner, address, wallet("executeBatch", approvals));
  return { owner, address };
}

/** Sends a transaction and records its effects. Throws where it reverts. Returns its hash. */
export async function act(world: World, from: LocalAccount, to: Address, data: Hex): Promise<Hex> {
  const { product, facts } = world;
  const receipt = await send(product.client, from, to, data, 8_000_000n);
  for (const { name, args } of decodeEvents(receipt.logs)) {
    facts.counts.set(name, (facts.counts.get(name) ?? 0) + 1);
    note(facts, name, args);
  }
  return receipt.transactionHash;
}

function note(facts: Facts, name: string, args: Record<string, unknown>): void {
  const orderId = args.orderId as Hex;
  const opId = args.opId as Hex;
  const depositOpId = (args.depositOpId ?? null) as Hex | null;
  if (/OrderPlaced$/.test(name)) facts.orders.set(orderId, { isLimit: name.startsWith("Limit") });
  if (name === "DepositRequested") facts.deposits.add(opId);
  if (name === "WithdrawalRequested") facts.withdrawals.add(opId);
  if (/^Deposit(Stock)?And/.test(name)) facts.combined.push({ orderId, depositOpId });
}
