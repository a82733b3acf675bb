// Which product a contract belongs to. Every row is keyed by it, so an address in two products would be ambiguous.
import type { Address } from "viem";
import type { Deployments, ProductConfig } from "../src/config/deployments.ts";

export type ContractName = keyof ProductConfig["contracts"];

/** The keys that stand in front of every row of onchain.*. */
export interface Scope {
  chainId: number;
  productType: string;
}

export interface Scopes {
  /**
   * Returns the product whose `contract` lives at `address`.
   * @throws Error where the deployments file knows none: Ponder only delivers events of addresses it was given.
   */
  of(chainId: number, contract: ContractName, address: Address): Scope;
  /** Returns all products of a chain. */
  on(chainId: number): readonly Scope[];
  /** Returns true where the product's router is at `address`. */
  isRouter(scope: Scope, address: Address | null): boolean;
}

/** @throws Error naming the address, where two contracts of one chain share it. */
export function buildScopes(deployments: Deployments): Scopes {
  const byAddress = new Map<string, Scope & { contract: string }>();
  const byChain = new Map<number, Scope[]>();
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
    isRouter(scope, address) {
      const found = address === null ? undefined : find(scope.chainId, address);
      return found?.contract === "stockRouter" && found.productType === scope.productType;
    },
  };
}
