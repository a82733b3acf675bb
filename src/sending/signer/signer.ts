import { type Hex, keccak256, type Signature, serializeTransaction } from "viem";
import { privateKeyToAddress, sign } from "viem/accounts";

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

/** The key of one wallet, wherever it is. Nothing else in the service can see it. */
export interface WalletKey {
  /** Lower case. */
  address: Hex;
  /**
   * Signs a digest of 32 bytes; `s` is in the lower half of the curve's order. May ask a device, and settles within seconds even
   * where that does not answer.
   * @throws Error where it cannot sign now
   */
  signDigest(digest: Hex): Promise<Signature>;
  /** Settles where the key can sign now. @throws Error saying why it cannot */
  check(): Promise<void>;
}

/** Signs transactions of one wallet. Never call it in a database transaction: the key may be in a device. */
export interface Signer extends Pick<WalletKey, "address" | "check"> {
  /** Returns the signed transaction, ready to broadcast. @throws as signDigest */
  sign(transaction: UnsignedTransaction): Promise<Hex>;
}

export function createSigner(key: WalletKey): Signer {
  return {
    address: key.address,
    check: () => key.check(),
    sign: async (transaction) => {
      const payload = { ...transaction, value: 0n, type: "eip1559" } as const;
      return serializeTransaction(payload, await key.signDigest(keccak256(serializeTransaction(payload))));
    },
  };
}

/** Returns a signer that holds a private key in memory. */
export function createLocalSigner(privateKey: Hex): Signer {
  return createSigner({
    address: privateKeyToAddress(privateKey).toLowerCase() as Hex,
    signDigest: (hash) => sign({ hash, privateKey }),
    check: () => Promise.resolve(),
  });
}
