import { encodeFunctionData, erc20Abi, getAddress, type Hex } from "viem";
import { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import { minimumOf } from "../chain/cashier.ts";
import { amountOf } from "../chain/wallet.ts";
import { cashierAbi, stockRouterAbi } from "../contracts/abi/index.ts";
import type { CashToken } from "../db/tokens.ts";
import type { Deps } from "../deps.ts";
import { address, amountIn, decimal, parseInput } from "../input/fields.ts";
import { formatDecimal, WAD_DECIMALS } from "../protocol/decimal.ts";
import { ApiError } from "../protocol/errors.ts";
import { routerCall } from "../transactions/calldata.ts";
import { readGasLimit } from "../transactions/gas.ts";
import type { Need } from "../transactions/preflight.ts";
import {
  requireBoundUser,
  type SendAnswer,
  type SendGround,
  type SendPlan,
  sendForUser,
} from "../transactions/send.ts";
import { encodeDeposit } from "./encode.ts";
import { readCashDesk } from "./store.ts";

const MAX_UINT96 = 2n ** 96n - 1n;
/** Both rates have 6 decimals. */
const RATE = 1_000_000n;

const shape = z.object({ userAddress: address.optional(), tokenAddress: address, tokenAmount: decimal });

/**
 * POST /cash/deposits/send: deposits from the bound user's wallet.
 * @throws ApiError VALIDATION_FAILED, TOKEN_NOT_SUPPORTED, TOO_MANY_DECIMALS, TOKEN_PAUSED, BELOW_MINIMUM, and as
 *   sendForUser
 */
export function sendDeposit(
  deps: Deps,
  caller: Caller,
  args: Record<string, unknown>,
  idempotencyKey: string | null,
): Promise<SendAnswer> {
  const path = "/cash/deposits/send";
  const incoming = { operation: "cash/deposits", method: "POST", path, args, idempotencyKey } as const;
  return sendForUser(deps, caller, incoming, async (ground) => {
    const { token, tokenAmount, gasLimit } = await readMovement(deps, caller, args, ground.user);
    const amount = amountIn("tokenAmount", tokenAmount, token.decimals, MAX_UINT96);
    if (token.depositPaused) throw new ApiError("TOKEN_PAUSED", { param: "tokenAddress" });
    requireMinimum(amount, minimumOf(token), token.decimals);
    const call = encodeDeposit(ground.product.contracts.stockRouter, token.address, amount);
    return {
      ...plain,
      call,
      gasLimit,
      needs: await needsOfDeposit(ground, token, amount),
      operationType: "deposit",
    };
  });
}

/**
 * POST /cash/withdrawals/send: withdraws mUSD of the bound user into a token.
 * @throws ApiError as sendDeposit; TOO_MANY_DECIMALS where the token cannot represent the amount
 */
export function sendWithdrawal(
  deps: Deps,
  caller: Caller,
  args: Record<string, unknown>,
  idempotencyKey: string | null,
): Promise<SendAnswer> {
  const path = "/cash/withdrawals/send";
  const incoming = { operation: "cash/withdrawals", method: "POST", path, args, idempotencyKey } as const;
  return sendForUser(deps, caller, incoming, async (ground) => {
    const { token, tokenAmount, gasLimit } = await readMovement(deps, caller, args, ground.user);
    const unit = 10n ** BigInt(WAD_DECIMALS - token.decimals);
    const wad = amountIn("tokenAmount", tokenAmount, token.decimals, MAX_UINT96 / unit) * unit;
    if (token.withdrawPaused) throw new ApiError("TOKEN_PAUSED", { param: "tokenAddress" });
    requireMinimum(wad, token.minAmount * token.usdRate * RATE, WAD_DECIMALS);
    const call = encodeWithdrawal(ground.product.contracts.stockRouter, token.address, wad);
    return {
      ...plain,
      call,
      gasLimit,
      needs: await needsOfWithdrawal(ground, wad),
      operationType: "withdraw",
    };
  });
}

/** What a movement of cash has none of. */
const plain = {
  deadline: null,
  clientOrderId: null,
  operationKey: null,
  notional: null,
  symbol: null,
} satisfies Partial<SendPlan>;

async function readMovement(
  deps: Deps,
  caller: Caller,
  args: Record<string, unknown>,
  user: Hex,
): Promise<{ token: CashToken; tokenAmount: string; gasLimit: bigint | null }> {
  const { userAddress, tokenAddress, tokenAmount } = parseInput(shape, args);
  requireBoundUser(userAddress, user);
  const { data } = await readCashDesk(deps.prisma, caller, tokenAddress);
  if (!data.token) throw new ApiError("TOKEN_NOT_SUPPORTED", { param: "tokenAddress" });
  return { token: data.token, tokenAmount, gasLimit: readGasLimit(args) };
}

function requireMinimum(amount: bigint, minimum: bigint, decimals: number): void {
  if (amount >= minimum) return;
  throw new ApiError("BELOW_MINIMUM", {
    param: "tokenAmount",
    message: `The smallest amount is ${formatDecimal(minimum, decimals)}`,
  });
}

/** Allowance first: it is what a user forgets. */
async function needsOfDeposit(
  { chain, product, user }: SendGround,
  token: CashToken,
  required: bigint,
): Promise<Need[]> {
  const { results } = await chain.reads.latest([
    {
      address: token.address,
      abi: erc20Abi,
      functionName: "allowance",
      args: [user, product.contracts.stockRouter],
    },
    { address: token.address, abi: erc20Abi, functionName: "balanceOf", args: [user] },
  ]);
  const { decimals } = token;
  return [
    { check: "walletAllowance", required, actual: amountOf(results[0]), decimals, fix: null },
    { check: "walletBalance", required, actual: amountOf(results[1]), decimals, fix: null },
  ];
}

async function needsOfWithdrawal({ chain, product, user }: SendGround, required: bigint): Promise<Need[]> {
  const { results } = await chain.reads.latest([
    { address: product.contracts.cashier, abi: cashierAbi, functionName: "balanceWad", args: [user] },
  ]);
  return [
    { check: "mUsdBalance", required, actual: amountOf(results[0]), decimals: WAD_DECIMALS, fix: null },
  ];
}

function encodeWithdrawal(router: Hex, token: Hex, amountWad: bigint) {
  const callData = encodeFunctionData({
    abi: stockRouterAbi,
    functionName: "withdraw",
    args: [token, amountWad],
  });
  return routerCall(router, "withdraw", callData, { token: getAddress(token), amountWad: `${amountWad}` });
}
