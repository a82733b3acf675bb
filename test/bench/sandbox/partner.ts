import type { Hex, LocalAccount } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { present, until } from "../../support/assert/until.ts";
import type { Delegation } from "../../support/http/answers.ts";
import { createPartner, type Partner } from "../../support/http/partner.ts";
import type { SandboxState } from "../../support/sandbox/sandbox-state.ts";
import { enable } from "../../support/sender/sending.ts";

/** A sandbox's partner whose key may send for its user. */
export interface EnabledPartner {
  partner: Partner;
  /** User that it sends for. */
  user: LocalAccount;
  chain: SandboxState["chains"][number];
  /** A stock that it can trade. */
  stockAddress: string;
  /** Wallet that sends for its user. */
  wallet: string;
}

/** Enables sending for the bound user of a sandbox, and waits until it is in force. */
export async function enablePartner(state: SandboxState): Promise<EnabledPartner> {
  const key = present(
    state.keys.find(({ access, userAddress }) => access === "WRITABLE" && userAddress !== null),
    "a key that is bound to a user",
  );
  const user = present(
    state.users.find(({ address }) => address.toLowerCase() === key.userAddress?.toLowerCase()),
    "its user",
  );
  const chain = present(
    state.chains.find(({ chainId }) => chainId === key.chainId),
    "its chain",
  );
  const partner = createPartner(state.baseUrl, key);
  const account = privateKeyToAccount(user.privateKey as Hex);
  const wallet = await until("sending is enabled", async () => {
    const { status, delegatee } = await partner.must(partner.get<Delegation>("/1ct/status"));
    if (status === "disabled") await enable(partner, account.address, account);
    return status === "enable" ? delegatee : undefined;
  });
  const stockAddress = present(chain.stockTokens[0], "a stock token").address;
  return { partner, user: account, chain, stockAddress, wallet };
}
