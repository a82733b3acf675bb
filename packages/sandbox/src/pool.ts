import { z } from "zod";
import type { Mining } from "./mining.ts";
import type { RpcCall } from "./rpc.ts";

/**
 * Mends two ways in which anvil, unlike real nodes, leaves transactions lying in its pool for ever:
 * - One that comes in at the very moment in which the one before it is mined stays queued, behind a transaction that is
 *   not in the pool any more; sent again it is "already imported". The sender's are taken out and put in again.
 * - What did not fit into the block that a transaction made waits for another transaction. A block is mined for it.
 */
const EVERY_MS = 500;
/** Interval while the pool is empty. */
const EMPTY_EVERY_MS = 1_000;

const queuedSchema = z.object({ hash: z.string(), nonce: z.string() });
const statusSchema = z.object({ pending: z.string(), queued: z.string() });
/** By sender, then by nonce. */
const contentSchema = z.object({ queued: z.record(z.string(), z.record(z.string(), queuedSchema)) });

interface Lost {
  sender: string;
  /** Hashes of all of the sender's queued transactions, lowest nonce first. */
  hashes: string[];
}

/**
 * Watches the pool of a chain until stopped. Transactions behind a real gap stay queued, and while mining is switched off,
 * nothing is changed.
 */
export function keepPoolMoving(rpc: RpcCall, mining: Mining): { stop(): void } {
  let suspects = new Set<string | undefined>();
  let waitingAt: unknown = null;
  /** @returns true where the pool is empty */
  const poll = async (): Promise<boolean> => {
    const status = statusSchema.parse(await rpc("txpool_status"));
    const [pending, queued] = [Number(status.pending), Number(status.queued)];
    const head = pending > 0 ? await rpc("eth_blockNumber") : null;
    if (head !== null && head === waitingAt) await mining.beat();
    waitingAt = head;
    const lost = queued > 0 ? await lostTransactions(rpc) : [];
    // Seen once, it may still be moving from queue to block.
    for (const one of lost) if (suspects.has(one.hashes[0])) await putBack(rpc, one);
    suspects = new Set(lost.map(({ hashes }) => hashes[0]));
    return pending + queued === 0;
  };
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const schedule = (ms: number): void => {
    timer = setTimeout(async () => {
      // The chain is stopping, or the transaction was mined after all: the next poll shows which.
      const isEmpty = await poll().catch(() => false);
      if (!stopped) schedule(isEmpty ? EMPTY_EVERY_MS : EVERY_MS);
    }, ms).unref();
  };
  schedule(EVERY_MS);
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** Returns senders whose queued transactions begin with their next nonce. */
async function lostTransactions(rpc: RpcCall): Promise<Lost[]> {
  const content = contentSchema.parse(await rpc("txpool_content"));
  const found: Lost[] = [];
  for (const [sender, byNonce] of Object.entries(content.queued)) {
    const sorted = Object.values(byNonce).sort((a, b) => Number(a.nonce) - Number(b.nonce));
    const next = Number(await rpc("eth_getTransactionCount", [sender, "latest"]));
    if (Number(sorted[0]?.nonce) === next) found.push({ sender, hashes: sorted.map(({ hash }) => hash) });
  }
  return found;
}

async function putBack(rpc: RpcCall, { sender, hashes }: Lost): Promise<void> {
  const raw = await Promise.all(hashes.map((hash) => rpc("eth_getRawTransactionByHash", [hash])));
  await rpc("anvil_removePoolTransactions", [sender]);
  // One of them may have been mined meanwhile, which must not keep the others out.
  for (const transaction of raw) {
    await rpc("eth_sendRawTransaction", [transaction]).catch(() => undefined);
  }
}
