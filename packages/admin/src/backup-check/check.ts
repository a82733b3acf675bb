import { type Chain, createChains } from "../../../../src/chain/clients.ts";
import { loadDeployments } from "../../../../src/config/deployments.ts";
import type { IndexedBlock } from "../../../../src/db/checkpoint.ts";
import { createPool } from "../../../../src/db/pool.ts";
import { readIndexedBlock } from "../reconcile/pages.ts";
import { runCommand } from "../run.ts";

/** Blocks over which the time between two of them is averaged. */
const AVERAGED = 1_000n;
/** A worker may have left what is younger as it was, and reconcile counts that a quarter of an hour later. Seconds. */
const SETTLED_SECONDS = 1_200;
/** Time whose transactions are compared with the chain, seconds. */
const SAMPLE_SECONDS = 86_400;

/** A command that found a difference, or could not be done. */
export interface Fault {
  command: string;
  /** Its output. */
  output: string;
}

/**
 * Compares a database that a backup was restored into: all rows that keys see with what their claims own (`projection check`), but those
 * that the worker was about to write, and claims and requests of a day with the chain (`reconcile`), for each chain of the deployments file.
 * @param env DATABASE_URL of that database, and DEPLOYMENTS_FILE with its variables
 * @returns the first command that failed; null where all is right
 */
export async function findFault(env: NodeJS.ProcessEnv): Promise<Fault | null> {
  const chains = createChains(loadDeployments(env.DEPLOYMENTS_FILE ?? "", env));
  for (const [chainId, chain] of chains) {
    // No worker runs on the restored database: what it had not written at the backup's moment stays so.
    const fault =
      (await faultOf(["projection", "check", "--allow-behind", "--chain", String(chainId)], env)) ??
      (await faultOf(["reconcile", "--chain", String(chainId), ...(await sampleOf(chain, env))], env));
    if (fault) return fault;
  }
  return null;
}

async function faultOf(args: string[], env: NodeJS.ProcessEnv): Promise<Fault | null> {
  let output = "";
  const collect = { write: (text: string) => (output += text) };
  const code = await runCommand(args, { env, stdout: collect, stderr: collect });
  return code === 0 ? null : { command: args.join(" "), output };
}

/** Returns the options of reconcile for the day before what was indexed when the backup was made. */
async function sampleOf(chain: Chain, { DATABASE_URL = "" }: NodeJS.ProcessEnv): Promise<string[]> {
  const pool = createPool(DATABASE_URL, { max: 1 });
  try {
    const indexed = await readIndexedBlock(pool, chain.config.chainId);
    const secondsPerBlock = await averageSeconds(chain, indexed);
    const before = (seconds: number) => {
      const block = indexed.number - BigInt(Math.ceil(seconds / secondsPerBlock));
      return String(block > 0n ? block : 0n);
    };
    const [from, to] = [before(SETTLED_SECONDS + SAMPLE_SECONDS), before(SETTLED_SECONDS)];
    return ["--from-block", from, "--to-block", to];
  } finally {
    await pool.end();
  }
}

async function averageSeconds({ client }: Chain, { number, timestamp }: IndexedBlock): Promise<number> {
  const blocks = number < AVERAGED ? number : AVERAGED;
  if (blocks === 0n) return 1;
  const earlier = await client.getBlock({ blockNumber: number - blocks });
  const seconds = Number(timestamp - earlier.timestamp) / Number(blocks);
  // Blocks of one second's timestamp are a chain's that mines at once.
  return seconds > 0 ? seconds : 1;
}
