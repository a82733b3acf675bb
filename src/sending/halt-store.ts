import type pg from "pg";
import { prepared } from "../db/prepared.ts";
import type { Tx } from "../db/transaction.ts";

// A halted chain has a row in app.sending_halt: nothing new is signed there, by any worker, and /send is refused. A signing
// transaction takes its wallet's lock, and then reads the row. So once the row is committed, a transaction that takes the lock finds it;
// and who did not find it still has the lock, for which awaitSigning waits.

/** A chain on which nothing new is signed. */
export interface Halt {
  chainId: number;
  haltedAt: Date;
  /** Who gave the command. */
  actor: string;
  reason: string | null;
}

const IS_HALTED = prepared("SELECT FROM app.sending_halt WHERE chain_id = $1");

/** Returns true where nothing new may be signed on a chain. Certain only behind the lock of the wallet that would sign. */
export async function isHalted(tx: Tx, chainId: number): Promise<boolean> {
  return (await tx.query(IS_HALTED, [chainId])).rows.length > 0;
}

/** Halts a chain. @returns false where it was halted before; then its reason stays */
export async function insertHalt(
  tx: Tx,
  { chainId, actor, reason }: Omit<Halt, "haltedAt">,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    "INSERT INTO app.sending_halt (chain_id, actor, reason) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
    [chainId, actor, reason],
  );
  return rowCount !== 0;
}

/** Ends a halt. @returns false where there is none */
export async function deleteHalt(tx: Tx, chainId: number): Promise<boolean> {
  const { rowCount } = await tx.query("DELETE FROM app.sending_halt WHERE chain_id = $1", [chainId]);
  return rowCount !== 0;
}

/** Waits for transactions that began to sign before a halt was committed. To be called after that commit. */
export async function awaitSigning(pool: pg.Pool, chainId: number): Promise<void> {
  await pool.query(
    "SELECT FROM app.delegatee_wallet WHERE chain_id = $1 ORDER BY address FOR NO KEY UPDATE",
    [chainId],
  );
}

/** Returns all halts, by chain. */
export async function readHalts(pool: pg.Pool): Promise<Halt[]> {
  const { rows } = await pool.query<{
    chain_id: number;
    halted_at: Date;
    actor: string;
    reason: string | null;
  }>("SELECT chain_id, halted_at, actor, reason FROM app.sending_halt ORDER BY chain_id");
  return rows.map(({ chain_id, halted_at, ...halt }) => ({
    chainId: chain_id,
    haltedAt: halted_at,
    ...halt,
  }));
}
