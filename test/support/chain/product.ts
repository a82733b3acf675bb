import {
  getAbiItem,
  type Hex,
  type LocalAccount,
  type Log,
  type PublicClient,
  type TransactionReceipt,
  toEventSelector,
} from "viem";
import { z } from "zod";
import { developmentAccount } from "../../../packages/sandbox/src/accounts.ts";
import { type Deployment, deploy } from "../../../packages/sandbox/src/deploy.ts";
import { fundUsers } from "../../../packages/sandbox/src/fund.ts";
import type { Mining } from "../../../packages/sandbox/src/mining.ts";
import { connect, sendAll } from "../../../packages/sandbox/src/transact.ts";
import { stockTokenAbi } from "../../../src/contracts/abi/index.ts";
import { startAnvil } from "./anvil.ts";
import { keepChain, keptChain } from "./kept-chains.ts";

/** A chain of its own with one product deployed, and funded, approved users. */
export interface Product {
  rpcUrl: string;
  mining: Mining;
  client: PublicClient;
  deployment: Deployment;
  /** The contracts' admin. */
  deployer: LocalAccount;
  /** Also the broker. */
  settler: LocalAccount;
  users: LocalAccount[];
  stop(): Promise<void>;
}

/** Returns a development account, the same in every run: 0 deploys, 1 settles, users follow. */
export function account(index: number): LocalAccount {
  return developmentAccount(index);
}

/**
 * Starts a chain with a product deployed on it.
 * @param options.genesisBlock the number of the chain's first block
 */
export async function startProduct({
  chainId = 31337,
  users: count = 3,
  genesisBlock = 0,
} = {}): Promise<Product> {
  const kept = genesisBlock === 0 ? keptChain(chainId, count) : null;
  const state = kept ? { initialStatePath: kept.statePath } : {};
  const anvil = await startAnvil({ chainId, genesisBlock, ...state });
  const client = connect(anvil.rpcUrl, chainId);
  const deployer = account(0);
  const settler = account(1);
  const users = Array.from({ length: count }, (_, index) => account(index + 2));
  const setUp = async (): Promise<Deployment> => {
    const deployment = await deploy(client, { deployer, settler });
    await fundUsers(client, deployment, deployer, users);
    if (genesisBlock === 0) await keepChain(client, deployment, count);
    return deployment;
  };
  try {
    const deployment = kept?.deployment ?? (await setUp());
    const { rpcUrl, mining } = anvil;
    return { rpcUrl, mining, client, deployment, deployer, settler, users, stop: anvil.stop };
  } catch (error) {
    await anvil.stop();
    throw error;
  }
}

/** Sends one transaction and waits for it; throws naming the custom error where it reverts. */
export async function send(
  client: PublicClient,
  from: LocalAccount,
  to: Hex,
  data: Hex,
  gas = 3_000_000n,
): Promise<TransactionReceipt> {
  const [receipt] = await sendAll(client, from, [{ name: "the transaction", to, data, gas }]);
  if (!receipt) throw new Error("no receipt");
  return receipt;
}

/** Remembers the chain's state; the answer puts it back. */
export async function snapshot(client: PublicClient): Promise<() => Promise<void>> {
  const request = (method: string, params: unknown[]) =>
    client.transport.request({ method, params }) as Promise<unknown>;
  const id = z.string().parse(await request("evm_snapshot", []));
  return async () => {
    if ((await request("evm_revert", [id])) !== true) throw new Error(`cannot go back to snapshot ${id}`);
  };
}

/** Returns all logs of the product's contracts since its deployment, in order. */
export function allLogs({ client, deployment }: Product): Promise<Log[]> {
  const { stockRouter, cashier, stock, oneClickRouter, stockTokens, startBlock } = deployment;
  return client.getLogs({
    address: [stockRouter, cashier, stock, oneClickRouter, ...stockTokens.map(({ address }) => address)],
    fromBlock: BigInt(startBlock),
  });
}

/** Returns the blocks with an event that the indexer has a handler for, oldest first, as JSON of their rows. */
export async function eventBlocks(product: Product): Promise<string[]> {
  const ignored = (["Transfer", "Approval"] as const).map((name) =>
    toEventSelector(getAbiItem({ abi: stockTokenAbi, name })),
  );
  const logs = (await allLogs(product)).filter(({ topics }) => !ignored.some((topic) => topic === topics[0]));
  const blocks = logs.map(({ blockNumber, blockHash }) =>
    JSON.stringify({ chain_id: product.deployment.chainId, number: `${blockNumber}`, hash: blockHash }),
  );
  return [...new Set(blocks)];
}
