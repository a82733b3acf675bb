import type { Signer } from "ethers";

/**
 * Submits what the API built, from a wallet, with twice the gas that it is estimated to need
 * (docs/api.md#calldata-reply): between estimate and block the broker may settle something else of the same user, and
 * the call then costs more.
 * @returns the transaction's hash, once it is mined with success
 */
export async function submitCall(
  wallet: Signer,
  { toAddress, value = "0", callData }: { toAddress: string; value?: string; callData: string },
): Promise<string> {
  const call = { to: toAddress, value, data: callData };
  const sent = await wallet.sendTransaction({ ...call, gasLimit: 2n * (await wallet.estimateGas(call)) });
  await sent.wait();
  return sent.hash;
}
