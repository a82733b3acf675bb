import { createHash } from "node:crypto";
import type { Hex } from "viem";
import { z } from "zod";
import { Prisma, type PrismaClient } from "../../db/generated/client.ts";
import { prepared } from "../../db/prepared.ts";
import type { Select } from "../../db/select.ts";
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

/** A user's row in app.delegation. The delegation that is in force is on the chain. */
export interface DelegationRow {
  delegatee: Hex;
  blocked: boolean;
  epoch: number;
}

const COLUMNS = "delegatee, blocked, epoch";
const WHERE = "chain_id = $1 AND product_type = $2 AND user_address = $3";

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
  // Where another request has made the row meanwhile, that row counts.
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
 * Returns a user's row with a wallet that takes users. Where theirs was retired, another one is chosen, for good; nothing is
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
export async function readDelegationRow(
  select: Select,
  { chainId, productType, user }: UserScope,
): Promise<DelegationRow | null> {
  const [row] = await select(
    Prisma.sql`SELECT delegatee, blocked, epoch FROM app.delegation
      WHERE chain_id = ${chainId} AND product_type = ${productType} AND user_address = ${user}`,
  );
  return row ? rowShape.parse(row) : null;
}

const rowShape = z.object({ delegatee: storedHex, blocked: z.boolean(), epoch: z.int() });

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

const lockFor = (strength: string): string =>
  prepared(`SELECT ${COLUMNS} FROM app.delegation WHERE ${WHERE} FOR ${strength}`);
const LOCK = { SHARE: lockFor("SHARE"), UPDATE: lockFor("UPDATE") };

/** Locks the user's row against a disable (SHARE) or against sends (UPDATE), until the transaction ends. */
export async function lockDelegation(
  tx: Tx,
  scope: UserScope,
  strength: "SHARE" | "UPDATE",
): Promise<DelegationRow | null> {
  const { rows } = await tx.query<DelegationRow>(LOCK[strength], parameters(scope));
  return rows[0] ?? null;
}

/** Locks several users' rows against a disable until the transaction ends; in one order, so that two cannot wait for each other. */
export async function lockDelegations(tx: Tx, scopes: readonly UserScope[]): Promise<void> {
  if (scopes.length === 0) return;
  await tx.query(
    `SELECT FROM app.delegation
     WHERE (chain_id, product_type, user_address) IN (SELECT * FROM unnest($1::int[], $2::text[], $3::text[]))
     ORDER BY chain_id, product_type, user_address FOR SHARE`,
    [
      scopes.map(({ chainId }) => chainId),
      scopes.map(({ productType }) => productType),
      scopes.map(({ user }) => user),
    ],
  );
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
