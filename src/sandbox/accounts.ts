import { pbkdf2Sync } from "node:crypto";
import { type Hex, type LocalAccount, toHex } from "viem";
import { type HDAccount, HDKey, hdKeyToAccount } from "viem/accounts";

/** Anvil's own mnemonic: its accounts are known to everybody and must never hold anything of worth. */
const MNEMONIC = "test test test test test test test test test test test junk";
const USERS = 4;
/** Anvil funds its first ten accounts; these follow the users. */
const DELEGATEES = 3;

let root: HDKey | undefined;

/**
 * Returns one of anvil's development accounts. The seed of BIP-39 is computed by Node.js itself, once: in JavaScript it
 * takes 100 ms for each account.
 */
export function developmentAccount(addressIndex: number): HDAccount {
  root ??= HDKey.fromMasterSeed(pbkdf2Sync(MNEMONIC, "mnemonic", 2048, 64, "sha512"));
  return hdKeyToAccount(root, { addressIndex });
}

export interface SandboxUser {
  account: LocalAccount;
  privateKey: Hex;
}

export interface SandboxAccounts {
  /** Deploys, and administers the contracts. */
  deployer: LocalAccount;
  settler: LocalAccount;
  users: SandboxUser[];
  /** Private keys of the wallets that send for users. */
  delegateeKeys: Hex[];
}

/** Returns accounts that are the same on every machine and after every restart. */
export function sandboxAccounts(): SandboxAccounts {
  return {
    deployer: developmentAccount(0),
    settler: developmentAccount(1),
    users: Array.from({ length: USERS }, (_, index) => {
      const user = developmentAccount(index + 2);
      return { account: user, privateKey: privateKeyOf(index + 2) };
    }),
    delegateeKeys: Array.from({ length: DELEGATEES }, (_, index) => privateKeyOf(index + 2 + USERS)),
  };
}

function privateKeyOf(index: number): Hex {
  return toHex(developmentAccount(index).getHdKey().privateKey ?? new Uint8Array());
}
