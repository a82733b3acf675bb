import { Wallet } from "ethers";
import { canary } from "../assert/logs.ts";
import { present } from "../assert/until.ts";
import type { Delegation, DelegationChange, DelegationPayload } from "../http/answers.ts";
import type { Partner } from "../http/partner.ts";
import type { SandboxState } from "./sandbox-state.ts";

/** Lets a key send for its user, who signs with plain ethers; does nothing where it may send already. */
export async function ensureDelegation(partner: Partner, state: SandboxState): Promise<void> {
  const { status, userAddress } = await partner.must(partner.get<Delegation>("/1ct/status"));
  if (status === "enable") return;
  const body = await signDelegation(partner, state, userAddress);
  await partner.must(partner.post<DelegationChange>("/1ct/enable", body));
}

/** Returns the body of an enable that the sandbox's user has signed, with the chain's present nonce. */
export async function signDelegation(partner: Partner, state: SandboxState, userAddress: string) {
  const user = present(
    state.users.find(({ address }) => address === userAddress),
    "the bound user",
  );
  const deadline = Math.floor(Date.now() / 1000) + 3_600;
  const { nonce, signPayload } = await partner.must(
    partner.post<DelegationPayload>("/1ct/prepare", { userAddress, deadline }),
  );
  const { domain, types, message } = signPayload;
  const signature = await new Wallet(user.privateKey).signTypedData(domain, types, message);
  return { signature: canary("user's signature", signature), deadline, nonce };
}
