import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { developmentAccount } from "../../../src/sandbox/accounts.ts";
import { type Deployment, deploy } from "../../../src/sandbox/deploy.ts";
import { connect } from "../../../src/sandbox/transact.ts";
import { startAnvil } from "./anvil.ts";

/** The chain id of the deployment that a run of the tests makes once. */
const CHAIN_ID = 31337;
const VARIABLE = "TEST_DEPLOYED_CHAIN";

const stateIn = (directory: string) => join(directory, "state.json");
const deploymentIn = (directory: string) => join(directory, "deployment.json");

/**
 * Deploys one product to a chain and keeps the chain's state on disk, for startProduct: each test file then starts a chain
 * of its own from it. Sets TEST_DEPLOYED_CHAIN.
 * @returns removes what was kept
 */
export async function keepDeployedChain(): Promise<() => void> {
  const directory = mkdtempSync(join(tmpdir(), "partner-deployed-"));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    const anvil = await startAnvil({ chainId: CHAIN_ID, statePath: stateIn(directory) });
    try {
      const [deployer, settler] = [developmentAccount(0), developmentAccount(1)];
      const deployment = await deploy(connect(anvil.rpcUrl, CHAIN_ID), { deployer, settler });
      writeFileSync(deploymentIn(directory), JSON.stringify(deployment));
    } finally {
      // Its state is complete afterwards.
      await anvil.stop();
    }
  } catch (error) {
    remove();
    throw error;
  }
  process.env[VARIABLE] = directory;
  return remove;
}

/** Returns what this run has deployed once for a chain id, or null: then the caller deploys. */
export function deployedChain(chainId: number): { statePath: string; deployment: Deployment } | null {
  const directory = process.env[VARIABLE];
  if (!directory || chainId !== CHAIN_ID) return null;
  const deployment = JSON.parse(readFileSync(deploymentIn(directory), "utf8")) as Deployment;
  return { statePath: stateIn(directory), deployment };
}
