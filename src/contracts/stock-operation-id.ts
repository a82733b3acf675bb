import { encodeAbiParameters, type Hex, keccak256 } from "viem";

/**
 * Returns the lookup id of a stock deposit or withdrawal, whose events carry none (docs/contracts.md#ids).
 * @param ordinal counts from 0 the Stock contract's deposit and withdraw events within the transaction
 */
export function stockOperationId(chainId: number, txHash: Hex, ordinal: number): Hex {
  const types = [{ type: "uint256" }, { type: "bytes32" }, { type: "uint256" }] as const;
  return keccak256(encodeAbiParameters(types, [BigInt(chainId), txHash, BigInt(ordinal)]));
}
