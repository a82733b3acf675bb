import {
  type Address,
  encodeFunctionData,
  type LocalAccount,
  maxUint256,
  type PublicClient,
  parseEther,
  parseUnits,
} from "viem";
import { cashTokenAbi, stockRouterAbi, stockTokenAbi } from "../../../src/contracts/abi/index.ts";
import type { Deployment } from "./deploy.ts";
import { type Step, sendAll } from "./transact.ts";

/** Initial balances of each user, in whole coins, tokens and mUSD. */
export interface Funding {
  native: string;
  /** Of every cash token, left in the wallet. */
  walletCash: string;
  /** Of every cash token, deposited for the same amount of mUSD. */
  depositedCash: string;
  /** Of every stock token, left in the wallet. */
  walletStock: string;
  /** Of every stock token, deposited to the exchange. */
  exchangeStock: string;
}

export const DEFAULT_FUNDING: Funding = {
  native: "100",
  walletCash: "100000",
  depositedCash: "25000",
  walletStock: "1000",
  exchangeStock: "100",
};

const CALL_GAS = 500_000n;

/**
 * Gives users native coin, tokens in the wallet, mUSD and stock on the exchange, and unlimited approvals to StockRouter.
 * @param deployer the admin that deployed; it mints.
 * @throws Error naming the step that reverted.
 */
export async function fundUsers(
  client: PublicClient,
  deployment: Deployment,
  deployer: LocalAccount,
  users: readonly LocalAccount[],
  funding: Funding = DEFAULT_FUNDING,
): Promise<void> {
  await sendAll(
    client,
    deployer,
    users.flatMap((user) => giftSteps(deployment, user.address, funding)),
  );
  await Promise.all(users.map((user) => sendAll(client, user, userSteps(deployment, funding))));
}

function giftSteps({ cashTokens, stockTokens }: Deployment, user: Address, funding: Funding): Step[] {
  const mint = (token: { address: Address; symbol: string; decimals: number }, amounts: string[]): Step => ({
    name: `mint ${token.symbol}`,
    to: token.address,
    // CashToken and StockToken mint by the same function.
    data: encodeFunctionData({
      abi: cashTokenAbi,
      functionName: "mint",
      args: [user, amounts.map((amount) => parseUnits(amount, token.decimals)).reduce((a, b) => a + b, 0n)],
    }),
    gas: CALL_GAS,
  });
  return [
    { name: "native coin", to: user, value: parseEther(funding.native), gas: 21_000n },
    ...cashTokens.map((token) => mint(token, [funding.walletCash, funding.depositedCash])),
    ...stockTokens.map((token) => mint(token, [funding.walletStock, funding.exchangeStock])),
  ];
}

function userSteps({ stockRouter, cashTokens, stockTokens }: Deployment, funding: Funding): Step[] {
  const approve = encodeFunctionData({
    abi: stockTokenAbi,
    functionName: "approve",
    args: [stockRouter, maxUint256],
  });
  const cash = cashTokens.map(({ address, symbol, decimals }) => ({
    name: `deposit ${symbol}`,
    amount: parseUnits(funding.depositedCash, decimals),
    encode: (amount: bigint) =>
      encodeFunctionData({ abi: stockRouterAbi, functionName: "deposit", args: [address, amount] }),
  }));
  const stocks = stockTokens.map(({ address, symbol }) => ({
    name: `deposit ${symbol}`,
    amount: parseEther(funding.exchangeStock),
    encode: (amount: bigint) =>
      encodeFunctionData({ abi: stockRouterAbi, functionName: "depositStock", args: [address, amount] }),
  }));
  return [
    ...[...cashTokens, ...stockTokens].map(({ address, symbol }) => ({
      name: `approve ${symbol}`,
      to: address,
      data: approve,
      gas: CALL_GAS,
    })),
    ...[...cash, ...stocks]
      .filter(({ amount }) => amount > 0n)
      .map(({ name, amount, encode }) => ({ name, to: stockRouter, data: encode(amount), gas: CALL_GAS })),
  ];
}
