import { type Hex, type LocalAccount, toHex } from "viem";
import { mnemonicToAccount } from "viem/accounts";

/** Anvil's own mnemonic: its accounts are known to everybody and must never hold anything of worth. */
const MNEMONIC = "test test test test test test test test test test test junk";
const USERS = 4;

const account = (addressIndex: number) => mnemonicToAccount(MNEMONIC, { addressIndex });

export interface SandboxUser {
  account: LocalAccount;
  privateKey: Hex;
}

export interface SandboxAccounts {
  /** Deploys, and administers the contracts. */
  deployer: LocalAccount;
  settler: LocalAccount;
  users: SandboxUser[];
}

/** The same on every machine and after every restart. */
export function sandboxAccounts(): SandboxAccounts {
  return {
    deployer: account(0),
    settler: account(1),
    users: Array.from({ length: USERS }, (_, index) => {
      const user = account(index + 2);
      return { account: user, privateKey: toHex(user.getHdKey().privateKey ?? new Uint8Array()) };
    }),
  };
}
