import type { LocalAccount } from "viem";
import { oneClickRouterAbi } from "../../../src/contracts/abi/index.ts";
import { signPayload } from "../../../src/oneclick/payload.ts";
import { LATER, oneClick } from "../../contracts/calls.ts";
import { lower } from "../http/features.ts";
import { type Product, send } from "./product.ts";

/** Has a user delegate to a wallet on the chain, by a signature that the wallet submits. */
export async function delegate(product: Product, user: LocalAccount, delegatee: LocalAccount): Promise<void> {
  const { oneClickRouter, chainId } = product.deployment;
  const nonce = await product.client.readContract({
    address: oneClickRouter,
    abi: oneClickRouterAbi,
    functionName: "nonceOf",
    args: [user.address],
  });
  const terms = { chainId, oneClickRouter, user: lower(user.address), deadline: LATER };
  const payload = signPayload({ ...terms, delegatee: lower(delegatee.address), nonce: Number(nonce) });
  const signature = await user.signTypedData({ ...payload, message: { ...payload.message, nonce } });
  const data = oneClick("delegateBySig", user.address, delegatee.address, nonce, LATER, signature);
  await send(product.client, delegatee, oneClickRouter, data);
}
