import type { Hex } from "viem";
import { z } from "zod";
import type { Viewer } from "../auth/viewer.ts";
import type { Requirement } from "../calldata/preflight.ts";
import { ledgerRequirement, walletRequirements } from "../calldata/requirements.ts";
import { forecastDeposit, minimumOf } from "../chain/product/cashier.ts";
import type { CashToken } from "../chain/product/tokens.ts";
import type { Deps } from "../context/deps.ts";
import { address, decimal, parseAmount, refuse } from "../context/input/fields.ts";
import { formatDecimal, WAD_DECIMALS } from "../protocol/decimal.ts";
import { ApiError } from "../protocol/errors.ts";
import type { OrderContext } from "./context-store.ts";
import { type Deposit, lockedBy } from "./costs.ts";
import { encodeOrderWithDeposit } from "./encode-with-deposit.ts";
import type { OrderFields, OrderInput } from "./input.ts";
import { type MoreChecks, type PreparedOrder, prepareOrder } from "./prepare.ts";

const MAX_UINT96 = 2n ** 96n - 1n;
const MAX_UINT256 = 2n ** 256n - 1n;

export const depositShape = z.object({ tokenAddress: address.optional(), tokenAmount: decimal.optional() });
/** A deposit's request; each field has its form. */
type Given = z.output<typeof depositShape>;
export type WithDepositFields = OrderFields & Given;
interface Cash {
  tokenAddress: Hex;
  tokenAmount: string;
}

/** An order and the deposit that pays for it, past every rule which needs no wallet. */
export interface PreparedOrderWithDeposit extends PreparedOrder {
  /** Its fee counts for the key's daily cap besides the order. */
  deposit: Deposit;
  /** Returns what it needs of a user, at the latest block. */
  requirementsOf(user: Hex): Promise<Requirement[]>;
}

/**
 * Checks an order with its deposit (docs/api.md#order-input), holds both against the product's rules and
 * encodes them as one call.
 * @throws ApiError as prepareOrder; DEPOSIT_NOT_INSTANT, TOKEN_PAUSED
 */
export async function prepareOrderWithDeposit(
  deps: Deps,
  viewer: Viewer,
  given: WithDepositFields,
  { range }: Pick<MoreChecks, "range"> = {},
): Promise<PreparedOrderWithDeposit> {
  const order = await prepareOrder(deps, viewer, given, {
    required: (side) => {
      if (side === "Buy") requireCash(given);
    },
    range: async (input, context) => {
      await range?.(input, context);
      if (input.terms.side === "Sell") return void stockAmount(input, given);
      const token = cashToken(await context(), given);
      if (token) cashAmount(token, given);
    },
    token: ({ terms }, stock, context) => {
      if (terms.side === "Sell") requireSame(stock.address, given);
      else requireOpen(cashToken(context, given));
    },
  });
  const { input, token, product } = order;
  const deposit = input.terms.side === "Buy" ? cashDeposit(order, given) : stockDeposit(order, given);
  const call = encodeOrderWithDeposit(
    {
      router: product.contracts.stockRouter,
      stockAddress: token.address,
      deadline: input.deadline,
      terms: input.terms,
    },
    deposit,
  );
  return { ...order, call, deposit, requirementsOf: (user) => requirementsOf(order, deposit, user) };
}

/** Requires the token that pays for a buy; for a sell it defaults to the stock. */
function requireCash({ tokenAddress, tokenAmount }: Given): Cash {
  if (!tokenAddress) throw refuse("tokenAddress", "is required");
  if (tokenAmount === undefined) throw refuse("tokenAmount", "is required");
  return { tokenAddress, tokenAmount };
}

function cashToken({ cashTokens }: OrderContext, given: Given): CashToken | null {
  const { tokenAddress } = requireCash(given);
  return cashTokens.find(({ address: candidate }) => candidate === tokenAddress) ?? null;
}

const cashAmount = ({ decimals }: CashToken, given: Given): bigint =>
  parseAmount("tokenAmount", requireCash(given).tokenAmount, decimals, MAX_UINT96);

function requireOpen(token: CashToken | null): CashToken {
  if (!token) throw new ApiError("TOKEN_NOT_SUPPORTED", { param: "tokenAddress" });
  if (token.depositPaused) throw new ApiError("TOKEN_PAUSED", { param: "tokenAddress" });
  return token;
}

/** Returns the cash deposit for a buy: only a deposit that is credited at once can pay for the order. */
function cashDeposit({ context }: PreparedOrder, given: Given): Deposit {
  const token = requireOpen(cashToken(context, given));
  const amount = cashAmount(token, given);
  const minimum = requireMinimum(token, amount);
  const { isInstant, credit, fee } = forecastDeposit(token, context.buffer, amount);
  if (!isInstant) throw new ApiError("DEPOSIT_NOT_INSTANT", { param: "tokenAmount" });
  return { token: token.address, amount, decimals: token.decimals, minimum, credit, fee };
}

/** Returns the smallest deposit. */
function requireMinimum(token: CashToken, amount: bigint): bigint {
  const minimum = minimumOf(token);
  if (amount >= minimum) return minimum;
  throw new ApiError("BELOW_MINIMUM", {
    param: "tokenAmount",
    message: `The smallest deposit is ${formatDecimal(minimum, token.decimals)}`,
  });
}

/** Returns the amount to deposit: what is sold, where the caller names no other. */
function stockAmount({ terms }: OrderInput, { tokenAmount }: Given): bigint {
  if (tokenAmount !== undefined) return parseAmount("tokenAmount", tokenAmount, WAD_DECIMALS, MAX_UINT256);
  return "quantity" in terms ? terms.quantity : 0n;
}

function requireSame(stock: Hex, { tokenAddress }: Given): void {
  if (tokenAddress !== undefined && tokenAddress !== stock) {
    throw refuse("tokenAddress", "must be the stock that is sold");
  }
}

/** Returns the stock deposit for a sell: the stock itself. */
function stockDeposit({ token, input }: PreparedOrder, given: Given): Deposit {
  const amount = stockAmount(input, given);
  return { token: token.address, amount, decimals: WAD_DECIMALS, minimum: null, credit: amount, fee: 0n };
}

/** Returns the allowance and the tokens of the deposit, and the ledger with the deposit on it. */
async function requirementsOf(
  { chain, product, input, context, token }: PreparedOrder,
  deposit: Deposit,
  user: Hex,
): Promise<Requirement[]> {
  const spender = product.contracts.stockRouter;
  const stock = input.terms.side === "Buy" ? null : token.address;
  const locked = lockedBy(input.terms, context.fees);
  const [wallet, ledger] = await Promise.all([
    walletRequirements({ ...deposit, chain, user, spender }, deposit.amount),
    ledgerRequirement({ chain, product, user }, stock, locked),
  ]);
  return [...wallet, { ...ledger, actual: ledger.actual + deposit.credit }];
}
