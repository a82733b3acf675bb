import { join } from "node:path";
import type { Logger } from "pino";
import { type SandboxAccounts, sandboxAccounts } from "./accounts.ts";
import { type Anvil, startAnvil } from "./anvil.ts";
import type { Allowed } from "./browser-guard.ts";
import type { ChainChanges } from "./chain-changes.ts";
import { deploy } from "./deploy.ts";
import { ADVICE, type DeployedChain, recallChain, rememberChain, requireSameChain } from "./deployed.ts";
import { fundUsers } from "./fund.ts";
import { createMining, type Mining } from "./mining.ts";
import { rpcTo } from "./rpc.ts";
import { connect } from "./transact.ts";

export interface ChainNode {
  chainId: number;
  rpcUrl: string;
  /** Null where the chain is another program's, given by SANDBOX_RPC_URL_<id>. */
  anvil: Anvil | null;
  mining: Mining;
  changes: ChainChanges | null;
}

export interface NodeOptions {
  chainId: number;
  /** A chain of the caller's own, instead of a started one. */
  rpcUrl: string | undefined;
  /** Address that it listens on. */
  host: string;
  port: number;
  directory: string;
  allowed: Allowed;
  log: (line: string) => void;
}

/** @throws Error with anvil's output and the advice to start afresh, where it does not start from its state. */
export async function startNode(options: NodeOptions): Promise<ChainNode> {
  const { chainId, rpcUrl, host, port, directory, allowed, log } = options;
  if (rpcUrl !== undefined)
    return { chainId, rpcUrl, anvil: null, changes: null, mining: createMining(rpcTo(rpcUrl)) };
  try {
    const statePath = join(directory, `chain-${chainId}.json`);
    const anvil = await startAnvil({
      chainId,
      port,
      statePath,
      blockTimeSeconds: 1,
      log,
      guard: { host, allowed },
    });
    const { mining, changes } = anvil;
    return { chainId, rpcUrl: anvil.rpcUrl, anvil, mining, changes };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "";
    throw new Error(`chain ${chainId} does not start (if its state is damaged, ${ADVICE}): ${why}`, {
      cause,
    });
  }
}

export type SetUp = DeployedChain & { rpcUrl: string; mining: Mining; resumed: boolean };

/**
 * Makes a chain ready to trade: contracts, listings, liquidity, users with tokens, approvals and balances. A chain that the
 * database knows is left unchanged.
 * @throws Error where it is not the chain that the database knows (requireSameChain), or a step of the set-up reverts.
 */
export async function setUpChain(
  databaseUrl: string,
  { chainId, rpcUrl, mining }: ChainNode,
  log: Logger,
  accounts: SandboxAccounts = sandboxAccounts(),
): Promise<SetUp> {
  const known = await recallChain(databaseUrl, chainId);
  if (known) {
    await requireSameChain(databaseUrl, rpcUrl, known);
    return { ...known, rpcUrl, mining, resumed: true };
  }
  const client = connect(rpcUrl, chainId);
  const { deployer, settler, users } = accounts;
  const deployment = await deploy(client, { deployer, settler });
  await fundUsers(
    client,
    deployment,
    deployer,
    users.map(({ account }) => account),
  );
  const { hash: startHash } = await client.getBlock({ blockNumber: BigInt(deployment.startBlock) });
  const readyBlock = Number(await client.getBlockNumber({ cacheTime: 0 }));
  const chain = { ...deployment, startHash, readyBlock };
  await rememberChain(databaseUrl, chain);
  log.info({ chainId, readyBlock }, "chain set up");
  return { ...chain, rpcUrl, mining, resumed: false };
}
