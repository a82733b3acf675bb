import { z } from "zod";
import type { Caller } from "../../../../src/auth/caller.ts";
import type { Prisma } from "../../../../src/db/generated/client.ts";
import type { OperationType } from "../../../../src/protocol/enums.ts";
import { type Db, insertRows } from "./rows.ts";
import { uniqueHash } from "./unique.ts";

type Scope = Pick<Caller, "keyId" | "chainId" | "productType">;
export type ClaimOptions = Partial<Omit<Prisma.TransactionClaimCreateManyInput, "operationType">> & {
  operationType?: OperationType;
};

const createdSchema = z.tuple([z.object({ claim_id: z.string() })]);

function claimOf({ keyId, chainId, productType }: Scope, options: ClaimOptions) {
  const defaults = { operationType: "trade", source: "recorded", txHash: uniqueHash() } as const;
  return { keyId, chainId, productType, ...defaults, ...options } satisfies ClaimOptions;
}

/**
 * Writes a claim, by default a record of an order's transaction that is pending.
 * @returns its id
 */
export async function createClaim(db: Db, scope: Scope, options: ClaimOptions = {}): Promise<string> {
  const rows = await insertRows(db, "app.transaction_claim", [claimOf(scope, options)], "RETURNING claim_id");
  const [{ claim_id }] = createdSchema.parse(rows);
  return claim_id;
}

/** Writes claims alike, each of a transaction of its own unless the options name it. */
export async function createClaims(
  db: Db,
  scope: Scope,
  options: number | readonly ClaimOptions[],
  common: ClaimOptions = {},
): Promise<void> {
  const list = typeof options === "number" ? Array.from({ length: options }, () => ({})) : options;
  const rows = list.map((one) => claimOf(scope, { ...common, ...one }));
  // Each row updates the sum of changes: thousands of versions of one row, in one statement, can exceed its time limit.
  for (let done = 0; done < rows.length; done += SLICE)
    await insertRows(db, "app.transaction_claim", rows.slice(done, done + SLICE));
}

const SLICE = 500;

/** Writes that transactions carry the suffix of a key. */
export async function createAttributions(
  db: Db,
  { keyId, chainId }: Pick<Caller, "keyId" | "chainId">,
  ...txHashes: readonly string[]
): Promise<void> {
  const rows = txHashes.map((txHash) => ({ chainId, txHash, keyId }));
  await insertRows(db, "app.transaction_attribution", rows);
}

/** Writes that the suffixes of transactions are not valid. */
export const createInvalidAttributions = (
  db: Db,
  chainId: number,
  ...txHashes: readonly string[]
): Promise<unknown> =>
  insertRows(
    db,
    "app.invalid_attribution",
    txHashes.map((txHash) => ({ chainId, txHash })),
  );
