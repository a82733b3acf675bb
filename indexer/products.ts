// Which product a contract belongs to. Every row is keyed by it, so an address in two products would be ambiguous.
import type { Address } from "viem";
import type { ChainConfig, ProductConfig } from "../src/config/deployments.ts";
import type { ProductId } from "../src/protocol/shapes.ts";

export type ContractName = keyof ProductConfig["contracts"];

/** The products of one chain. */
export interface ProductLookup {
  all: readonly ProductId[];
  /**
   * Returns the product whose `contract` lives at `address`.
   * @throws Error where the deployments file knows none: Ponder only delivers events of addresses it was given.
   */
  of(contract: ContractName, address: Address): ProductId;
  /** Returns true where the product's router is at `address`. */
  isRouter(product: ProductId, address: Address | null): boolean;
}

/** @throws Error naming the address, where two contracts of the chain share it. */
export function createProductLookup({ chainId, products }: ChainConfig): ProductLookup {
  const byAddress = new Map<string, ProductId & { contract: string }>();
  for (const { productType, contracts } of products) {
    for (const [contract, address] of Object.entries(contracts)) {
      const key = address.toLowerCase();
      const taken = byAddress.get(key);
      if (taken)
        throw new Error(
          `${address} on chain ${chainId} is named twice, by ${taken.productType} and ${productType}`,
        );
      byAddress.set(key, { chainId, productType, contract });
    }
  }
  const find = (address: Address) => byAddress.get(address.toLowerCase());
  return {
    all: products.map(({ productType }) => ({ chainId, productType })),
    of(contract, address) {
      const found = find(address);
      if (found?.contract !== contract)
        throw new Error(`no product has its ${contract} at ${address} on chain ${chainId}`);
      return { chainId, productType: found.productType };
    },
    isRouter({ productType }, address) {
      const found = address === null ? undefined : find(address);
      return found?.contract === "stockRouter" && found.productType === productType;
    },
  };
}
