import { type Anvil, type AnvilOptions, startAnvil as start } from "../../../packages/sandbox/src/anvil.ts";
import { hardhatRuntime, startHardhat } from "./hardhat.ts";

/**
 * Starts a chain for a test, 31337 on a free port unless named otherwise; the caller calls stop(). It is anvil's, or Hardhat's in
 * `npm run test:evm -- hardhat`.
 */
export function startAnvil(options: Partial<AnvilOptions> = {}): Promise<Anvil> {
  const runtime = hardhatRuntime();
  const all = { chainId: 31337, ...options };
  return runtime ? startHardhat(runtime, all) : start(all);
}
