import type { Hex } from "viem";
import type { AuditEntry } from "../auth/audit.ts";
import type { Tx } from "../sending/outbox/transaction.ts";

// Statements of `partner-trading-admin wallets`. They run in one transaction with those of the sending side.

/** Lets a wallet send again, from a nonce on where that is ahead. @returns false where there is no such wallet */
export async function resumeWallet(tx: Tx, chainId: number, wallet: Hex, nonce: bigint): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE app.delegatee_wallet SET state = 'active', state_reason = NULL, next_nonce = greatest(next_nonce, $3)
     WHERE chain_id = $1 AND address = $2`,
    [chainId, wallet, nonce.toString()],
  );
  return rowCount !== 0;
}

/** Does what writeAudit does, within a transaction of `pg`. */
export async function insertAudit(tx: Tx, { actor, action, subject, detail }: AuditEntry): Promise<void> {
  await tx.query("INSERT INTO app.audit_entry (actor, action, subject, detail) VALUES ($1, $2, $3, $4)", [
    actor,
    action,
    subject,
    detail,
  ]);
}
