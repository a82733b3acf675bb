import type pg from "pg";
import { inTransaction } from "../../../../src/db/transaction.ts";
import {
  awaitSigning,
  deleteHalt,
  type Halt,
  insertHalt,
  readHalts,
} from "../../../../src/sending/halt-store.ts";
import { readQueues } from "../../../../src/sending/outbox/queue-store.ts";
import { insertAudit } from "../audit-store.ts";
import { withPool } from "../database.ts";
import { type Column, printDone, printJson, printTable } from "../output.ts";
import { operator, type Terminal } from "../terminal.ts";

interface ChainOption {
  chain: number;
  json?: boolean;
}

/** Halts a chain. Once it returns, nothing is being signed there, and nothing will be. */
export function halt(
  terminal: Terminal,
  { chain: chainId, reason = null, json }: ChainOption & { reason?: string | null },
): Promise<void> {
  return withPool(terminal, async (pool) => {
    await requireSending(pool, chainId);
    const isNew = await inTransaction(pool, async (tx) => {
      const inserted = await insertHalt(tx, { chainId, actor: operator(), reason });
      if (inserted) {
        const entry = { action: "sending halt", subject: String(chainId), detail: { reason } };
        await insertAudit(tx, { actor: operator(), ...entry });
      }
      return inserted;
    });
    await awaitSigning(pool, chainId).catch((cause: unknown) => {
      const message = `chain ${chainId} is halted, but a transaction that began before may still be signing: give the command again`;
      throw new Error(message, { cause });
    });
    const done = isNew ? "is halted" : "was halted before";
    const line = `chain ${chainId} ${done}: nothing new is signed, and what is signed is followed to its end`;
    printDone(terminal, { json, document: { chainId, halted: true, isNew }, line });
  });
}

/** Requires a chain that sends, so that a mistyped one does not look halted. */
async function requireSending(pool: pg.Pool, chainId: number): Promise<void> {
  const chainIds = new Set((await readQueues(pool, null)).map((queue) => queue.chainId));
  if (chainIds.has(chainId)) return;
  const known = [...chainIds].join(", ");
  throw new Error(
    `no wallet sends on chain ${chainId}; ${known ? `wallets send on ${known}` : "there are none"}`,
  );
}

export function resume(terminal: Terminal, { chain: chainId, json }: ChainOption): Promise<void> {
  return withPool(terminal, async (pool) => {
    const ended = await inTransaction(pool, async (tx) => {
      const deleted = await deleteHalt(tx, chainId);
      const entry = { action: "sending resume", subject: String(chainId), detail: {} };
      if (deleted) await insertAudit(tx, { actor: operator(), ...entry });
      return deleted;
    });
    const line = ended ? `chain ${chainId} sends again` : `chain ${chainId} is not halted`;
    printDone(terminal, { json, document: { chainId, halted: false, isNew: ended }, line });
  });
}

interface ChainStatus {
  chainId: number;
  halted: boolean;
  haltedAt: Date | null;
  actor: string | null;
  reason: string | null;
  /** Requests without a nonce, and those that are signed and not mined. */
  waiting: number;
  sent: number;
}

export function status(terminal: Terminal, { json }: { json?: boolean }): Promise<void> {
  return withPool(terminal, async (pool) => {
    const chains = await readStatus(pool);
    if (json) return printJson(terminal, chains);
    printTable(
      terminal,
      chains,
      COLUMNS,
      "No wallet sends on any chain: a worker enters its own when it starts.",
    );
  });
}

const COLUMNS: Column<ChainStatus>[] = [
  { heading: "CHAIN", value: ({ chainId }) => chainId },
  { heading: "STATE", value: ({ halted }) => (halted ? "halted" : "sends") },
  { heading: "WAITING", value: ({ waiting }) => waiting, align: "right" },
  { heading: "SENT", value: ({ sent }) => sent, align: "right" },
  { heading: "HALTED AT", value: ({ haltedAt }) => haltedAt?.toISOString() ?? null },
  { heading: "BY", value: ({ actor }) => actor },
  { heading: "REASON", value: ({ reason }) => reason, shrinks: true },
];

async function readStatus(pool: pg.Pool): Promise<ChainStatus[]> {
  const queues = await readQueues(pool, null);
  const halts = new Map<number, Halt>((await readHalts(pool)).map((each) => [each.chainId, each]));
  const chainIds = [...new Set([...queues.map(({ chainId }) => chainId), ...halts.keys()])];
  return chainIds
    .sort((one, other) => one - other)
    .map((chainId) => {
      const { haltedAt = null, actor = null, reason = null } = halts.get(chainId) ?? {};
      const depths = queues.filter((queue) => queue.chainId === chainId).map(({ depth }) => depth);
      const waiting = depths.reduce((sum, { accepted }) => sum + accepted, 0);
      const sent = depths.reduce((sum, { signed, broadcast }) => sum + signed + broadcast, 0);
      return { chainId, halted: haltedAt !== null, haltedAt, actor, reason, waiting, sent };
    });
}
