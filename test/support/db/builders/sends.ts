import { randomUUID } from "node:crypto";
import type { Hex } from "viem";
import type { Caller } from "../../../../src/auth/caller.ts";
import type { Prisma } from "../../../../src/db/generated/client.ts";
import { type Db, insertRows } from "./rows.ts";

/** Writes a sending wallet on some chains, by default one that no worker has driven yet. */
export async function createWallet(
  db: Db,
  address: Hex,
  {
    chainIds = [31337],
    ...options
  }: Partial<Prisma.DelegateeWalletCreateManyInput> & { chainIds?: number[] } = {},
): Promise<void> {
  const rows = chainIds.map((chainId) => ({ chainId, address, ...options }));
  await insertRows(db, "app.delegatee_wallet", rows);
}

/** Assigns a wallet to users of a product. */
export async function createDelegations(
  db: Db,
  { chainId, productType }: Pick<Caller, "chainId" | "productType">,
  delegatee: Hex,
  ...users: readonly Hex[]
): Promise<void> {
  const rows = users.map((userAddress) => ({ chainId, productType, userAddress, delegatee }));
  await insertRows(db, "app.delegation", rows);
}

type SendOptions = Partial<Prisma.SendRequestCreateManyInput> & { userAddress: string; wallet: string };

/**
 * Writes requests to send, by default of an order that is accepted and waits.
 * @returns their ids
 */
export async function createSends(
  db: Db,
  { keyId, chainId, productType }: Pick<Caller, "keyId" | "chainId" | "productType">,
  ...options: readonly SendOptions[]
): Promise<string[]> {
  const rows = options.map((one) => ({
    requestId: randomUUID(),
    keyId,
    chainId,
    productType,
    operation: "orders/send",
    state: "accepted",
    toAddress: one.wallet,
    callData: Buffer.of(0xab, 0xcd),
    gasLimit: 200_000n,
    inputHash: "",
    ...one,
  }));
  await insertRows(db, "app.send_request", rows);
  return rows.map(({ requestId }) => requestId);
}

type AttemptOptions = Partial<Prisma.SendAttemptCreateManyInput>;

/** Writes an attempt at a request that has a nonce, by default the first one, which carries the call. */
export async function createAttempt(
  db: Db,
  { requestId, chainId, wallet }: { requestId: string; chainId: number; wallet: string },
  options: AttemptOptions = {},
): Promise<void> {
  const gas = { gasLimit: 200_000n, maxFeePerGas: "1", maxPriorityFee: "1" };
  const attempt = { requestId, chainId, wallet, nonce: 0n, kind: "call", ...gas, ...options };
  await insertRows(db, "app.send_attempt", [attempt]);
}
