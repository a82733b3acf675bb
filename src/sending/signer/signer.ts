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
 * What signs for one wallet. The key stays behind this interface: nothing else in the service can see it.
 * A signer in this process (`remote: false`) signs inside the database transaction that assigns the nonce. One outside
 * (a KMS) is a network call, which has no place in there: nonce and payload are stored first, then it is asked.
 */
export interface Signer {
  /** Lower case. */
  address: Hex;
  remote: boolean;
  /** The signed transaction, ready to broadcast. */
  sign(transaction: UnsignedTransaction): Promise<Hex>;
}

/** A signer that holds a private key in memory. */
export function createLocalSigner(privateKey: Hex): Signer {
  const account = privateKeyToAccount(privateKey);
  return {
    address: account.address.toLowerCase() as Hex,
    remote: false,
    sign: (transaction) => account.signTransaction({ ...transaction, value: 0n, type: "eip1559" }),
  };
}
