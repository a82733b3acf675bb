import { createHash } from "node:crypto";
import type pg from "pg";
import type { Hex } from "viem";
import { ApiError } from "../../protocol/errors.ts";
import type { Tx } from "../outbox/transaction.ts";

/** A user in one product of one chain. */
export interface UserScope {
  chainId: number;
  productType: string;
  /** Lower case. */
  user: Hex;
}

/** What is kept of a user's delegation (app.delegation); what is in force is on the chain. */
export interface DelegationRow {
  delegatee: Hex;
  blocked: boolean;
  epoch: number;
}

const COLUMNS = "delegatee, blocked, epoch";
const WHERE = "chain_id = $1 AND product_type = $2 AND user_address = $3";

/**
 * Returns the user's row, made at first need: its wallet is chosen once and stays. Users spread evenly over the wallets of the
 * chain, and a wallet added later moves nobody.
 * @throws ApiError OPERATOR_UNAVAILABLE where the chain has no wallet that takes users.
 */
export async function delegationOf(pool: pg.Pool, scope: UserScope): Promise<DelegationRow> {
  const known = await findDelegation(pool, scope);
  if (known) return known;
  const { rows } = await pool.query<{ address: Hex }>(
    "SELECT address FROM app.delegatee_wallet WHERE chain_id = $1 AND assignable ORDER BY address",
    [scope.chainId],
  );
  const delegatee = chooseWallet(
    scope.user,
    rows.map(({ address }) => address),
  );
  if (!delegatee) throw new ApiError("OPERATOR_UNAVAILABLE");
  await pool.query(
    `INSERT INTO app.delegation (chain_id, product_type, user_address, delegatee) VALUES ($1, $2, $3, $4)
     ON CONFLICT DO NOTHING`,
    [...parameters(scope), delegatee],
  );
  const made = await findDelegation(pool, scope);
  if (!made) throw new Error("a delegation vanished while it was made");
  return made;
}

/** Returns the user's row, or null where there is none yet. */
export async function findDelegation(pool: pg.Pool, scope: UserScope): Promise<DelegationRow | null> {
  const { rows } = await pool.query<DelegationRow>(
    `SELECT ${COLUMNS} FROM app.delegation WHERE ${WHERE}`,
    parameters(scope),
  );
  return rows[0] ?? null;
}

/** Rendezvous hashing: each user ranks the wallets in an order of its own. */
export function chooseWallet(user: Hex, wallets: readonly Hex[]): Hex | null {
  const rank = (wallet: Hex): string => createHash("sha256").update(`${user}/${wallet}`).digest("hex");
  let best: { wallet: Hex; score: string } | null = null;
  for (const wallet of wallets) {
    const score = rank(wallet);
    if (!best || score > best.score) best = { wallet, score };
  }
  return best?.wallet ?? null;
}

/** Locks the user's row against a disable (SHARE) or against sends (UPDATE), until the transaction ends. */
export async function lockDelegation(
  tx: Tx,
  scope: UserScope,
  strength: "SHARE" | "UPDATE",
): Promise<DelegationRow | null> {
  const { rows } = await tx.query<DelegationRow>(
    `SELECT ${COLUMNS} FROM app.delegation WHERE ${WHERE} FOR ${strength}`,
    parameters(scope),
  );
  return rows[0] ?? null;
}

/** Blocks /send for the user from this commit on, and counts the epoch up. @returns the new epoch */
export async function blockDelegation(tx: Tx, scope: UserScope): Promise<number> {
  const { rows } = await tx.query<{ epoch: number }>(
    `UPDATE app.delegation SET blocked = true, epoch = epoch + 1 WHERE ${WHERE} RETURNING epoch`,
    parameters(scope),
  );
  if (!rows[0]) throw new Error("no delegation to block");
  return rows[0].epoch;
}

/** Lifts the block after a mined enable, unless a disable came after that enable was accepted. */
export async function unblockDelegation(tx: Tx, scope: UserScope, epoch: number): Promise<void> {
  await tx.query(`UPDATE app.delegation SET blocked = false WHERE ${WHERE} AND epoch = $4`, [
    ...parameters(scope),
    epoch,
  ]);
}

function parameters({ chainId, productType, user }: UserScope): [number, string, string] {
  return [chainId, productType, user];
}
