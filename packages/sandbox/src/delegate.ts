import type { LocalAccount, TypedDataDefinition } from "viem";
import { PartnerTrading } from "../../client/src/index.ts";
import type { SandboxUser } from "./accounts.ts";
import type { SandboxState } from "./state.ts";

const SIGNED_FOR_S = 600;

/**
 * Delegates the user of each bound key to the service, so that the first `/send` after a start succeeds, also where one click was disabled
 * before.
 */
export async function delegateBoundUsers(
  { baseUrl, keys }: Pick<SandboxState, "baseUrl" | "keys">,
  users: readonly SandboxUser[],
): Promise<void> {
  for (const key of keys) {
    const user = users.find(({ account }) => account.address === key.userAddress);
    if (user) await delegate(new PartnerTrading({ baseUrl, ...key }), user.account);
  }
}

/** Delegates a key's user to the service, where they are not. */
export async function delegate({ oneClick }: PartnerTrading, account: LocalAccount): Promise<void> {
  const { nonce, status } = await oneClick.status();
  if (status !== "disabled") return;
  const { signPayload, deadline } = await oneClick.prepare({
    userAddress: account.address,
    deadline: Math.floor(Date.now() / 1000) + SIGNED_FOR_S,
  });
  // The document's types describe its parts only as text.
  const signature = await account.signTypedData(signPayload as TypedDataDefinition);
  await oneClick.enable({ signature, deadline, nonce });
}
