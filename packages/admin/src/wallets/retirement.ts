import { type RetirementStatus, readRetirement } from "../../../../src/sending/retirement/status-store.ts";
import { parseAddress, showAddress } from "../address.ts";
import { withPool } from "../database.ts";
import { printFields, printJson } from "../output.ts";
import type { Terminal } from "../terminal.ts";

interface Options {
  chainId: number;
  address: string;
  json?: boolean;
}

/** Shows the progress of undelegating a retired wallet's users, and the obstacles. */
export async function showRetirement(terminal: Terminal, { chainId, address, json }: Options): Promise<void> {
  const wallet = parseAddress(address);
  await withPool(terminal, async (pool) => {
    const status = await readRetirement(pool, chainId, wallet);
    if (!status) throw new Error(`${showAddress(wallet)} is not retired on chain ${chainId}`);
    const shown = { ...status, wallet: showAddress(status.wallet), next: nextOf(status) };
    if (json) return printJson(terminal, shown);
    const { waiting, sent, confirmed, failed } = status.undelegations;
    printFields(terminal, {
      Wallet: shown.wallet,
      "Retired at": status.retiredAt.toISOString(),
      Users: `${status.users} enabled it; pass ${status.pass} has checked ${status.checked} of them, and found ${status.delegated} delegated`,
      Undelegations: `${waiting} wait, ${sent} sent, ${confirmed} confirmed, ${failed} failed`,
      "Finished at": status.finishedAt?.toISOString() ?? null,
      Next: shown.next,
    });
  });
}

/** Returns the next step, or the operator's task for it. */
export function nextOf(status: RetirementStatus): string {
  const { chainId, wallet, state, stateReason, isChainHalted, isDriven, isKeyLost, finishedAt } = status;
  if (isKeyLost)
    return "its key is lost: its users end their delegations by `undelegate()`, or by enabling another wallet";
  if (finishedAt) return "no users are left: take its key out of SENDER_KEYS, and destroy it";
  if (!isDriven)
    return "no worker drives it: start one that has its key in SENDER_KEYS, until this is finished";
  if (isChainHalted)
    return `its chain is halted: \`sending resume --chain ${chainId}\`; it signs nothing but undelegations`;
  if (state === "halted")
    return `it is halted (${stateReason}): \`wallets resume ${chainId} ${showAddress(wallet)}\` once that is resolved`;
  if (state === "paused")
    return `it cannot pay for undelegations (${stateReason}): send it native coin for ${GAS_EACH} gas each`;
  return "workers undelegate its users: keep its key in SENDER_KEYS";
}

/** Gas limit of an undelegation; it uses about a third. */
const GAS_EACH = "150,000";
