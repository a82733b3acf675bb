import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  type LocalAccount,
  maxUint256,
  type PublicClient,
  parseEther,
  parseUnits,
} from "viem";
import {
  cashierAbi,
  cashTokenAbi,
  oneClickRouterAbi,
  stockAbi,
  stockRouterAbi,
  stockTokenAbi,
} from "../../../src/contracts/abi/index.ts";
import { bytecode } from "./contracts/bytecode.ts";
import { CASH_TOKENS, STOCKS } from "./tokens.ts";
import { type Step, sendAll } from "./transact.ts";

/** Deploys one complete product to a development chain (docs/contracts.md#sandbox-set). */

export interface CashTokenInfo {
  address: Address;
  symbol: string;
  name: string;
  decimals: number;
}

export interface StockTokenInfo extends CashTokenInfo {
  /** Symbol of the stock under which the token is listed. */
  stockSymbol: string;
}

export interface Deployment {
  chainId: number;
  stockRouter: Address;
  cashier: Address;
  stock: Address;
  oneClickRouter: Address;
  cashTokens: CashTokenInfo[];
  stockTokens: StockTokenInfo[];
  /** Block of the first of these contracts: all of their events are at or after it. */
  startBlock: number;
}

export interface DeployAccounts {
  /** Pays and becomes the admin, who lists tokens and mints stock tokens for users; needs 200 native coins. */
  deployer: LocalAccount;
  /** Settles orders and cash; its account in Cashier is the broker's. */
  settler: LocalAccount;
}

/** Order fees: 10 bps both ways, at least 0.01 mUSD. */
const FEE_CONFIG = { buyFeeBps: 10, sellFeeBps: 10, minFeeWad: parseEther("0.01") };
/** mUSD that may be credited before cash is settled; the broker's own deposits use it first. */
const CREDIT_BUFFER_WAD = parseEther("100000000");
/** Capacity for instant withdrawals in Cashier, in whole tokens of each cash token. */
const WITHDRAW_BUFFER_CAPACITY = "50000000";
/** The broker's deposit, in whole tokens of each cash token: its mUSD pays sellers, and the tokens fill the buffers. */
const BROKER_DEPOSIT = "20000000";
/** 1, with the 6 decimals of `minAmount` and `usdRate`. */
const ONE = 1_000_000;
const DEPLOY_GAS = 6_000_000n;
const CALL_GAS = 500_000n;

/**
 * Deploys, lists and configures everything, and gives the broker its liquidity. Addresses are lower case.
 * @throws Error naming the step that reverted.
 */
export async function deploy(client: PublicClient, accounts: DeployAccounts): Promise<Deployment> {
  const { deployer, settler } = accounts;
  const [chainId, firstNonce] = await Promise.all([
    client.getChainId(),
    client.getTransactionCount({ address: deployer.address, blockTag: "pending" }),
  ]);
  const addresses = planAddresses(deployer.address, firstNonce);
  const setUp = [
    ...contractSteps(addresses, accounts),
    ...tokenSteps(addresses, accounts),
    ...configurationSteps(addresses, accounts),
  ];
  const receipts = await sendAll(client, deployer, setUp);
  await sendAll(client, settler, liquiditySteps(addresses));
  return { chainId, ...addresses, startBlock: Number(receipts[0]?.blockNumber) };
}

type Addresses = Omit<Deployment, "chainId" | "startBlock">;

/** Computes all addresses before any contract exists: the constructors refer to each other's. */
function planAddresses(from: Address, firstNonce: number): Addresses {
  let nonce = BigInt(firstNonce);
  const next = () => getContractAddress({ from, nonce: nonce++ }).toLowerCase() as Address;
  return {
    cashier: next(),
    stock: next(),
    stockRouter: next(),
    oneClickRouter: next(),
    cashTokens: CASH_TOKENS.map((token) => ({ ...token, address: next() })),
    stockTokens: STOCKS.map((token) => ({ ...token, decimals: 18, address: next() })),
  };
}

function contractSteps(addresses: Addresses, { deployer, settler }: DeployAccounts): Step[] {
  const { cashier, stock, stockRouter, oneClickRouter } = addresses;
  return [
    creation(
      "Cashier",
      encodeDeployData({
        abi: cashierAbi,
        bytecode: bytecode.Cashier,
        args: [stockRouter, stock, settler.address, deployer.address, settler.address],
      }),
    ),
    creation(
      "Stock",
      encodeDeployData({
        abi: stockAbi,
        bytecode: bytecode.Stock,
        args: [stockRouter, cashier, deployer.address, settler.address, FEE_CONFIG],
      }),
    ),
    creation(
      "StockRouter",
      encodeDeployData({
        abi: stockRouterAbi,
        bytecode: bytecode.StockRouter,
        args: [cashier, stock, oneClickRouter],
      }),
    ),
    creation(
      "OneClickRouter",
      encodeDeployData({ abi: oneClickRouterAbi, bytecode: bytecode.OneClickRouter, args: [stockRouter] }),
    ),
  ];
}

function tokenSteps(addresses: Addresses, { deployer, settler }: DeployAccounts): Step[] {
  return [
    ...addresses.cashTokens.map(({ name, symbol, decimals }) =>
      creation(
        symbol,
        encodeDeployData({ abi: cashTokenAbi, bytecode: bytecode.CashToken, args: [name, symbol, decimals] }),
      ),
    ),
    ...addresses.stockTokens.map(({ name, symbol }) =>
      creation(
        symbol,
        encodeDeployData({
          abi: stockTokenAbi,
          bytecode: bytecode.StockToken,
          args: [`${name} (tokenized)`, symbol, addresses.stock, deployer.address, settler.address],
        }),
      ),
    ),
  ];
}

function configurationSteps(addresses: Addresses, { settler }: DeployAccounts): Step[] {
  const { cashier, stock, cashTokens, stockTokens } = addresses;
  const buffers = encodeFunctionData({
    abi: cashierAbi,
    functionName: "setCreditBuffer",
    args: [CREDIT_BUFFER_WAD, CREDIT_BUFFER_WAD],
  });
  return [
    { name: "gas of the settler", to: settler.address, value: parseEther("100"), gas: 21_000n },
    call("setCreditBuffer", cashier, buffers),
    ...cashTokens.map(({ address, decimals, symbol }) =>
      call(
        `support ${symbol}`,
        cashier,
        encodeFunctionData({
          abi: cashierAbi,
          functionName: "supportToken",
          args: [address, tokenConfig(decimals)],
        }),
      ),
    ),
    ...cashTokens.map(({ address, decimals, symbol }) =>
      call(
        `mint ${symbol}`,
        address,
        encodeFunctionData({
          abi: cashTokenAbi,
          functionName: "mint",
          args: [settler.address, parseUnits(BROKER_DEPOSIT, decimals)],
        }),
      ),
    ),
    ...stockTokens.map(({ address, stockSymbol }) =>
      call(
        `list ${stockSymbol}`,
        stock,
        encodeFunctionData({
          abi: stockAbi,
          functionName: "listStockToken",
          args: [address, stockSymbol, true],
        }),
      ),
    ),
  ];
}

function tokenConfig(decimals: number) {
  return {
    minAmount: ONE,
    decimals,
    depositPaused: false,
    withdrawPaused: false,
    usdRate: ONE,
    withdrawBuffer: 0n,
    withdrawBufferCapacity: parseUnits(WITHDRAW_BUFFER_CAPACITY, decimals),
    depositFeeBps: 0,
    withdrawFeeBps: 0,
  };
}

/** Returns the broker's deposits, made like any user's, so that tokens back its mUSD, too. */
function liquiditySteps({ stockRouter, cashTokens }: Addresses): Step[] {
  return cashTokens.flatMap(({ address, decimals, symbol }) => [
    call(
      `approve ${symbol}`,
      address,
      encodeFunctionData({ abi: cashTokenAbi, functionName: "approve", args: [stockRouter, maxUint256] }),
    ),
    call(
      `deposit ${symbol}`,
      stockRouter,
      encodeFunctionData({
        abi: stockRouterAbi,
        functionName: "deposit",
        args: [address, parseUnits(BROKER_DEPOSIT, decimals)],
      }),
    ),
  ]);
}

function creation(name: string, data: Hex): Step {
  return { name: `create ${name}`, to: null, data, gas: DEPLOY_GAS };
}

function call(name: string, to: Address, data: Hex): Step {
  return { name, to, data, gas: CALL_GAS };
}
