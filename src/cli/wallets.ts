import { Command } from "commander";
import type pg from "pg";
import { type Deployments, loadDeployments } from "../config/deployments.ts";
import { parseEnv } from "../config/env.ts";
import { inTransaction } from "../db/transaction.ts";
import { endRequest } from "../transactions/outbox/end.ts";
import { findById } from "../transactions/outbox/find.ts";
import { readQueues } from "../transactions/outbox/queue.ts";
import { createNodes, quantity } from "../transactions/sender/nodes.ts";
import { operator, withPool } from "./shared.ts";

const RPC_TIMEOUT_MS = 5_000;

/** `partner-trading wallets ...`: the wallets that send for users, and what to do when one is halted. */
export function walletsCommand(env: NodeJS.ProcessEnv): Command {
  const wallets = new Command("wallets").description("Wallets that send for users").exitOverride();
  wallets
    .command("list")
    .description("Show every wallet, its queue and why it stands still")
    .action(() => withPool(env, listWallets));
  wallets
    .command("resume <chainId> <address>")
    .description("Let a halted wallet send again, from the chain's nonce on where that is ahead")
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

async function resume(
  pool: pg.Pool,
  deployments: Deployments,
  chainId: number,
  address: string,
): Promise<void> {
  const node = await nodesOf(deployments, chainId).open();
  const nonce = await node.ask("eth_getTransactionCount", [address, "latest"], quantity);
  const { rowCount } = await pool.query(
    `UPDATE app.delegatee_wallet SET state = 'active', state_reason = NULL, next_nonce = greatest(next_nonce, $3)
     WHERE chain_id = $1 AND address = $2`,
    [chainId, address, nonce.toString()],
  );
  if (rowCount === 0) throw new Error(`chain ${chainId} has no wallet ${address}`);
  await audit(pool, "wallets resume", `${chainId}:${address}`, { chainNonce: nonce.toString() });
  print(`${address} sends again`);
}

/** The nonce must be used up at a final block, and no attempt of the request may have a receipt on any node. */
async function giveUp(pool: pg.Pool, deployments: Deployments, requestId: string): Promise<void> {
  const request = await findById(pool, requestId);
  if (!request || request.nonce === null) throw new Error(`no request ${requestId} with a nonce`);
  const nodes = nodesOf(deployments, request.chainId);
  const node = await nodes.open();
  const final = node.head.number - BigInt(nodes.confirmations);
  const at = `0x${(final > 0n ? final : 0n).toString(16)}`;
  const used = await node.ask("eth_getTransactionCount", [request.wallet, at], quantity);
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
  await inTransaction(pool, (tx) =>
    endRequest(tx, requestId, {
      state: "failed",
      errCode: "OPERATOR_UNAVAILABLE",
      reason: "its nonce was used by a transaction that is not ours",
    }),
  );
  await audit(pool, "wallets give-up", requestId, { nonce: request.nonce.toString() });
  print(`${requestId} has failed`);
}

function nodesOf({ chains }: Deployments, chainId: number) {
  const chain = chains.find((candidate) => candidate.chainId === chainId);
  if (!chain) throw new Error(`chain ${chainId} is not in the deployments file`);
  return createNodes({ ...chain, timeoutMs: RPC_TIMEOUT_MS });
}

async function audit(pool: pg.Pool, action: string, subject: string, detail: object): Promise<void> {
  await pool.query("INSERT INTO app.audit_entry (actor, action, subject, detail) VALUES ($1, $2, $3, $4)", [
    operator(),
    action,
    subject,
    detail,
  ]);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
