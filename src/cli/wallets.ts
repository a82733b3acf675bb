import { Command } from "commander";
import type pg from "pg";
import type { Hex } from "viem";
import { type Deployments, loadDeployments } from "../config/deployments.ts";
import { parseEnv } from "../config/env.ts";
import { inTransaction } from "../db/transaction.ts";
import { endRequest } from "../sending/outbox/end.ts";
import { findById } from "../sending/outbox/find.ts";
import { readQueues } from "../sending/outbox/queue.ts";
import type { Tx } from "../sending/outbox/transaction.ts";
import { agreedNonce } from "../sending/sender/agree.ts";
import { createNodes, type Node, type Nodes } from "../sending/sender/nodes.ts";
import { operator, withPool } from "./shared.ts";

const RPC_TIMEOUT_MS = 5_000;
const isAddress = (text: string): text is Hex => /^0x[0-9a-fA-F]{40}$/.test(text);

/** `partner-trading wallets ...`: the wallets that send for users, and what to do when one is halted. */
export function walletsCommand(env: NodeJS.ProcessEnv): Command {
  const wallets = new Command("wallets").description("Wallets that send for users").exitOverride();
  wallets
    .command("list")
    .description("Show every wallet, its queue and why it stands still")
    .action(() => withPool(env, listWallets));
  wallets
    .command("resume <chainId> <address>")
    .description("Let a halted wallet send again, from the nonce at the final block on where that is ahead")
    .action((chainId: string, address: string) =>
      withPool(env, (pool) => resume(pool, deploymentsOf(env), Number(chainId), address.toLowerCase())),
    );
  wallets
    .command("give-up <requestId>")
    .description("End a request whose nonce somebody else used: refused unless the chain says so for good")
    .action((requestId: string) => withPool(env, (pool) => giveUp(pool, deploymentsOf(env), requestId)));
  return wallets;
}

function deploymentsOf(env: NodeJS.ProcessEnv): Deployments {
  return loadDeployments(parseEnv("cli wallets", env).DEPLOYMENTS_FILE, env);
}

async function listWallets(pool: pg.Pool): Promise<void> {
  for (const queue of await readQueues(pool, null)) {
    const { accepted, signed, broadcast, mined } = queue.depth;
    const waiting = `${accepted} waiting, ${signed + broadcast} sent, ${mined} mined`;
    const why = queue.stateReason ? ` (${queue.stateReason})` : "";
    print(
      `${queue.chainId}  ${queue.wallet}  ${queue.state}${why}  next nonce ${queue.nextNonce ?? "-"}  ${waiting}`,
    );
  }
}

/**
 * From the nonce at the final block on: what may still be reorganised away, or is one node's word, is nothing to begin at.
 * A nonce that no request has, below the next one, could never be filled.
 */
async function resume(
  pool: pg.Pool,
  deployments: Deployments,
  chainId: number,
  address: string,
): Promise<void> {
  const wallet = parseAddress(address);
  const nodes = nodesOf(deployments, chainId);
  await nodes.compare();
  const node = await nodes.open();
  const used = await agreedNonce(nodes, node, wallet, finalBlock(nodes, node));
  const latest = await agreedNonce(nodes, node, wallet, "latest");
  if (latest > used)
    throw new Error(`the chain is at nonce ${latest}, and at ${used} for good: try again when that is final`);
  await inTransaction(pool, async (tx) => {
    const { rowCount } = await tx.query(
      `UPDATE app.delegatee_wallet SET state = 'active', state_reason = NULL, next_nonce = greatest(next_nonce, $3)
       WHERE chain_id = $1 AND address = $2`,
      [chainId, wallet, used.toString()],
    );
    if (rowCount === 0) throw new Error(`chain ${chainId} has no wallet ${wallet}`);
    await audit(tx, "wallets resume", `${chainId}:${wallet}`, { chainNonce: used.toString() });
  });
  print(`${wallet} sends again`);
}

function parseAddress(text: string): Hex {
  if (!isAddress(text)) throw new Error(`${text} is no address`);
  return text;
}

/** The highest block about which nothing changes any more, as nodes are asked for it. */
function finalBlock({ confirmations }: Nodes, { head }: Node): string {
  const number = head.number - BigInt(confirmations);
  return `0x${(number > 0n ? number : 0n).toString(16)}`;
}

/** The nonce must be used up at a final block, and no attempt of the request may have a receipt on any node. */
async function giveUp(pool: pg.Pool, deployments: Deployments, requestId: string): Promise<void> {
  const request = await findById(pool, requestId);
  if (!request || request.nonce === null) throw new Error(`no request ${requestId} with a nonce`);
  const nodes = nodesOf(deployments, request.chainId);
  await nodes.compare();
  const node = await nodes.open();
  const used = await agreedNonce(nodes, node, request.wallet, finalBlock(nodes, node));
  if (used <= request.nonce) throw new Error("its nonce is not used up for good: it may still be mined");
  const { rows } = await pool.query<{ tx_hash: string }>(
    "SELECT tx_hash FROM app.send_attempt WHERE request_id = $1 AND tx_hash IS NOT NULL",
    [requestId],
  );
  for (const { tx_hash } of rows) {
    const found = await nodes.askEach(
      node.url,
      "eth_getTransactionReceipt",
      [tx_hash],
      (answer) => answer.kind !== "result" || answer.value !== null,
    );
    if (found.kind !== "result" || found.value !== null)
      throw new Error(`${tx_hash} may be mined: the worker follows it`);
  }
  const nonce = request.nonce.toString();
  await inTransaction(pool, async (tx) => {
    await endRequest(tx, requestId, {
      state: "failed",
      errCode: "OPERATOR_UNAVAILABLE",
      reason: "its nonce was used by a transaction that is not ours",
    });
    await audit(tx, "wallets give-up", requestId, { nonce });
  });
  print(`${requestId} has failed`);
}

function nodesOf({ chains }: Deployments, chainId: number): Nodes {
  const chain = chains.find((candidate) => candidate.chainId === chainId);
  if (!chain) throw new Error(`chain ${chainId} is not in the deployments file`);
  return createNodes({ ...chain, timeoutMs: RPC_TIMEOUT_MS });
}

async function audit(tx: Tx, action: string, subject: string, detail: object): Promise<void> {
  await tx.query("INSERT INTO app.audit_entry (actor, action, subject, detail) VALUES ($1, $2, $3, $4)", [
    operator(),
    action,
    subject,
    detail,
  ]);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
