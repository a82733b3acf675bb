import { erc20Abi, type Hex } from "viem";
import type { Chain } from "../chain/clients.ts";
import type { ViewCall } from "../chain/reads.ts";
import { parseAmount } from "../chain/wallet.ts";
import type { ProductConfig } from "../config/deployments.ts";
import { cashierAbi, stockAbi } from "../contracts/abi/index.ts";
import { WAD_DECIMALS } from "../protocol/decimal.ts";
import { approveCall } from "./calldata.ts";
import type { Requirement } from "./preflight.ts";

export interface RequirementQuery {
  chain: Chain;
  user: Hex;
  /** The spender of the tokens: the router. */
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

/**
 * Returns what a call needs of a user's ledger on the exchange, at the latest block.
 * @param stock the stock token that is counted; null: mUSD
 * @param required wad
 * @throws ApiError RPC_UNAVAILABLE
 */
export async function ledgerRequirement(
  { chain, product, user }: { chain: Chain; product: ProductConfig; user: Hex },
  stock: Hex | null,
  required: bigint,
): Promise<Requirement> {
  const { contracts } = product;
  const balance: ViewCall = stock
    ? { address: contracts.stock, abi: stockAbi, functionName: "stockBalance", args: [user, stock] }
    : { address: contracts.cashier, abi: cashierAbi, functionName: "balanceWad", args: [user] };
  const { results } = await chain.reads.latest([balance]);
  return {
    check: stock ? "exchangeBalance" : "mUsdBalance",
    required,
    actual: parseAmount(results[0]),
    decimals: WAD_DECIMALS,
    token: stock,
    fix: null,
  };
}
