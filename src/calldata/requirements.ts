import { erc20Abi, type Hex } from "viem";
import type { Chain } from "../chain/clients.ts";
import { parseAmount } from "../chain/wallet.ts";
import { approveCall } from "./calldata.ts";
import type { Requirement } from "./preflight.ts";

export interface RequirementQuery {
  chain: Chain;
  user: Hex;
  /** Who moves the tokens: the router. */
  spender: Hex;
  token: Hex;
  decimals: number;
}

/**
 * Returns what a deposit needs of a wallet: the allowance for the router first, then the balance.
 * Read at the latest block, like the simulation beside it.
 * @param required token base units
 * @throws ApiError RPC_UNAVAILABLE
 */
export async function walletRequirements(
  { chain, user, spender, token, decimals }: RequirementQuery,
  required: bigint,
): Promise<Requirement[]> {
  const { results } = await chain.reads.latest([
    { address: token, abi: erc20Abi, functionName: "allowance", args: [user, spender] },
    { address: token, abi: erc20Abi, functionName: "balanceOf", args: [user] },
  ]);
  const fix = approveCall(token, spender, required);
  return [
    { check: "walletAllowance", required, actual: parseAmount(results[0]), decimals, token, spender, fix },
    { check: "walletBalance", required, actual: parseAmount(results[1]), decimals, token, fix: null },
  ];
}
