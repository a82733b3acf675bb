import type { Hex } from "viem";
import type { Viewer } from "../../auth/viewer.ts";
import type { RouterCall } from "../../calldata/calldata.ts";
import type { Requirement } from "../../calldata/preflight.ts";
import { walletRequirements } from "../../calldata/requirements.ts";
import { type Chain, resolveScope } from "../../chain/clients.ts";
import { parseAmount } from "../../chain/wallet.ts";
import type { ProductConfig } from "../../config/deployments.ts";
import type { Deps } from "../../context/deps.ts";
import { readTerms } from "../../context/terms.ts";
import { cashierAbi } from "../../contracts/abi/index.ts";
import type { IndexedBlock } from "../../db/checkpoint.ts";
import { amountIn } from "../../input/fields.ts";
import type { MovementInput } from "../../input/movement.ts";
import {
  depositFee,
  type Forecast,
  forecastDeposit,
  forecastWithdrawal,
  minimumOf,
  minimumWithdrawalOf,
  withdrawalFee,
} from "../../product/cashier.ts";
import type { CashToken } from "../../product/tokens.ts";
import { formatDecimal, WAD_DECIMALS } from "../../protocol/decimal.ts";
import { ApiError } from "../../protocol/errors.ts";
import { encodeDeposit, encodeWithdrawal } from "./encode.ts";

const MAX_UINT96 = 2n ** 96n - 1n;

/** A movement of cash that passed every rule which needs no wallet: the same for calldata and for send. */
export interface PreparedMovement {
  block: IndexedBlock;
  chain: Chain;
  call: RouterCall;
  /** With the buffers as they are indexed; amounts in base units of `creditDecimals`. */
  forecast: Forecast;
  /** The fee of the forecast in mUSD wad, which counts for the key's daily cap. */
  notional: bigint;
  /** Of the received asset: mUSD on a deposit, the token on a withdrawal. */
  creditDecimals: number;
  /** Returns what it needs of a user, at the latest block. */
  requirementsOf(user: Hex): Promise<Requirement[]>;
}

export type Prepare = (deps: Deps, viewer: Viewer, input: MovementInput) => Promise<PreparedMovement>;

/**
 * Returns a deposit of a cash token.
 * @throws ApiError TOKEN_NOT_SUPPORTED, TOO_MANY_DECIMALS, TOKEN_PAUSED, BELOW_MINIMUM, VALIDATION_FAILED, INDEXER_BEHIND
 */
export const prepareDeposit: Prepare = async (deps, viewer, { tokenAddress, tokenAmount }) => {
  const { block, chain, product, token, buffer } = await readGround(deps, viewer, tokenAddress);
  const amount = amountIn("tokenAmount", tokenAmount, token.decimals, MAX_UINT96);
  if (token.depositPaused) throw paused("deposits");
  requireMinimum("deposit", amount, minimumOf(token), token.decimals);
  const spender = product.contracts.stockRouter;
  const { address, decimals } = token;
  return {
    block,
    chain,
    call: encodeDeposit(spender, address, amount),
    forecast: forecastDeposit(token, buffer, amount),
    notional: depositFee(token, amount),
    creditDecimals: WAD_DECIMALS,
    requirementsOf: (user) => walletRequirements({ chain, user, spender, token: address, decimals }, amount),
  };
};

/**
 * Returns a withdrawal of an mUSD amount into a cash token (docs/api.md#cash-and-stock-movement): one that the token cannot
 * represent has too many decimals.
 * @throws ApiError as prepareDeposit
 */
export const prepareWithdrawal: Prepare = async (deps, viewer, { tokenAddress, tokenAmount }) => {
  const { block, chain, product, token, buffer } = await readGround(deps, viewer, tokenAddress);
  const unit = 10n ** BigInt(WAD_DECIMALS - token.decimals);
  const wad = amountIn("tokenAmount", tokenAmount, token.decimals, MAX_UINT96 / unit) * unit;
  if (token.withdrawPaused) throw paused("withdrawals");
  requireMinimum("withdrawal", wad, minimumWithdrawalOf(token), WAD_DECIMALS);
  return {
    block,
    chain,
    call: encodeWithdrawal(product.contracts.stockRouter, token.address, wad),
    forecast: forecastWithdrawal(token, buffer, wad),
    notional: withdrawalFee(token, wad),
    creditDecimals: token.decimals,
    requirementsOf: (user) => ledgerNeed(chain, product, user, wad),
  };
};

async function readGround(deps: Deps, viewer: Viewer, tokenAddress: Hex) {
  const { chain, product } = resolveScope(deps, viewer);
  const { block, data } = await readTerms(deps.prisma, viewer);
  const token = data.cashTokens.find(({ address }) => address === tokenAddress);
  if (!token) throw new ApiError("TOKEN_NOT_SUPPORTED", { param: "tokenAddress" });
  return { block, chain, product, token, buffer: data.buffer } satisfies { token: CashToken } & Record<
    string,
    unknown
  >;
}

function paused(what: string): ApiError {
  return new ApiError("TOKEN_PAUSED", { param: "tokenAddress", message: `The token takes no ${what} now` });
}

function requireMinimum(what: string, amount: bigint, minimum: bigint, decimals: number): void {
  if (amount >= minimum) return;
  throw new ApiError("BELOW_MINIMUM", {
    param: "tokenAmount",
    message: `The smallest ${what} is ${formatDecimal(minimum, decimals)}`,
  });
}

async function ledgerNeed(
  chain: Chain,
  { contracts }: ProductConfig,
  user: Hex,
  required: bigint,
): Promise<Requirement[]> {
  const { results } = await chain.reads.latest([
    { address: contracts.cashier, abi: cashierAbi, functionName: "balanceWad", args: [user] },
  ]);
  const actual = parseAmount(results[0]);
  return [{ check: "mUsdBalance", required, actual, decimals: WAD_DECIMALS, token: null, fix: null }];
}
