import type { ChainConfig, ProductConfig } from "../../src/config/deployments.ts";

const address = (number: number): `0x${string}` => `0x${number.toString(16).padStart(40, "a")}`;

/** Returns a product whose four contracts have consecutive addresses from `first` on. */
export function product(productType: string, first: number): ProductConfig {
  return {
    productType,
    startBlock: 1,
    contracts: {
      stockRouter: address(first),
      cashier: address(first + 1),
      stock: address(first + 2),
      oneClickRouter: address(first + 3),
    },
    minNotional: "1",
  };
}

export function chain(chainId: number, products: ProductConfig[]): ChainConfig {
  return {
    chainId,
    rpcUrls: ["http://127.0.0.1:8545"],
    wsUrls: [],
    confirmations: 2,
    pollingIntervalMs: 1000,
    multicall3: null,
    ephemeral: true,
    products,
  };
}
