import type { Address, Hex } from "viem";
import { getAddress } from "viem";
import type { DeploymentsInput } from "../../../src/config/deployments.ts";
import type { SandboxUser } from "./accounts.ts";
import type { SetUp } from "./chains.ts";
import { PRODUCT } from "./product.ts";
import type { SandboxKey, Secrets } from "./secrets.ts";

/** Blocks on top; a chain mines one a second. */
const CONFIRMATIONS = 6;
/** anvil holds any number of an account's transactions. */
const SENDING = { blockSeconds: 1, accountSlots: 1000 };
const POLLING_MS = 200;

/** Returns the deployments file, by which the production programs find the sandbox's chains. */
export function deploymentsOf(chains: readonly SetUp[]): DeploymentsInput {
  return {
    chains: chains.map(({ chainId, rpcUrl, startBlock, stockRouter, cashier, stock, oneClickRouter }) => ({
      chainId,
      // Anvil serves WebSockets where it serves HTTP.
      rpcUrls: [rpcUrl, rpcUrl.replace(/^http/, "ws")],
      confirmations: CONFIRMATIONS,
      pollingIntervalMs: POLLING_MS,
      ephemeral: true,
      sending: SENDING,
      products: [
        {
          productType: PRODUCT,
          startBlock,
          contracts: { stockRouter, cashier, stock, oneClickRouter },
          minNotional: "1",
        },
      ],
    })),
  };
}

interface Token {
  address: Address;
  symbol: string;
  decimals: number;
}

/** `.sandbox/state.json`, by which scripts and tests find everything. Only written, never read by the sandbox. */
export interface SandboxState {
  baseUrl: string;
  operatorUrl: string;
  graphqlUrl: string;
  dashboardUrl: string;
  controlUrl: string;
  databaseUrl: string;
  dashboardToken: string;
  chains: {
    chainId: number;
    rpcUrl: string;
    productType: string;
    contracts: { stockRouter: Address; cashier: Address; stock: Address; oneClickRouter: Address };
    cashTokens: Token[];
    stockTokens: Token[];
  }[];
  users: { address: Address; privateKey: Hex }[];
  keys: SandboxKey[];
}

export interface StateParts {
  baseUrl: string;
  operatorUrl: string;
  controlUrl: string;
  databaseUrl: string;
  secrets: Secrets;
  chains: readonly SetUp[];
  users: readonly SandboxUser[];
  keys: SandboxKey[];
}

export function stateOf({
  baseUrl,
  operatorUrl,
  controlUrl,
  databaseUrl,
  secrets,
  chains,
  users,
  keys,
}: StateParts): SandboxState {
  return {
    baseUrl,
    operatorUrl,
    graphqlUrl: `${operatorUrl}/graphql`,
    dashboardUrl: `${operatorUrl}/dashboard`,
    controlUrl,
    databaseUrl,
    dashboardToken: secrets.dashboardToken,
    chains: chains.map(({ chainId, rpcUrl, cashTokens, stockTokens, ...contracts }) => ({
      chainId,
      rpcUrl,
      productType: PRODUCT,
      contracts: {
        stockRouter: getAddress(contracts.stockRouter),
        cashier: getAddress(contracts.cashier),
        stock: getAddress(contracts.stock),
        oneClickRouter: getAddress(contracts.oneClickRouter),
      },
      cashTokens: cashTokens.map(presentToken),
      stockTokens: stockTokens.map(presentToken),
    })),
    users: users.map(({ account, privateKey }) => ({ address: account.address, privateKey })),
    keys,
  };
}

const presentToken = ({ address, symbol, decimals }: Token): Token => ({
  address: getAddress(address),
  symbol,
  decimals,
});
