import { type Hex, toHex } from "viem";
import { parseEnv } from "../../../../src/config/env.ts";
import { inTransaction } from "../../../../src/db/transaction.ts";
import {
  adoptSends,
  findUnknownSends,
  type Recovery,
  type UnknownSends,
} from "../../../../src/sending/recovery/recover.ts";
import { agreedNonce } from "../../../../src/sending/sender/account-nonce.ts";
import type { Node, Nodes } from "../../../../src/sending/sender/nodes.ts";
import { parseAddress, showAddress } from "../address.ts";
import { insertAudit } from "../audit-store.ts";
import { withPool } from "../database.ts";
import { printJson } from "../output.ts";
import { operator, print, type Terminal } from "../terminal.ts";
import { chainOf, deploymentsOf, finalBlock, nodesOf, progressOf } from "./nodes.ts";
import { readPublicKeys, resumeWallet } from "./store.ts";

interface Options {
  chainId: number;
  address: string;
  /** First nonce to search for a transaction where no request has it; default: the wallet's next one. */
  fromNonce?: bigint;
  json?: boolean;
}

/**
 * Resumes a halted wallet from the nonce at the final block on: a nonce that a reorg can undo, or that only one node reports,
 * does not count. A nonce below the next one that no request has could never be filled. Requests that are on the chain and that
 * the database has as waiting, as after a restored backup, get their transactions: none is sent again. Requests that the database
 * lacks are re-created from their transactions, so that a repeat is answered with their state.
 */
export async function resume(
  terminal: Terminal,
  { chainId, address, fromNonce, json }: Options,
): Promise<void> {
  const wallet = parseAddress(address);
  const deployments = deploymentsOf(terminal);
  const nodes = nodesOf(deployments, chainId);
  await withPool(terminal, async (pool) => {
    await nodes.compare();
    const node = await nodes.open();
    const used = await readFinalNonce(nodes, node, wallet);
    const recovery: Recovery = {
      chainId,
      wallet,
      used,
      finalBlock: finalBlock(nodes, node),
      fromNonce: fromNonce ?? null,
      products: chainOf(deployments, chainId).products,
      keys: parseEnv("cli wallets", terminal.env).ATTRIBUTION_KEYS ?? null,
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
    const keyIds = sends.recreated.map(({ keyId }) => keyId);
    const report = reportOf({ chainId, wallet, used }, sends, await readPublicKeys(pool, keyIds));
    if (json) printJson(terminal, report);
    else printReport(terminal, report);
  });
}

interface Report {
  chainId: number;
  wallet: string;
  /** Number of the wallet's permanently used nonces. */
  chainNonce: string;
  /** Requests of the database whose transactions it had lacked. */
  recovered: { requestId: string; txHash: Hex; nonce: string }[];
  /** Requests that the database lacked. */
  recreated: {
    requestId: string;
    txHash: Hex;
    nonce: string;
    apiKey: string | null;
    operation: string;
    user: string;
  }[];
  /** Waiting requests, canceled because a re-created one has their name. */
  refused: { requestId: string; errCode: string }[];
  /** Transactions that belong to no request. */
  unbound: { txHash: Hex; nonce: string; reason: string; user: string | null }[];
}

function reportOf(
  { chainId, wallet, used }: { chainId: number; wallet: Hex; used: bigint },
  { matched, recreated, refused, unbound }: UnknownSends,
  apiKeys: ReadonlyMap<string, string>,
): Report {
  return {
    chainId,
    wallet: showAddress(wallet),
    chainNonce: used.toString(),
    recovered: matched.map(({ request, transaction: { hash, nonce } }) => {
      return { requestId: request.requestId, txHash: hash, nonce: nonce.toString() };
    }),
    recreated: recreated.map(({ requestId, keyId, operation, user, transaction: { hash, nonce } }) => {
      const sent = { requestId, txHash: hash, nonce: nonce.toString() };
      return { ...sent, apiKey: apiKeys.get(keyId) ?? null, operation, user: showAddress(user) };
    }),
    refused: refused.map(({ request, errCode }) => ({ requestId: request.requestId, errCode })),
    unbound: unbound.map(({ hash, nonce, reason, user }) => {
      return { txHash: hash, nonce: nonce.toString(), reason, user: user && showAddress(user) };
    }),
  };
}

function printReport(terminal: Terminal, { wallet, recovered, recreated, refused, unbound }: Report): void {
  for (const { requestId, txHash, nonce } of recovered)
    print(terminal, `${requestId} was sent by ${txHash}, nonce ${nonce}`);
  for (const { requestId, txHash, nonce, apiKey, operation } of recreated)
    print(terminal, `${requestId} is re-created from ${txHash}, nonce ${nonce}: ${operation} of ${apiKey}`);
  for (const { requestId, errCode } of refused)
    print(terminal, `${requestId} is canceled: ${errCode}, a re-created request has its name`);
  for (const { txHash, nonce, reason, user } of unbound)
    print(
      terminal,
      `${txHash}, nonce ${nonce}, belongs to no request in the database: ${reason}${user ? `, for ${user}` : ""}`,
    );
  print(terminal, `${wallet} sends again`);
}

const auditDetail = (used: bigint, { matched, recreated, refused, unbound }: UnknownSends) => ({
  chainNonce: used.toString(),
  recovered: matched.map(({ request, transaction }) => ({
    requestId: request.requestId,
    txHash: transaction.hash,
  })),
  recreated: recreated.map(({ requestId, transaction }) => ({ requestId, txHash: transaction.hash })),
  refused: refused.map(({ request }) => request.requestId),
  unknown: unbound.map(({ hash }) => hash),
});

/**
 * Returns the number of a wallet's permanently used nonces.
 * @throws Error where more of them may be used by a transaction that is not final or not mined
 */
async function readFinalNonce(nodes: Nodes, node: Node, wallet: Hex): Promise<bigint> {
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
