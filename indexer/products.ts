// Which product a contract belongs to. Every row is keyed by it, so an address in two products would be ambiguous.
import type { Address } from "viem";
import type { Deployments, ProductConfig } from "../src/config/deployments.ts";
import type { ProductId } from "../src/protocol/shapes.ts";

export type ContractName = keyof ProductConfig["contracts"];

export interface ProductLookup {
  /**
   * Returns the product whose `contract` lives at `address`.
   * @throws Error where the deployments file knows none: Ponder only delivers events of addresses it was given.
   */
  of(chainId: number, contract: ContractName, address: Address): ProductId;
  /** Returns all products of a chain. */
  on(chainId: number): readonly ProductId[];
  /** Returns true where the product's router is at `address`. */
  isRouter(product: ProductId, address: Address | null): boolean;
}

/** @throws Error naming the address, where two contracts of one chain share it. */
export function createProductLookup(deployments: Deployments): ProductLookup {
  const byAddress = new Map<string, ProductId & { contract: string }>();
  const byChain = new Map<number, ProductId[]>();
  for (const { chainId, products } of deployments.chains) {
    byChain.set(
      chainId,
      products.map(({ productType }) => ({ chainId, productType })),
    );
    for (const { productType, contracts } of products) {
      for (const [contract, address] of Object.entries(contracts)) {
        const key = `${chainId}/${address.toLowerCase()}`;
        const taken = byAddress.get(key);
        if (taken)
          throw new Error(
            `${address} on chain ${chainId} is named twice, by ${taken.productType} and ${productType}`,
          );
        byAddress.set(key, { chainId, productType, contract });
      }
    }
  }
  const find = (chainId: number, address: Address) => byAddress.get(`${chainId}/${address.toLowerCase()}`);
  return {
    of(chainId, contract, address) {
      const found = find(chainId, address);
      if (found?.contract !== contract)
        throw new Error(`no product has its ${contract} at ${address} on chain ${chainId}`);
      return { chainId: found.chainId, productType: found.productType };
    },
    on: (chainId) => byChain.get(chainId) ?? [],
    isRouter(product, address) {
      const found = address === null ? undefined : find(product.chainId, address);
      return found?.contract === "stockRouter" && found.productType === product.productType;
    },
  };
}
