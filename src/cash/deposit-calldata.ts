import { erc20Abi, type Hex } from "viem";
import { forecastDeposit, minimumOf } from "../chain/cashier.ts";
import { type Chain, servedBy } from "../chain/clients.ts";
import { amountOf } from "../chain/wallet.ts";
import type { AtBlock } from "../db/checkpoint.ts";
import type { CashToken } from "../db/tokens.ts";
import type { Deps } from "../deps.ts";
import { amountIn } from "../input/fields.ts";
import { formatDecimal, formatWad } from "../protocol/decimal.ts";
import { ApiError } from "../protocol/errors.ts";
import { approveCall, presentCalldata } from "../transactions/calldata.ts";
import { type Need, preflight } from "../transactions/preflight.ts";
import type { Viewer } from "../transactions/viewer.ts";
import { encodeDeposit } from "./encode.ts";
import { parseDeposit } from "./input.ts";
import { readCashDesk } from "./store.ts";

const MAX_UINT96 = 2n ** 96n - 1n;

/**
 * POST /cash/deposits/calldata: encodes a deposit, tells what the Cashier would make of it with its buffers as they are,
 * and tries it from the named wallet. Without allowance or balance the calldata is still returned.
 * @throws ApiError VALIDATION_FAILED, TOKEN_NOT_SUPPORTED, TOO_MANY_DECIMALS, TOKEN_PAUSED, BELOW_MINIMUM, INDEXER_BEHIND,
 * RPC_UNAVAILABLE
 */
export async function depositCalldata(deps: Deps, viewer: Viewer, args: Record<string, unknown>) {
  const { userAddress, tokenAddress, tokenAmount } = parseDeposit(args);
  const { chain, product } = servedBy(deps, viewer);
  const { block, data: desk } = await readCashDesk(deps.prisma, viewer, tokenAddress);
  const { token, buffer } = desk;
  if (!token) throw new ApiError("TOKEN_NOT_SUPPORTED", { param: "tokenAddress" });
  const amount = amountIn("tokenAmount", tokenAmount, token.decimals, MAX_UINT96);
  if (token.depositPaused) {
    throw new ApiError("TOKEN_PAUSED", { param: "tokenAddress", message: "The token takes no deposits now" });
  }
  requireMinimum(token, amount);
  const call = encodeDeposit(product.contracts.stockRouter, tokenAddress, amount);
  const { isInstant, credit, fee } = forecastDeposit(token, buffer, amount);
  const needs = await needsOf(
    { chain, user: userAddress, spender: product.contracts.stockRouter },
    token,
    amount,
  );
  return {
    block,
    data: {
      ...presentCalldata(call, viewer),
      forecast: { isInstant, creditAmount: formatWad(credit), feeAmount: formatWad(fee) },
      preflight: await preflight(chain, userAddress, call, needs),
    },
  } satisfies AtBlock<unknown>;
}

function requireMinimum(token: CashToken, amount: bigint): void {
  const minimum = minimumOf(token);
  if (amount >= minimum) return;
  throw new ApiError("BELOW_MINIMUM", {
    param: "tokenAmount",
    message: `The smallest deposit is ${formatDecimal(minimum, token.decimals)}`,
  });
}

/** The tokens themselves, and the router's leave to take them; at the latest block, like the simulation. */
async function needsOf(
  { chain, user, spender }: { chain: Chain; user: Hex; spender: Hex },
  { address, decimals }: CashToken,
  required: bigint,
): Promise<Need[]> {
  const { results } = await chain.reads.latest([
    { address, abi: erc20Abi, functionName: "balanceOf", args: [user] },
    { address, abi: erc20Abi, functionName: "allowance", args: [user, spender] },
  ]);
  const [balance, allowance] = results.map(amountOf);
  return [
    { check: "walletBalance", required, actual: balance ?? 0n, decimals, fix: null },
    {
      check: "walletAllowance",
      required,
      actual: allowance ?? 0n,
      decimals,
      fix: approveCall(address, spender, required),
    },
  ];
}
