import { encodeFunctionData, erc20Abi, type Hex } from "viem";
import { approveCall, type Call } from "../calldata/calldata.ts";
import type { Requirement } from "../calldata/preflight.ts";
import type { Chain } from "../chain/clients.ts";
import { depositFor, forecastDeposit } from "../chain/product/cashier.ts";
import type { CashToken } from "../chain/product/tokens.ts";
import type { ViewCall } from "../chain/reads.ts";
import { parseAmount } from "../chain/wallet.ts";
import type { ProductConfig } from "../config/deployments.ts";
import { cashierAbi, stockAbi, stockRouterAbi } from "../contracts/abi/index.ts";
import { WAD_DECIMALS } from "../protocol/decimal.ts";
import type { OrderContext } from "./context-store.ts";
import { lockedBy } from "./costs.ts";
import type { OrderTerms } from "./input.ts";

/** A wallet's balance of a token, and its allowance to the router; base units. */
interface Held {
  balance: bigint;
  allowance: bigint;
}

export interface Buyer {
  chain: Chain;
  product: ProductConfig;
  context: OrderContext;
  /** Token that the order is on, lower case. */
  stockAddress: Hex;
  user: Hex;
}

/**
 * Returns what an order needs of its wallet, at the latest block like the simulation beside it. Where the ledger lacks what the
 * wallet has, the fix is a deposit, after the allowance that it needs itself.
 * @throws ApiError RPC_UNAVAILABLE
 */
export function requirementsOf(terms: OrderTerms, buyer: Buyer): Promise<Requirement[]> {
  const required = lockedBy(terms, buyer.context.fees);
  return terms.side === "Buy" ? requirementsOfBuy(required, buyer) : requirementsOfSell(required, buyer);
}

async function requirementsOfBuy(
  required: bigint,
  { chain, product, context, user }: Buyer,
): Promise<Requirement[]> {
  const { cashier, stockRouter } = product.contracts;
  const { results } = await chain.reads.latest([
    { address: cashier, abi: cashierAbi, functionName: "balanceWad", args: [user] },
    ...context.cashTokens.flatMap(({ address }) => holdingCalls(address, user, stockRouter)),
  ]);
  const actual = parseAmount(results[0]);
  const need: Requirement = {
    check: "mUsdBalance",
    required,
    actual,
    decimals: WAD_DECIMALS,
    token: null,
    fix: null,
  };
  if (actual >= required) return [need];
  for (const [index, token] of context.cashTokens.entries()) {
    const held = heldOf(results.slice(1 + index * 2));
    const amount = depositOf(token, context, required - actual);
    if (amount === null || amount > held.balance) continue;
    const fix = depositCall(stockRouter, "deposit", token.address, amount);
    return [...allowanceNeed(token.address, stockRouter, amount, held, token.decimals), { ...need, fix }];
  }
  return [need];
}

/** Returns the token amount that credits a shortfall at once; null where no deposit of this token would. */
function depositOf(token: CashToken, { buffer }: OrderContext, shortfall: bigint): bigint | null {
  if (token.depositPaused) return null;
  const amount = depositFor(token, shortfall);
  return amount !== null && forecastDeposit(token, buffer, amount).isInstant ? amount : null;
}

async function requirementsOfSell(
  required: bigint,
  { chain, product, stockAddress, user }: Buyer,
): Promise<Requirement[]> {
  const { stock, stockRouter } = product.contracts;
  const { results } = await chain.reads.latest([
    { address: stock, abi: stockAbi, functionName: "stockBalance", args: [user, stockAddress] },
    ...holdingCalls(stockAddress, user, stockRouter),
  ]);
  const actual = parseAmount(results[0]);
  const held = heldOf(results.slice(1));
  const shortfall = required - actual;
  const counted = { decimals: WAD_DECIMALS, token: stockAddress };
  const need: Requirement = { check: "exchangeBalance", required, actual, ...counted, fix: null };
  if (shortfall <= 0n || held.balance < shortfall) return [need];
  const fix = depositCall(stockRouter, "depositStock", stockAddress, shortfall);
  return [...allowanceNeed(stockAddress, stockRouter, shortfall, held, WAD_DECIMALS), { ...need, fix }];
}

function holdingCalls(token: Hex, user: Hex, spender: Hex): ViewCall[] {
  return [
    { address: token, abi: erc20Abi, functionName: "balanceOf", args: [user] },
    { address: token, abi: erc20Abi, functionName: "allowance", args: [user, spender] },
  ];
}

function heldOf([balance, allowance]: unknown[]): Held {
  return { balance: parseAmount(balance), allowance: parseAmount(allowance) };
}

/** Returns the allowance that a fixing deposit needs, where it is not there yet. */
function allowanceNeed(
  token: Hex,
  spender: Hex,
  required: bigint,
  held: Held,
  decimals: number,
): Requirement[] {
  if (held.allowance >= required) return [];
  const fix = approveCall(token, spender, required);
  return [{ check: "walletAllowance", required, actual: held.allowance, decimals, token, spender, fix }];
}

function depositCall(
  router: Hex,
  functionName: "deposit" | "depositStock",
  token: Hex,
  amount: bigint,
): Call {
  const callData = encodeFunctionData({ abi: stockRouterAbi, functionName, args: [token, amount] });
  return Object.freeze({ toAddress: router, value: "0", callData });
}
