import type pg from "pg";
import { z } from "zod";
import { execute, queryRows } from "../db/query.ts";
import { sql } from "../db/sql.ts";
import type { Tx } from "../db/transaction.ts";

// A halted chain has a row in app.sending_halt: no worker signs anything new there, and /send is refused. A signing transaction
// takes its wallet's lock, and then reads the row. So a transaction that takes the lock after the row was committed finds it; one
// that did not find it still holds the lock, for which awaitSigning waits.

const haltSchema = z.object({
  chainId: z.number(),
  haltedAt: z.date(),
  /** Operator who gave the command. */
  actor: z.string(),
  reason: z.string().nullable(),
});

/** A halt of a chain: nothing new is signed there. */
export type Halt = z.output<typeof haltSchema>;

/** Returns true where nothing new may be signed on a chain. Certain only under the lock of the wallet that would sign. */
export async function isHalted(tx: Tx, chainId: number): Promise<boolean> {
  return (await execute(tx, sql`SELECT FROM app.sending_halt WHERE chain_id = ${chainId}`)) > 0;
}

/**
 * Halts a chain.
 * @returns false where it was halted before; its reason is then unchanged
 */
export async function insertHalt(
  tx: Tx,
  { chainId, actor, reason }: Omit<Halt, "haltedAt">,
): Promise<boolean> {
  const statement = sql`
    INSERT INTO app.sending_halt (chain_id, actor, reason) VALUES (${chainId}, ${actor}, ${reason})
    ON CONFLICT DO NOTHING`;
  return (await execute(tx, statement)) > 0;
}

/**
 * Ends a halt.
 * @returns false without one
 */
export async function deleteHalt(tx: Tx, chainId: number): Promise<boolean> {
  return (await execute(tx, sql`DELETE FROM app.sending_halt WHERE chain_id = ${chainId}`)) > 0;
}

/** Waits for transactions that began to sign before a halt was committed. Call it after that commit. */
export async function awaitSigning(pool: pg.Pool, chainId: number): Promise<void> {
  await execute(
    pool,
    sql`SELECT FROM app.delegatee_wallet WHERE chain_id = ${chainId} ORDER BY address FOR NO KEY UPDATE`,
  );
}

/** Returns all halts, by chain. */
export function readHalts(pool: pg.Pool): Promise<Halt[]> {
  const statement = sql`SELECT chain_id, halted_at, actor, reason FROM app.sending_halt ORDER BY chain_id`;
  return queryRows(pool, statement, haltSchema);
}
