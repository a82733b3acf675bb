import type { Hex } from "viem";
import type { Viewer } from "../../auth/viewer.ts";
import type { RouterCall } from "../../calldata/calldata.ts";
import type { Requirement } from "../../calldata/preflight.ts";
import { walletRequirements } from "../../calldata/requirements.ts";
import { type Chain, resolveScope } from "../../chain/clients.ts";
import { parseAmount } from "../../chain/wallet.ts";
import type { Deps } from "../../context/deps.ts";
import { readTerms } from "../../context/terms.ts";
import { stockAbi } from "../../contracts/abi/index.ts";
import type { IndexedBlock } from "../../db/checkpoint.ts";
import { amountIn } from "../../input/fields.ts";
import type { MovementInput } from "../../input/movement.ts";
import { WAD_DECIMALS } from "../../protocol/decimal.ts";
import { ApiError } from "../../protocol/errors.ts";
import { encodeMovement } from "./encode.ts";

const MAX_UINT256 = 2n ** 256n - 1n;

/** A movement of stock that passed every rule which needs no wallet: the same for calldata and for send. */
export interface PreparedMovement {
  block: IndexedBlock;
  chain: Chain;
  call: RouterCall;
  symbol: string;
  /** Returns what it needs of a user, at the latest block. */
  requirementsOf(user: Hex): Promise<Requirement[]>;
}

export type Prepare = (deps: Deps, viewer: Viewer, input: MovementInput) => Promise<PreparedMovement>;

/**
 * Returns a deposit of stock tokens from a wallet to the exchange.
 * @throws ApiError TOKEN_NOT_SUPPORTED, TOO_MANY_DECIMALS, VALIDATION_FAILED, INDEXER_BEHIND
 */
export const prepareDeposit: Prepare = async (deps, viewer, input) => {
  const { product, amount, ...context } = await readGround(deps, viewer, input);
  const spender = product.contracts.stockRouter;
  const wallet = { chain: context.chain, spender, token: input.tokenAddress, decimals: WAD_DECIMALS };
  return {
    ...context,
    call: encodeMovement("depositStock", spender, input.tokenAddress, amount),
    requirementsOf: (user) => walletRequirements({ ...wallet, user }, amount),
  };
};

/** Returns a withdrawal of stock tokens from the exchange to a wallet. @throws ApiError as prepareDeposit */
export const prepareWithdrawal: Prepare = async (deps, viewer, input) => {
  const { product, amount, ...context } = await readGround(deps, viewer, input);
  const { stock, stockRouter } = product.contracts;
  return {
    ...context,
    call: encodeMovement("withdrawStock", stockRouter, input.tokenAddress, amount),
    requirementsOf: (user) => ledgerNeed(context.chain, stock, { user, token: input.tokenAddress }, amount),
  };
};

async function readGround(deps: Deps, viewer: Viewer, { tokenAddress, tokenAmount }: MovementInput) {
  const { chain, product } = resolveScope(deps, viewer);
  const { block, data } = await readTerms(deps.prisma, viewer);
  const token = data.stockTokens.find(({ address }) => address === tokenAddress);
  if (!token) throw new ApiError("TOKEN_NOT_SUPPORTED", { param: "tokenAddress" });
  const amount = amountIn("tokenAmount", tokenAmount, WAD_DECIMALS, MAX_UINT256);
  return { block, chain, product, symbol: token.symbol, amount };
}

async function ledgerNeed(
  chain: Chain,
  stock: Hex,
  { user, token }: { user: Hex; token: Hex },
  required: bigint,
): Promise<Requirement[]> {
  const { results } = await chain.reads.latest([
    { address: stock, abi: stockAbi, functionName: "stockBalance", args: [user, token] },
  ]);
  const actual = parseAmount(results[0]);
  return [{ check: "exchangeBalance", required, actual, decimals: WAD_DECIMALS, token, fix: null }];
}
