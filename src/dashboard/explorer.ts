import type { ChainConfig } from "../config/deployments.ts";

/** Returns the page of a transaction, or else of a block, at a chain's explorer; null where the deployments file names none. */
export function explorerLink(
  { explorerUrl }: Pick<ChainConfig, "explorerUrl">,
  { txHash, blockNumber }: { txHash: string | null; blockNumber: bigint | null },
): string | null {
  if (explorerUrl === undefined) return null;
  if (txHash !== null) return `${explorerUrl}/tx/${txHash}`;
  return blockNumber === null ? null : `${explorerUrl}/block/${blockNumber}`;
}
