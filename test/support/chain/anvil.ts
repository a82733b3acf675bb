import { type Anvil, type AnvilOptions, startAnvil as start } from "../../../packages/sandbox/src/anvil.ts";

/** Starts a chain for a test, 31337 on a free port unless named otherwise; the caller calls stop(). */
export function startAnvil(options: Partial<AnvilOptions> = {}): Promise<Anvil> {
  return start({ chainId: 31337, ...options });
}
