import { readQueues } from "../../../../src/sending/outbox/queue-store.ts";
import { showAddress } from "../address.ts";
import { withPool } from "../database.ts";
import { type Column, formatDuration, printJson, printTable } from "../output.ts";
import type { Terminal } from "../terminal.ts";

export function list(terminal: Terminal, { json }: { json?: boolean }): Promise<void> {
  return withPool(terminal, async (pool) => {
    const wallets = (await readQueues(pool, null)).map((queue) => ({
      ...queue,
      wallet: showAddress(queue.wallet),
    }));
    if (json) return printJson(terminal, wallets);
    printTable(terminal, wallets, COLUMNS, "There are no wallets: a worker enters its own when it starts.");
  });
}

type ListedWallet = Awaited<ReturnType<typeof readQueues>>[number];

const COLUMNS: Column<ListedWallet>[] = [
  { heading: "CHAIN", value: ({ chainId }) => chainId },
  { heading: "WALLET", value: ({ wallet }) => wallet },
  { heading: "STATE", value: stateOf },
  { heading: "BALANCE", value: ({ balanceWei }) => balanceWei && coins(BigInt(balanceWei)), align: "right" },
  { heading: "NEXT NONCE", value: ({ nextNonce }) => nextNonce, align: "right" },
  { heading: "WAITING", value: ({ depth }) => depth.accepted, align: "right" },
  { heading: "SENT", value: ({ depth }) => depth.signed + depth.broadcast, align: "right" },
  { heading: "MINED", value: ({ depth }) => depth.mined, align: "right" },
  {
    heading: "OLDEST",
    value: ({ oldestSeconds }) => (oldestSeconds === null ? null : formatDuration(oldestSeconds)),
    align: "right",
  },
  { heading: "REASON", value: ({ stateReason }) => stateReason, shrinks: true },
];

function stateOf({ state, retired, undelegatedAt }: ListedWallet): string {
  if (undelegatedAt !== null) return "retired, no users left";
  return retired ? `retired, ${state}` : state;
}

const COIN = 10n ** 18n;
const COIN_DIGITS = 6;

/** Returns wei as coins, cut to a readable number of digits. */
function coins(wei: bigint): string {
  const fraction = (wei % COIN).toString().padStart(18, "0").slice(0, COIN_DIGITS);
  return `${wei / COIN}.${fraction}`;
}
