import { setTimeout as delay } from "node:timers/promises";
import type { LocalAccount } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { PartnerTrading } from "../../client/src/index.ts";
import { sandboxAccounts } from "./accounts.ts";
import type { SetUp } from "./chains.ts";
import { delegate } from "./delegate.ts";
import { fundUsers } from "./fund.ts";
import type { Operator } from "./operator.ts";
import { PRODUCT } from "./product.ts";
import { connect } from "./transact.ts";

/** A user that a script asked for, with the key that may send for them. */
export interface NewUser {
  address: string;
  privateKey: string;
  baseUrl: string;
  apiKey: string;
  apiSecret: string;
  chainId: number;
  productType: string;
}

export interface NewUserOptions {
  chains: readonly SetUp[];
  baseUrl: string;
  operator: Pick<Operator, "makeKey">;
  /** Wallets by address in lower case; each new user adds one. */
  wallets: Map<string, LocalAccount>;
}

const POLL_MS = 100;
const ENABLED_MS = 30_000;

/**
 * Returns a function that makes users of a chain: funded as the first ones are, with a key of their own, delegated to the service. It
 * returns once all of that is indexed.
 */
export function createUserMaker(options: NewUserOptions): (chainId: number) => Promise<NewUser> {
  const { deployer } = sandboxAccounts();
  // The deployer's nonces: funding of two users at once would use the same ones.
  let last: Promise<unknown> = Promise.resolve();

  return async (chainId) => {
    const chain = options.chains.find((one) => one.chainId === chainId);
    if (!chain) throw new Error(`there is no chain ${chainId}`);
    const privateKey = generatePrivateKey();
    const account = privateKeyToAccount(privateKey);
    const funding = last.then(() => fundUsers(connect(chain.rpcUrl, chainId), chain, deployer, [account]));
    last = funding.catch(() => undefined);
    const [key] = await Promise.all([options.operator.makeKey(chainId, account.address), funding]);
    options.wallets.set(account.address.toLowerCase(), account);
    const { baseUrl } = options;
    const credentials = { baseUrl, ...key, chainId, productType: PRODUCT };
    const trading = new PartnerTrading(credentials);
    await delegate(trading, account);
    await untilEnabled(trading);
    return { address: account.address, privateKey, ...credentials };
  };
}

/** Waits until a key may send for its user. @throws Error after half a minute */
export async function untilEnabled({ oneClick }: PartnerTrading): Promise<void> {
  for (const deadline = Date.now() + ENABLED_MS; ; await delay(POLL_MS)) {
    const { status } = await oneClick.status();
    if (status === "enable") return;
    if (Date.now() > deadline) throw new Error(`the delegation of the user is ${status}`);
  }
}
