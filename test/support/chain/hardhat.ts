import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Anvil, AnvilOptions } from "../../../packages/sandbox/src/anvil.ts";
import { CHAIN_IDS } from "../../../packages/sandbox/src/env.ts";
import { createMining } from "../../../packages/sandbox/src/mining.ts";
import { rpcTo } from "../../../packages/sandbox/src/rpc.ts";
import { ROOT } from "../../../src/config/root.ts";

const PROGRAM = join(ROOT, "test/support/chain/hardhat-node.mjs");

/** The Node.js that runs Hardhat's node in anvil's place (test/on-evm.mjs); undefined: tests run on anvil. */
export const hardhatRuntime = (): string | undefined => process.env.TEST_HARDHAT_RUNTIME || undefined;

/**
 * Starts Hardhat's node with anvil's methods. It ends with this process, however that ends.
 * @param runtime the path of a Node.js that Hardhat supports
 * @throws Error where an option needs anvil
 */
export async function startHardhat(runtime: string, options: AnvilOptions): Promise<Anvil> {
  const { chainId, port = 0, blockTimeSeconds = null, log = () => undefined, ...others } = options;
  const unknown = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (unknown.length > 0) throw new Error(`Hardhat's node cannot be started with ${unknown.join(", ")}`);
  const child = spawn(runtime, [PROGRAM, JSON.stringify({ chainId, port, blockTimeSeconds })], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  const printed: string[] = [];
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
  const listening = new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    const onLine = (line: string) => {
      log(line);
      printed.push(line);
      const found = /^Listening on \S+:(\d+)/.exec(line)?.[1];
      if (found !== undefined) resolve(Number(found));
    };
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on("line", onLine);
    void exited.then(() => reject(new Error(`Hardhat's node ended:\n${printed.slice(-20).join("\n")}`)));
  });
  const actualPort = await listening;
  const rpcUrl = `http://127.0.0.1:${actualPort}`;
  return {
    chainId,
    port: actualPort,
    rpcUrl,
    pid: child.pid ?? 0,
    mining: createMining(rpcTo(rpcUrl)),
    changes: null,
    exited,
    stop: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

/** Starts the chains of a sandbox, where they are not anvil's. @returns what the sandbox's environment has to name */
export async function givenChains(): Promise<{ env: NodeJS.ProcessEnv; stop(): Promise<void> }> {
  const runtime = hardhatRuntime();
  if (!runtime) return { env: {}, stop: async () => undefined };
  const chains = await Promise.all(CHAIN_IDS.map((chainId) => startHardhat(runtime, { chainId })));
  return {
    env: Object.fromEntries(chains.map(({ chainId, rpcUrl }) => [`SANDBOX_RPC_URL_${chainId}`, rpcUrl])),
    stop: async () => void (await Promise.all(chains.map(({ stop }) => stop()))),
  };
}
