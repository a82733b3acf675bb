import type pg from "pg";
import type { Hex } from "viem";
import { inTransaction } from "../../../../src/db/transaction.ts";
import { blockDelegation, lockDelegation, type UserScope } from "../../../../src/sending/delegation/store.ts";
import { cancelAccepted } from "../../../../src/sending/outbox/end-store.ts";
import { readQueues } from "../../../../src/sending/outbox/queue-store.ts";
import { giveUpWallet, readLowestReserved } from "../../../../src/sending/retirement/lost-key-store.ts";
import { retireWallet } from "../../../../src/sending/retirement/status-store.ts";
import { agreedNonce } from "../../../../src/sending/sender/account-nonce.ts";
import type { Nodes } from "../../../../src/sending/sender/nodes.ts";
import { parseAddress, showAddress } from "../address.ts";
import { insertAudit } from "../audit-store.ts";
import { confirm } from "../confirm.ts";
import { withPool } from "../database.ts";
import { printJson } from "../output.ts";
import { note, operator, print, type Terminal } from "../terminal.ts";
import { deploymentsOf, nodesOf } from "./nodes.ts";
import { readDelegators } from "./store.ts";

interface Options {
  chainId: number;
  address: string;
  /** True where nobody has its key any more, and nobody will. */
  keyLost?: boolean;
  yes?: boolean;
  json?: boolean;
}

/** Number of users read together. Each is disabled in its own transaction: an interrupted command continues where it was. */
const PAGE = 200;

/**
 * Takes a wallet out of use, in repeatable steps: it takes no users, and each of its users is disabled as by their own disable.
 * From then on workers undelegate them on the chain (docs/sending.md#retiring-a-wallet).
 */
export async function retire(
  terminal: Terminal,
  { chainId, address, keyLost = false, yes, json }: Options,
): Promise<void> {
  const wallet = parseAddress(address);
  const name = showAddress(wallet);
  await confirm(terminal, { warning: warningOf(name, chainId, keyLost), name, yes });
  await withPool(terminal, async (pool) => {
    const isNew = await takeOut(pool, chainId, wallet);
    const disabled = await disableUsers(terminal, pool, chainId, wallet);
    const ended = keyLost ? await giveUp(terminal, pool, { chainId, wallet }) : null;
    if (json) printJson(terminal, { chainId, wallet: name, isNew, disabled, ...(ended ? { ended } : {}) });
    else {
      const done = isNew ? "is retired" : "was retired before";
      print(terminal, `${name} ${done}; ${disabled} users were disabled now`);
      print(
        terminal,
        ended
          ? `no worker drives it again; ${ended.length} requests that it had not signed are canceled`
          : `workers undelegate its users on the chain: keep its key until \`wallets retire ${chainId} ${name} --status\` says otherwise`,
      );
    }
    const queues = await readQueues(pool, chainId);
    if (!queues.some(({ retired }) => !retired))
      note(
        terminal,
        `warning: no wallet of chain ${chainId} takes users: add a key to SENDER_KEYS and restart the workers`,
      );
  });
}

const warningOf = (name: string, chainId: number, keyLost: boolean): string =>
  keyLost
    ? `${name} is taken out of use on chain ${chainId}, for good, and never signs again, even if its key comes back. What it has not signed is canceled. Its users stay delegated to it on the chain until they undelegate themselves, or enable another wallet.`
    : `${name} is taken out of use on chain ${chainId}, for good. Its users are undelegated and have to enable another wallet before anything is sent for them, and what they have waiting is canceled.`;

/** @returns the ids of the requests that it ended */
async function giveUp(
  terminal: Terminal,
  pool: pg.Pool,
  { chainId, wallet }: { chainId: number; wallet: Hex },
): Promise<string[]> {
  const lowest = await readLowestReserved(pool, { chainId, wallet });
  if (lowest !== null) await requireUnknown(nodesOf(deploymentsOf(terminal), chainId), wallet, lowest);
  return inTransaction(pool, async (tx) => {
    const ended = await giveUpWallet(tx, { chainId, wallet });
    const entry = {
      action: "wallets retire",
      subject: `${chainId}:${wallet}`,
      detail: { keyLost: true, ended },
    };
    await insertAudit(tx, { actor: operator(), ...entry });
    return ended;
  });
}

/** @throws Error where a node knows a transaction with a nonce that the database has as unsigned, as after a failover that lost its commit */
async function requireUnknown(nodes: Nodes, wallet: Hex, nonce: bigint): Promise<void> {
  await nodes.compare();
  const pending = await agreedNonce(nodes, await nodes.open(), wallet, "pending");
  if (pending > nonce)
    throw new Error(
      `nodes know a transaction of nonce ${nonce}, which the database has as unsigned: \`wallets resume\` stores it once it is final`,
    );
}

/** @returns false where it was retired before */
function takeOut(pool: pg.Pool, chainId: number, wallet: Hex): Promise<boolean> {
  return inTransaction(pool, async (tx) => {
    const retired = await retireWallet(tx, chainId, wallet);
    if (retired === null)
      throw new Error(`chain ${chainId} has no wallet ${showAddress(wallet)}: \`wallets list\` shows all`);
    const entry = { action: "wallets retire", subject: `${chainId}:${wallet}`, detail: {} };
    if (retired) await insertAudit(tx, { actor: operator(), ...entry });
    return retired;
  });
}

/** @returns their number */
async function disableUsers(
  terminal: Terminal,
  pool: pg.Pool,
  chainId: number,
  wallet: Hex,
): Promise<number> {
  let after: UserScope | undefined;
  for (let disabled = 0; ; ) {
    const users = await readDelegators(pool, { chainId, wallet, after }, PAGE);
    if (users.length === 0) return disabled;
    for (const user of users) await disableUser(pool, user, wallet);
    after = users.at(-1);
    disabled += users.length;
    if (users.length === PAGE) note(terminal, `${disabled} users are disabled`);
  }
}

/** Blocks a user as a disable does. An intervening prepare has moved the user, and blocked it. */
function disableUser(pool: pg.Pool, scope: UserScope, wallet: Hex): Promise<void> {
  return inTransaction(pool, async (tx) => {
    const row = await lockDelegation(tx, scope, "UPDATE");
    if (row?.delegatee !== wallet) return;
    await cancelAccepted(tx, scope);
    await blockDelegation(tx, scope);
  });
}
