import { type Hex, toHex } from "viem";
import { inTransaction } from "../../db/transaction.ts";
import { readQueues } from "../../sending/outbox/queue-store.ts";
import { adoptSends, findUnknownSends, type UnknownSends } from "../../sending/recovery/recover.ts";
import { agreedNonce } from "../../sending/sender/account-nonce.ts";
import type { Node, Nodes } from "../../sending/sender/nodes.ts";
import { parseAddress, showAddress } from "../address.ts";
import { insertAudit } from "../audit-store.ts";
import { withPool } from "../database.ts";
import { type Column, formatDuration, printJson, printTable } from "../output.ts";
import { operator, print, type Terminal } from "../terminal.ts";
import { deploymentsOf, finalBlock, nodesOf, progressOf } from "./nodes.ts";
import { resumeWallet } from "./store.ts";

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

/** Returns wei as coins, cut to as many digits as one reads. */
function coins(wei: bigint): string {
  const fraction = (wei % COIN).toString().padStart(18, "0").slice(0, COIN_DIGITS);
  return `${wei / COIN}.${fraction}`;
}

/**
 * Resumes a halted wallet from the nonce at the final block on: a nonce that a reorg can
 * undo, or that only one node reports, does not count. A nonce that no request has, below the next one, could never be filled. Requests that are on the chain and
 * that the database has as waiting, as after a restored backup, get their transactions: none is sent again.
 */
export async function resume(
  terminal: Terminal,
  chainId: number,
  address: string,
  { json }: { json?: boolean },
): Promise<void> {
  const wallet = parseAddress(address);
  const nodes = nodesOf(deploymentsOf(terminal), chainId);
  await withPool(terminal, async (pool) => {
    await nodes.compare();
    const node = await nodes.open();
    const used = await settledNonce(nodes, node, wallet);
    const recovery = {
      ...{ chainId, wallet, used, finalBlock: finalBlock(nodes, node) },
      onProgress: progressOf(terminal),
    };
    const sends = await findUnknownSends(pool, node, recovery);
    await inTransaction(pool, async (tx) => {
      await adoptSends(tx, recovery, sends);
      const resumed = await resumeWallet(tx, chainId, wallet, used);
      if (!resumed) throw new Error(`chain ${chainId} has no wallet ${wallet}: \`wallets list\` shows all`);
      const entry = { action: "wallets resume", subject: `${chainId}:${wallet}` };
      await insertAudit(tx, { actor: operator(), ...entry, detail: auditDetail(used, sends) });
    });
    if (json) {
      const { recovered, unknown } = auditDetail(used, sends);
      return printJson(terminal, {
        chainId,
        wallet: showAddress(wallet),
        chainNonce: used,
        recovered,
        unknown,
      });
    }
    for (const { request, transaction } of sends.matched)
      print(terminal, `${request.requestId} was sent by ${transaction.hash}, nonce ${transaction.nonce}`);
    for (const { hash, nonce } of sends.unknown)
      print(terminal, `${hash}, nonce ${nonce}, belongs to no request in the database`);
    print(terminal, `${showAddress(wallet)} sends again`);
  });
}

const auditDetail = (used: bigint, { matched, unknown }: UnknownSends) => ({
  chainNonce: used.toString(),
  recovered: matched.map(({ request, transaction }) => ({
    requestId: request.requestId,
    txHash: transaction.hash,
  })),
  unknown: unknown.map(({ hash }) => hash),
});

/**
 * Returns how many nonces of a wallet are used up for good.
 * @throws Error where more of them may still be, by a transaction that is not final or not mined
 */
async function settledNonce(nodes: Nodes, node: Node, wallet: Hex): Promise<bigint> {
  const used = await agreedNonce(nodes, node, wallet, toHex(finalBlock(nodes, node)));
  for (const [block, what] of [
    ["latest", "the chain is"],
    ["pending", "with what nodes know and have not mined, the wallet is"],
  ] as const) {
    const count = await agreedNonce(nodes, node, wallet, block);
    if (count > used)
      throw new Error(`${what} at nonce ${count}, and at ${used} for good: try again when that is final`);
  }
  return used;
}
