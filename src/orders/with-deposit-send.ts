import { encodeFunctionData, erc20Abi, getAddress, type Hex } from "viem";
import { z } from "zod";
import type { Caller } from "../auth/caller.ts";
import { forecastDeposit, minimumOf } from "../chain/cashier.ts";
import { amountOf } from "../chain/wallet.ts";
import { cashierAbi, stockAbi, stockRouterAbi } from "../contracts/abi/index.ts";
import type { CashToken } from "../db/tokens.ts";
import type { Deps } from "../deps.ts";
import { address, amountIn, decimal, parseInput, refuse } from "../input/fields.ts";
import { formatDecimal, WAD_DECIMALS } from "../protocol/decimal.ts";
import { TIME_IN_FORCE } from "../protocol/enums.ts";
import { ApiError } from "../protocol/errors.ts";
import { type RouterCall, routerCall } from "../transactions/calldata.ts";
import { readGasLimit } from "../transactions/gas.ts";
import type { Need } from "../transactions/preflight.ts";
import { requireBoundUser, type SendAnswer, sendForUser } from "../transactions/send.ts";
import { lockedBy } from "./needs.ts";
import { type PreparedOrder, prepareOrder } from "./prepare.ts";

const MAX_UINT96 = 2n ** 96n - 1n;
const MAX_UINT256 = 2n ** 256n - 1n;

const shape = z.object({ tokenAddress: address.optional(), tokenAmount: decimal.optional() });

/** What goes in with the order. */
interface Deposit {
  token: Hex;
  /** Base units. */
  amount: bigint;
  decimals: number;
  /** mUSD wad that a cash deposit credits; 0 for stock. */
  credit: bigint;
}

/**
 * POST /orders/with-deposit/send: deposits from the bound user's wallet and places an order with it, in one transaction.
 * @throws ApiError as prepareOrder and sendForUser; DEPOSIT_NOT_INSTANT
 */
export function sendOrderWithDeposit(
  deps: Deps,
  caller: Caller,
  args: Record<string, unknown>,
  idempotencyKey: string | null,
): Promise<SendAnswer> {
  const path = "/orders/with-deposit/send";
  const incoming = {
    operation: "orders/with-deposit/send",
    method: "POST",
    path,
    args,
    idempotencyKey,
  } as const;
  return sendForUser(deps, caller, incoming, async ({ user }) => {
    const gasLimit = readGasLimit(args);
    const given = parseInput(shape, args);
    const order = await prepareOrder(deps, caller, args);
    requireBoundUser(order.input.userAddress, user);
    const deposit = order.input.terms.side === "Buy" ? cashDeposit(order, given) : stockDeposit(order, given);
    return {
      call: encodeCombined(order, deposit),
      gasLimit,
      needs: await needsOfCombined(order, deposit, user),
      deadline: order.input.deadline,
      operationType: "trade",
      clientOrderId: order.input.clientOrderId ?? null,
      operationKey: null,
      notional: order.value,
      symbol: order.token.symbol,
    };
  });
}

type Given = z.output<typeof shape>;

/** Cash for a buy: only a deposit that is credited at once can pay for the order. */
function cashDeposit({ context }: PreparedOrder, { tokenAddress, tokenAmount }: Given): Deposit {
  if (!tokenAddress) throw refuse("tokenAddress", "is required");
  if (tokenAmount === undefined) throw refuse("tokenAmount", "is required");
  const token = context.cashTokens.find((candidate) => candidate.address === tokenAddress);
  if (!token) throw new ApiError("TOKEN_NOT_SUPPORTED", { param: "tokenAddress" });
  const amount = amountIn("tokenAmount", tokenAmount, token.decimals, MAX_UINT96);
  if (token.depositPaused) throw new ApiError("TOKEN_PAUSED", { param: "tokenAddress" });
  requireMinimum(token, amount);
  const { isInstant, credit } = forecastDeposit(token, context.buffer, amount);
  if (!isInstant) throw new ApiError("DEPOSIT_NOT_INSTANT", { param: "tokenAmount" });
  return { token: token.address, amount, decimals: token.decimals, credit };
}

function requireMinimum(token: CashToken, amount: bigint): void {
  const minimum = minimumOf(token);
  if (amount >= minimum) return;
  throw new ApiError("BELOW_MINIMUM", {
    param: "tokenAmount",
    message: `The smallest deposit is ${formatDecimal(minimum, token.decimals)}`,
  });
}

/** Stock for a sell: the stock itself, as much as is sold unless told otherwise. */
function stockDeposit({ token, input }: PreparedOrder, { tokenAddress, tokenAmount }: Given): Deposit {
  if (tokenAddress !== undefined && tokenAddress !== token.address) {
    throw refuse("tokenAddress", "must be the stock that is sold");
  }
  const quantity = "quantity" in input.terms ? input.terms.quantity : 0n;
  const amount =
    tokenAmount === undefined ? quantity : amountIn("tokenAmount", tokenAmount, WAD_DECIMALS, MAX_UINT256);
  return { token: token.address, amount, decimals: WAD_DECIMALS, credit: 0n };
}

/** The allowance and the tokens of the deposit, and the ledger with the deposit on it. */
async function needsOfCombined(order: PreparedOrder, deposit: Deposit, user: Hex): Promise<Need[]> {
  const { chain, product, input, context, token } = order;
  const { stockRouter, cashier, stock } = product.contracts;
  const buys = input.terms.side === "Buy";
  const { results } = await chain.reads.latest([
    { address: deposit.token, abi: erc20Abi, functionName: "allowance", args: [user, stockRouter] },
    { address: deposit.token, abi: erc20Abi, functionName: "balanceOf", args: [user] },
    buys
      ? { address: cashier, abi: cashierAbi, functionName: "balanceWad", args: [user] }
      : { address: stock, abi: stockAbi, functionName: "stockBalance", args: [user, token.address] },
  ]);
  const [allowance = 0n, balance = 0n, ledger = 0n] = results.map(amountOf);
  const { amount: required, decimals } = deposit;
  const added = buys ? deposit.credit : deposit.amount;
  const locked = lockedBy(input.terms, context.fees);
  return [
    { check: "walletAllowance", required, actual: allowance, decimals, fix: null },
    { check: "walletBalance", required, actual: balance, decimals, fix: null },
    {
      check: buys ? "mUsdBalance" : "exchangeBalance",
      required: locked,
      actual: ledger + added,
      decimals: WAD_DECIMALS,
      fix: null,
    },
  ];
}

function encodeCombined(
  { product, token, input }: PreparedOrder,
  { token: paid, amount }: Deposit,
): RouterCall {
  const router = product.contracts.stockRouter;
  const { terms, deadline } = input;
  const stock = token.address;
  const shown = { depositToken: getAddress(paid), depositAmount: `${amount}`, stockToken: getAddress(stock) };
  const tif = TIME_IN_FORCE.DAY;
  const abi = stockRouterAbi;
  const made = (method: string, callData: Hex) =>
    routerCall(router, method, callData, { ...shown, deadline: `${deadline}` });
  if (terms.type === "Market" && terms.side === "Buy") {
    const args = [paid, amount, stock, terms.notional, deadline] as const;
    return made(
      "depositAndMarketBuy",
      encodeFunctionData({ abi, functionName: "depositAndMarketBuy", args }),
    );
  }
  if (terms.type === "Market") {
    const args = [stock, amount, -terms.quantity, deadline] as const;
    const functionName = "depositStockAndMarketSell";
    return made(functionName, encodeFunctionData({ abi, functionName, args }));
  }
  if (terms.side === "Buy") {
    const args = [paid, amount, stock, terms.quantity, terms.price, tif, deadline] as const;
    return made("depositAndLimitBuy", encodeFunctionData({ abi, functionName: "depositAndLimitBuy", args }));
  }
  const args = [stock, amount, -terms.quantity, terms.price, tif, deadline] as const;
  const functionName = "depositStockAndLimitSell";
  return made(functionName, encodeFunctionData({ abi, functionName, args }));
}
