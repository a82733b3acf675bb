import { type Deployments, findProduct } from "../config/deployments.ts";
import type { Access } from "../protocol/enums.ts";

/** A chain and product that a key is issued for. */
export interface KeyScope {
  chainId: number;
  productType: string;
}

const CHAIN_ID = /^[1-9][0-9]{0,15}$/;

/** Returns the chain id of x-api-chain-id: decimal digits and nothing else, no sign, no leading zero; null otherwise. */
export function parseChainId(text: string): number | null {
  return CHAIN_ID.test(text) ? Number(text) : null;
}

/** Returns true where the key was issued for the scope, in exactly this casing. */
export function isGranted(scopes: readonly KeyScope[], chainId: number, productType: string): boolean {
  return scopes.some((scope) => scope.chainId === chainId && scope.productType === productType);
}

/** Returns true where this installation serves the scope. A key may outlive a deployment. */
export function isServed(deployments: Deployments, chainId: number, productType: string): boolean {
  return findProduct(deployments, chainId, productType) !== undefined;
}

/**
 * Returns true where the key may use the method. READ_ONLY keys may only GET. What WRITABLE keys may do is what there is:
 * the list of endpoints decides.
 */
export function mayUse(access: Access, method: string): boolean {
  return access === "WRITABLE" || method === "GET";
}
