import type { Hex } from "viem";
import {
  depositFee,
  type Forecast,
  forecastDeposit,
  forecastWithdrawal,
  minimumOf,
  minimumWithdrawalOf,
  withdrawalFee,
} from "../chain/product/cashier.ts";
import { parseAmount } from "../context/input/fields.ts";
import type { Terms } from "../context/terms.ts";
import { formatDecimal, WAD_DECIMALS } from "../protocol/decimal.ts";
import { ApiError } from "../protocol/errors.ts";
import type { OperationKind } from "../protocol/operations.ts";
import type { OperationInput } from "./input.ts";

const MAX_UINT96 = 2n ** 96n - 1n;
const MAX_UINT256 = 2n ** 256n - 1n;

/** An amount that passed every rule which needs no wallet, and its consequences. */
export interface Amount {
  /** As the router takes it, in base units of `decimals`: of a cash withdrawal mUSD, of the others the token. */
  amount: bigint;
  decimals: number;
  /** The result in the Cashier, with the buffers as they are indexed; null of stock, which moves as it is. */
  forecast: CreditForecast | null;
  /** Its fee in mUSD wad, which counts for the key's daily cap; null of stock. */
  notional: bigint | null;
  /** Stock that a policy of the key may limit; null of cash. */
  symbol: string | null;
}

/** Amounts are base units of the received asset, which has `decimals`: mUSD on a deposit, the token on a withdrawal. */
export interface CreditForecast extends Forecast {
  decimals: number;
}

/**
 * Reads the amount of an operation by the terms of its product.
 * @throws ApiError TOKEN_NOT_SUPPORTED, TOO_MANY_DECIMALS, TOKEN_PAUSED, BELOW_MINIMUM, VALIDATION_FAILED
 */
export const readAmount = (kind: OperationKind, terms: Terms, input: OperationInput): Amount =>
  READERS[kind](terms, input);

const READERS: Record<OperationKind, (terms: Terms, input: OperationInput) => Amount> = {
  deposit: readCashDeposit,
  withdraw: readCashWithdrawal,
  "stock-deposit": readStock,
  "stock-withdraw": readStock,
};

function readCashDeposit(
  { cashTokens, buffer }: Terms,
  { tokenAddress, tokenAmount }: OperationInput,
): Amount {
  const token = tokenOf(cashTokens, tokenAddress);
  const { decimals } = token;
  const amount = parseAmount("tokenAmount", tokenAmount, decimals, MAX_UINT96);
  if (token.depositPaused) throw paused("deposits");
  requireMinimum("deposit", amount, minimumOf(token), decimals);
  const forecast = { ...forecastDeposit(token, buffer, amount), decimals: WAD_DECIMALS };
  return { amount, decimals, forecast, notional: depositFee(token, amount), symbol: null };
}

/** Reads an mUSD amount (docs/api.md#cash-and-stock-movement): one that the token cannot represent has too many decimals. */
function readCashWithdrawal(
  { cashTokens, buffer }: Terms,
  { tokenAddress, tokenAmount }: OperationInput,
): Amount {
  const token = tokenOf(cashTokens, tokenAddress);
  const { decimals } = token;
  const unit = 10n ** BigInt(WAD_DECIMALS - decimals);
  const amount = parseAmount("tokenAmount", tokenAmount, decimals, MAX_UINT96 / unit) * unit;
  if (token.withdrawPaused) throw paused("withdrawals");
  requireMinimum("withdrawal", amount, minimumWithdrawalOf(token), WAD_DECIMALS);
  const forecast = { ...forecastWithdrawal(token, buffer, amount), decimals };
  return { amount, decimals: WAD_DECIMALS, forecast, notional: withdrawalFee(token, amount), symbol: null };
}

function readStock({ stockTokens }: Terms, { tokenAddress, tokenAmount }: OperationInput): Amount {
  const { symbol } = tokenOf(stockTokens, tokenAddress);
  const amount = parseAmount("tokenAmount", tokenAmount, WAD_DECIMALS, MAX_UINT256);
  return { amount, decimals: WAD_DECIMALS, forecast: null, notional: null, symbol };
}

function tokenOf<T extends { address: Hex }>(tokens: readonly T[], tokenAddress: Hex): T {
  const token = tokens.find(({ address }) => address === tokenAddress);
  if (!token) throw new ApiError("TOKEN_NOT_SUPPORTED", { param: "tokenAddress" });
  return token;
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
