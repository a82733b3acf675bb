import { createHash } from "node:crypto";
import type pg from "pg";
import type { Hex } from "viem";
import { z } from "zod";
import type { PrismaClient } from "../../db/generated/client.ts";
import { execute, queryMaybeOne } from "../../db/query.ts";
import { raw, type Sql, sql } from "../../db/sql.ts";
import type { Tx } from "../../db/transaction.ts";
import { ApiError } from "../../protocol/errors.ts";
import { storedHex } from "../../protocol/shapes.ts";

/** A user in one product of one chain. */
export interface UserScope {
  chainId: number;
  productType: string;
  /** Lower case. */
  user: Hex;
}

const rowSchema = z.object({ delegatee: storedHex, blocked: z.boolean(), epoch: z.int() });

/** A user's row in app.delegation. The delegation that is in force is on the chain. */
export type DelegationRow = z.output<typeof rowSchema>;

const ofUser = ({ chainId, productType, user }: UserScope): Sql =>
  sql`chain_id = ${chainId} AND product_type = ${productType} AND user_address = ${user}`;

/**
 * Returns the user's row, made at first need: its wallet is chosen once and stays, until an operator retires it. Users spread evenly over the wallets of the
 * chain, and a wallet added later moves no user.
 * @throws ApiError OPERATOR_UNAVAILABLE where the chain has no wallet that takes users.
 */
export async function delegationOf(prisma: PrismaClient, scope: UserScope): Promise<DelegationRow> {
  const known = await findDelegation(prisma, scope);
  if (known) return known;
  const { chainId, productType, user } = scope;
  const delegatee = await assignWallet(prisma, scope);
  // If another request has inserted the row meanwhile, that row counts.
  await prisma.delegationLock.createMany({
    data: [{ chainId, productType, userAddress: user, delegatee }],
    skipDuplicates: true,
  });
  const made = await findDelegation(prisma, scope);
  if (!made) throw new Error("a delegation vanished while it was made");
  return made;
}

/** @throws ApiError OPERATOR_UNAVAILABLE where the chain has no wallet that takes users */
async function assignWallet(prisma: PrismaClient, { chainId, user }: UserScope): Promise<Hex> {
  const wallets = await prisma.delegateeWallet.findMany({
    select: { address: true },
    where: { chainId, assignable: true },
    orderBy: { address: "asc" },
  });
  const delegatee = chooseWallet(
    user,
    wallets.map(({ address }) => storedHex.parse(address)),
  );
  if (!delegatee) throw new ApiError("OPERATOR_UNAVAILABLE");
  return delegatee;
}

/**
 * Returns a user's row with a wallet that takes users. Where theirs was retired, another one is chosen permanently; nothing is
 * sent for the user until an enable for that one is mined.
 * @throws ApiError OPERATOR_UNAVAILABLE where the chain has no wallet that takes users
 */
export async function withUsableWallet(
  prisma: PrismaClient,
  scope: UserScope,
  row: DelegationRow,
): Promise<DelegationRow> {
  const { chainId, productType, user } = scope;
  const wallet = await prisma.delegateeWallet.findUnique({
    select: { assignable: true },
    where: { chainId_address: { chainId, address: row.delegatee } },
  });
  if (wallet?.assignable !== false) return row;
  const delegatee = await assignWallet(prisma, scope);
  // A new epoch: an enable for the retired wallet that is mined later lifts no block.
  await prisma.delegationLock.updateMany({
    where: { chainId, productType, userAddress: user, delegatee: row.delegatee },
    data: { delegatee, blocked: true, epoch: { increment: 1 } },
  });
  return (await findDelegation(prisma, scope)) ?? row;
}

/** Returns the user's row as every /send reads it, or null where there is none yet. */
export function readDelegationRow(pool: pg.Pool, scope: UserScope): Promise<DelegationRow | null> {
  const statement = sql`SELECT delegatee, blocked, epoch FROM app.delegation WHERE ${ofUser(scope)}`;
  return queryMaybeOne(pool, statement, rowSchema);
}

/** Returns the user's row, or null where there is none yet. */
export async function findDelegation(
  prisma: PrismaClient,
  { chainId, productType, user }: UserScope,
): Promise<DelegationRow | null> {
  const row = await prisma.delegationLock.findUnique({
    select: { delegatee: true, blocked: true, epoch: true },
    where: { chainId_productType_userAddress: { chainId, productType, userAddress: user } },
  });
  return row && { ...row, delegatee: storedHex.parse(row.delegatee) };
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
export function lockDelegation(
  tx: Tx,
  scope: UserScope,
  strength: "SHARE" | "UPDATE",
): Promise<DelegationRow | null> {
  const row = sql`SELECT delegatee, blocked, epoch FROM app.delegation WHERE ${ofUser(scope)}`;
  return queryMaybeOne(tx, sql`${row} FOR ${raw(strength)}`, rowSchema);
}

/**
 * Locks several users' rows against a disable until the transaction ends, in a fixed order, so that two transactions cannot
 * deadlock.
 */
export async function lockDelegations(tx: Tx, scopes: readonly UserScope[]): Promise<void> {
  if (scopes.length === 0) return;
  const chainIds = scopes.map(({ chainId }) => chainId);
  const products = scopes.map(({ productType }) => productType);
  const users = scopes.map(({ user }) => user);
  await execute(
    tx,
    sql`
      SELECT FROM app.delegation
      WHERE (chain_id, product_type, user_address)
        IN (SELECT * FROM unnest(${chainIds}::int[], ${products}::text[], ${users}::text[]))
      ORDER BY chain_id, product_type, user_address FOR SHARE`,
  );
}

const epochSchema = rowSchema.pick({ epoch: true });

/**
 * Blocks /send for the user from this commit on, and increments the epoch.
 * @returns the new epoch
 */
export async function blockDelegation(tx: Tx, scope: UserScope): Promise<number> {
  const statement = sql`
    UPDATE app.delegation SET blocked = true, epoch = epoch + 1 WHERE ${ofUser(scope)} RETURNING epoch`;
  const blocked = await queryMaybeOne(tx, statement, epochSchema);
  if (!blocked) throw new Error("no delegation to block");
  return blocked.epoch;
}

/** Lifts the block after a mined enable, unless a disable came after that enable was accepted. */
export async function unblockDelegation(tx: Tx, scope: UserScope, epoch: number): Promise<void> {
  await execute(
    tx,
    sql`UPDATE app.delegation SET blocked = false WHERE ${ofUser(scope)} AND epoch = ${epoch}`,
  );
}
