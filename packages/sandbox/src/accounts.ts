import { pbkdf2Sync } from "node:crypto";
import { type Hex, type LocalAccount, toHex } from "viem";
import { HDKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";

/** Anvil's own mnemonic: its accounts are public and must never hold anything of value. */
const MNEMONIC = "test test test test test test test test test test test junk";
const PATH = "m/44'/60'/0'/0";
const USERS = 4;
/** Anvil funds its first ten accounts; these follow the users. */
const DELEGATEES = 3;

/** Parent of all of anvil's accounts: four of the five steps from the seed to an account's key are the same. */
let parent: HDKey | undefined;

/**
 * Returns the private key of one of anvil's development accounts. The seed of BIP-39 is computed by Node.js itself, once: in
 * JavaScript it takes 100 ms.
 */
function privateKeyOf(addressIndex: number): Hex {
  parent ??= HDKey.fromMasterSeed(pbkdf2Sync(MNEMONIC, "mnemonic", 2048, 64, "sha512")).derive(PATH);
  return toHex(parent.deriveChild(addressIndex).privateKey ?? new Uint8Array());
}

/** Returns one of anvil's development accounts. */
export const developmentAccount = (addressIndex: number): PrivateKeyAccount =>
  privateKeyToAccount(privateKeyOf(addressIndex));

export interface SandboxUser {
  account: LocalAccount;
  privateKey: Hex;
}

export interface SandboxAccounts {
  /** Deploys and administers the contracts. */
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
      const privateKey = privateKeyOf(index + 2);
      return { account: privateKeyToAccount(privateKey), privateKey };
    }),
    delegateeKeys: Array.from({ length: DELEGATEES }, (_, index) => privateKeyOf(index + 2 + USERS)),
  };
}
