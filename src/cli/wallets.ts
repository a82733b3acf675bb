import type { Command } from "commander";
import type pg from "pg";
import type { Hex } from "viem";
import { type Deployments, loadDeployments } from "../config/deployments.ts";
import { parseEnv } from "../config/env.ts";
import { inTransaction } from "../db/transaction.ts";
import { ADDRESS } from "../protocol/shapes.ts";
import { endRequest } from "../sending/outbox/end-store.ts";
import { readQueues } from "../sending/outbox/queue-store.ts";
import { findById } from "../sending/outbox/request-store.ts";
import { agreedNonce } from "../sending/sender/account-nonce.ts";
import { createNodes, type Node, type Nodes } from "../sending/sender/nodes.ts";
import { createCommand, type Database, operator, print, type Terminal, withEnvironment } from "./shared.ts";
import { insertAudit, resumeWallet } from "./wallet-store.ts";

const RPC_TIMEOUT_MS = 5_000;
const isAddress = (text: string): text is Hex => ADDRESS.test(text);

/** `partner-trading-admin wallets ...`: the wallets that send for users, and what to do when one is halted. */
export function walletsCommand(terminal: Terminal): Command {
  const wallets = createCommand("wallets", terminal).description("Wallets that send for users");
  wallets
    .command("list")
    .description("Show every wallet, its queue and why it stands still")
    .action(() => withEnvironment(terminal, ({ pool }) => listWallets(terminal, pool)));
  wallets
    .command("resume <chainId> <address>")
    .description("Let a halted wallet send again, from the nonce at the final block on where that is ahead")
    .action((chainId: string, address: string) =>
      withEnvironment(terminal, ({ pool }) => resume(terminal, pool, Number(chainId), address.toLowerCase())),
    );
  wallets
    .command("give-up <requestId>")
    .description("End a request whose nonce somebody else used: refused unless the chain says so for good")
    .action((requestId: string) =>
      withEnvironment(terminal, (database) => giveUp(terminal, database, requestId)),
    );
  return wallets;
}

function deploymentsOf({ env }: Terminal): Deployments {
  return loadDeployments(parseEnv("cli wallets", env).DEPLOYMENTS_FILE, env);
}

async function listWallets(terminal: Terminal, pool: pg.Pool): Promise<void> {
  for (const queue of await readQueues(pool, null)) {
    const { accepted, signed, broadcast, mined } = queue.depth;
    const waiting = `${accepted} waiting, ${signed + broadcast} sent, ${mined} mined`;
    const why = queue.stateReason ? ` (${queue.stateReason})` : "";
    print(
      terminal,
      `${queue.chainId}  ${queue.wallet}  ${queue.state}${why}  next nonce ${queue.nextNonce ?? "-"}  ${waiting}`,
    );
  }
}

/**
 * Resumes a halted wallet from the nonce at the final block on: what may still be reorganised away, or is one node's word,
 * is nothing to begin at. A nonce that no request has, below the next one, could never be filled.
 */
async function resume(terminal: Terminal, pool: pg.Pool, chainId: number, address: string): Promise<void> {
  const wallet = parseAddress(address);
  const nodes = nodesOf(deploymentsOf(terminal), chainId);
  await nodes.compare();
  const node = await nodes.open();
  const used = await agreedNonce(nodes, node, wallet, finalBlock(nodes, node));
  const latest = await agreedNonce(nodes, node, wallet, "latest");
  if (latest > used)
    throw new Error(`the chain is at nonce ${latest}, and at ${used} for good: try again when that is final`);
  await inTransaction(pool, async (tx) => {
    const resumed = await resumeWallet(tx, chainId, wallet, used);
    if (!resumed) throw new Error(`chain ${chainId} has no wallet ${wallet}`);
    const entry = { action: "wallets resume", subject: `${chainId}:${wallet}` };
    await insertAudit(tx, { actor: operator(), ...entry, detail: { chainNonce: used.toString() } });
  });
  print(terminal, `${wallet} sends again`);
}

function parseAddress(text: string): Hex {
  if (!isAddress(text)) throw new Error(`${text} is no address`);
  return text;
}

/** Returns the highest block about which nothing changes any more, as nodes are asked for it. */
function finalBlock({ confirmations }: Nodes, { head }: Node): string {
  const number = head.number - BigInt(confirmations);
  return `0x${(number > 0n ? number : 0n).toString(16)}`;
}

/** Ends a request whose nonce is used up at a final block, and of which no node has a receipt. */
async function giveUp(terminal: Terminal, { pool, prisma }: Database, requestId: string): Promise<void> {
  const request = await findById(pool, requestId);
  if (!request || request.nonce === null) throw new Error(`no request ${requestId} with a nonce`);
  const nodes = nodesOf(deploymentsOf(terminal), request.chainId);
  await nodes.compare();
  const node = await nodes.open();
  const used = await agreedNonce(nodes, node, request.wallet, finalBlock(nodes, node));
  if (used <= request.nonce) throw new Error("its nonce is not used up for good: it may still be mined");
  const attempts = await prisma.sendAttempt.findMany({
    select: { txHash: true },
    where: { requestId, txHash: { not: null } },
  });
  for (const { txHash } of attempts) {
    const found = await nodes.askEach(
      node.url,
      "eth_getTransactionReceipt",
      [txHash],
      (answer) => answer.kind !== "result" || answer.value !== null,
    );
    if (found.kind !== "result" || found.value !== null)
      throw new Error(`${txHash} may be mined: the worker follows it`);
  }
  const nonce = request.nonce.toString();
  await inTransaction(pool, async (tx) => {
    await endRequest(tx, requestId, {
      state: "failed",
      errCode: "OPERATOR_UNAVAILABLE",
      reason: "its nonce was used by a transaction that is not ours",
    });
    const entry = { action: "wallets give-up", subject: requestId };
    await insertAudit(tx, { actor: operator(), ...entry, detail: { nonce } });
  });
  print(terminal, `${requestId} has failed`);
}

function nodesOf({ chains }: Deployments, chainId: number): Nodes {
  const chain = chains.find((candidate) => candidate.chainId === chainId);
  if (!chain) throw new Error(`chain ${chainId} is not in the deployments file`);
  return createNodes({ ...chain, timeoutMs: RPC_TIMEOUT_MS });
}
