import { encodeFunctionData, type Hex, parseAbi, recoverAddress } from "viem";
import type { Chain } from "../chain/clients.ts";
import { withRpcErrors } from "../chain/errors.ts";
import { isRevert } from "../chain/simulate.ts";

const erc1271Abi = parseAbi([
  "function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)",
]);
/** Answer of isValidSignature for a valid signature: its own selector, as a word. */
const HOLDS = `0x1626ba7e${"00".repeat(28)}`;

/**
 * Returns true where a wallet signed a hash: an EOA by ECDSA, which no node is asked for; else a wallet contract by ERC-1271 at
 * the latest block. Without an answer, nothing is decided.
 * @param wallet lower case
 * @throws ApiError RPC_UNAVAILABLE
 */
export async function isSignedBy(chain: Chain, wallet: Hex, hash: Hex, signature: Hex): Promise<boolean> {
  const signer = await recoverAddress({ hash, signature }).catch(() => null);
  if (signer?.toLowerCase() === wallet) return true;
  const data = encodeFunctionData({
    abi: erc1271Abi,
    functionName: "isValidSignature",
    args: [hash, signature],
  });
  return withRpcErrors(async () => {
    try {
      const answer = await chain.client.call({ to: wallet, data });
      return answer.data?.slice(0, HOLDS.length) === HOLDS;
    } catch (error) {
      if (isRevert(error)) return false;
      throw error;
    }
  });
}
