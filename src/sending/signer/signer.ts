import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";

/** One EIP-1559 transaction before signing; amounts in wei. */
export interface UnsignedTransaction {
  chainId: number;
  nonce: number;
  to: Hex;
  data: Hex;
  gas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
}

/**
 * Signs for one wallet. Hides the key: nothing else in the service can see it. It signs inside the database transaction that
 * assigns the nonce, so it must not call anything over a network.
 */
export interface Signer {
  /** Lower case. */
  address: Hex;
  /** Returns the signed transaction, ready to broadcast. */
  sign(transaction: UnsignedTransaction): Promise<Hex>;
}

/** Returns a signer that holds a private key in memory. */
export function createLocalSigner(privateKey: Hex): Signer {
  const account = privateKeyToAccount(privateKey);
  return {
    address: account.address.toLowerCase() as Hex,
    sign: (transaction) => account.signTransaction({ ...transaction, value: 0n, type: "eip1559" }),
  };
}
