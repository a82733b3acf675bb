import { randomUUID } from "node:crypto";
import type { Caller } from "../../../../src/auth/caller.ts";
import type { Prisma } from "../../../../src/db/generated/client.ts";
import { type Db, insertRows, snake } from "./rows.ts";

/**
 * Writes an API key without a usable secret: for tests of what is done for a caller who is authenticated already.
 * @returns the caller, in the given scope
 */
export async function createApiKey(
  db: Db,
  { chainId = 31337, productType = "Sandbox" }: Partial<Pick<Caller, "chainId" | "productType">> = {},
): Promise<Caller> {
  const keyId = randomUUID();
  const apiKey = `ak_${keyId}`;
  const access = "WRITABLE";
  const sealed = { secretSealed: Buffer.alloc(60), masterKeyId: "test" };
  await insertRows(db, "app.api_key", [{ keyId, name: "test", apiKey, access, ...sealed }]);
  await insertRows(db, "app.api_key_scope", [{ keyId, chainId, productType }]);
  return { keyId, apiKey, access, chainId, productType, userAddress: null };
}

type PolicyOptions = Omit<Prisma.KeyPolicyCreateManyInput, "keyId" | "dailyNotionalCap"> & {
  /** mUSD wad. */
  dailyNotionalCap?: bigint | null;
};

/** Sets what a key's policy says; what it does not name stays as it is. */
export async function setPolicy(
  db: Db,
  { keyId }: Pick<Caller, "keyId">,
  options: PolicyOptions = {},
): Promise<void> {
  const changes = Object.keys(options).map((name) => `${snake(name)} = excluded.${snake(name)}`);
  const conflict = changes.length > 0 ? `DO UPDATE SET ${changes.join(", ")}` : "DO NOTHING";
  await insertRows(db, "app.key_policy", [{ keyId, ...options }], `ON CONFLICT (key_id) ${conflict}`);
}
