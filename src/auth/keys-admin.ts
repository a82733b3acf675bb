import { randomBytes, randomUUID } from "node:crypto";
import type pg from "pg";
import { z } from "zod";
import type { Deployments } from "../config/deployments.ts";
import { formatRange, parseRange } from "../config/ip-range.ts";
import { inTransaction } from "../db/transaction.ts";
import { WAD } from "../protocol/decimal.ts";
import { ACCESS_TYPES, type Access } from "../protocol/enums.ts";
import { writeAudit } from "./audit.ts";
import { isServed, type Scope } from "./scope.ts";
import { type MasterKey, newSecret, openSecret, type SealedSecret, sealSecret } from "./secrets.ts";

/** What managing keys takes. Every change and its entry in the audit log are one transaction. */
export interface KeyAdminDeps {
  pool: pg.Pool;
  deployments: Deployments;
  masterKeys: readonly MasterKey[];
  /** Unix milliseconds. */
  now: () => number;
  /** Who does it, for the audit log. */
  actor: string;
}

const ipEntry = z.string().transform((text, context) => {
  const range = parseRange(text.trim());
  if (range) return formatRange(range);
  context.addIssue(`${text} is neither an address nor a CIDR range without bits after its prefix`);
  return z.NEVER;
});

/** mUSD wad of orders a UTC day that a new WRITABLE key may send, unless the operator says otherwise. */
export const DEFAULT_DAILY_NOTIONAL_CAP = 100_000n * WAD;

const newKeySchema = z.object({
  name: z.string().trim().min(1, "name is empty").max(128, "name is longer than 128 characters"),
  access: z.enum(ACCESS_TYPES, `access must be one of ${ACCESS_TYPES.join(", ")}`),
  scopes: z
    .array(z.object({ chainId: z.int().positive(), productType: z.string() }))
    .min(1, "a key needs a scope"),
  ips: z.array(ipEntry).default([]),
  userAddress: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, "userAddress must be a 20-byte hex address")
    .transform((address) => address.toLowerCase())
    .nullable()
    .default(null),
  expiresAt: z.date("expires must be a time, such as 2030-01-31T00:00:00Z").nullable().default(null),
  dailyNotionalCap: z.bigint().min(0n).nullish(),
});

/**
 * A key to be made. `ips`: addresses or CIDR ranges, none lets nobody in. `expiresAt`: null never expires.
 * `dailyNotionalCap`: mUSD wad, null for no cap, left out for the default of its access.
 */
export type NewKey = z.input<typeof newKeySchema>;

export interface CreatedKey {
  keyId: string;
  /** What callers send as x-api-key. */
  apiKey: string;
  /** What callers sign with. Stored sealed only: this is the one time it is seen. */
  apiSecret: string;
  /** mUSD wad; null where there is none. */
  dailyNotionalCap: bigint | null;
}

/**
 * Makes an API key, with its daily cap where it may send.
 * @throws Error naming every wrong value, or a scope that no deployment serves
 */
export async function createKey(deps: KeyAdminDeps, input: NewKey): Promise<CreatedKey> {
  const key = parse(newKeySchema, input);
  if (key.expiresAt && key.expiresAt.getTime() <= deps.now()) throw new Error("expires is in the past");
  const unserved = key.scopes.find(
    ({ chainId, productType }) => !isServed(deps.deployments, chainId, productType),
  );
  if (unserved)
    throw new Error(`no deployment serves ${describe(unserved)}; there are: ${servedScopes(deps)}`);
  const dailyNotionalCap = capOf(key);
  const created = {
    keyId: randomUUID(),
    apiKey: `pk_${randomBytes(16).toString("hex")}`,
    apiSecret: newSecret(),
    dailyNotionalCap,
  };
  const { sealed, masterKeyId } = sealSecret(deps.masterKeys, created.keyId, created.apiSecret);
  await inTransaction(deps.pool, async (client) => {
    await client.query(
      `INSERT INTO app.api_key
         (key_id, name, api_key, secret_sealed, master_key_id, access, user_address, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        created.keyId,
        key.name,
        created.apiKey,
        sealed,
        masterKeyId,
        key.access,
        key.userAddress,
        key.expiresAt,
      ],
    );
    await client.query(
      `INSERT INTO app.api_key_scope (key_id, chain_id, product_type)
       SELECT DISTINCT $1::uuid, s.* FROM unnest($2::int[], $3::text[]) AS s`,
      [created.keyId, key.scopes.map((scope) => scope.chainId), key.scopes.map((scope) => scope.productType)],
    );
    await addIps(client, created.keyId, key.ips);
    const cap = dailyNotionalCap?.toString() ?? null;
    if (cap !== null) {
      await client.query("INSERT INTO app.key_policy (key_id, daily_notional_cap) VALUES ($1, $2)", [
        created.keyId,
        cap,
      ]);
    }
    const detail = { ...key, dailyNotionalCap: cap, masterKeyId };
    await writeAudit(client, deps.actor, "key.create", created.apiKey, detail);
  });
  return created;
}

function capOf({ access, dailyNotionalCap }: z.output<typeof newKeySchema>): bigint | null {
  if (access === "WRITABLE") {
    return dailyNotionalCap === undefined ? DEFAULT_DAILY_NOTIONAL_CAP : dailyNotionalCap;
  }
  if (typeof dailyNotionalCap === "bigint") throw new Error("a READ_ONLY key sends nothing: it takes no cap");
  return null;
}

/** A key as operators see it: everything but its secret. */
export interface KeyInfo {
  apiKey: string;
  name: string;
  access: Access;
  active: boolean;
  scopes: Scope[];
  ips: string[];
  userAddress: string | null;
  masterKeyId: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  /** Until when the secret before the last rotation works, or null. */
  previousSecretUntil: Date | null;
}

/** All keys, the oldest first. */
export async function listKeys({ pool }: Pick<KeyAdminDeps, "pool">): Promise<KeyInfo[]> {
  const { rows } = await pool.query<KeyInfo>(
    `SELECT k.api_key AS "apiKey", k.name, k.access, k.active, k.user_address AS "userAddress",
       k.master_key_id AS "masterKeyId", k.created_at AS "createdAt", k.expires_at AS "expiresAt",
       k.revoked_at AS "revokedAt", k.previous_secret_until AS "previousSecretUntil",
       ARRAY(SELECT json_build_object('chainId', s.chain_id, 'productType', s.product_type)
             FROM app.api_key_scope s WHERE s.key_id = k.key_id ORDER BY s.chain_id, s.product_type) AS scopes,
       ARRAY(SELECT i.cidr FROM app.api_key_ip i WHERE i.key_id = k.key_id ORDER BY i.cidr) AS ips
     FROM app.api_key k ORDER BY k.created_at, k.api_key`,
  );
  return rows;
}

/**
 * Ends a key for good; the next request with it is refused, on every replica.
 * @returns false where it was revoked before
 * @throws Error where there is no such key
 */
export async function revokeKey(
  deps: Pick<KeyAdminDeps, "pool" | "actor">,
  apiKey: string,
): Promise<boolean> {
  return inTransaction(deps.pool, async (client) => {
    await lockKey(client, apiKey);
    const { rowCount } = await client.query(
      "UPDATE app.api_key SET active = false, revoked_at = now() WHERE api_key = $1 AND revoked_at IS NULL",
      [apiKey],
    );
    if (rowCount === 0) return false;
    await writeAudit(client, deps.actor, "key.revoke", apiKey, {});
    return true;
  });
}

export interface IpChange {
  add: string[];
  remove: string[];
}

/**
 * Changes a key's IP whitelist, effective with the next request.
 * @returns the whitelist as it is now
 * @throws Error where there is no such key, or an entry is malformed or not there to be removed
 */
export async function changeIps(
  deps: Pick<KeyAdminDeps, "pool" | "actor">,
  apiKey: string,
  change: IpChange,
): Promise<string[]> {
  const add = parse(z.array(ipEntry), change.add);
  const remove = parse(z.array(ipEntry), change.remove);
  return inTransaction(deps.pool, async (client) => {
    const keyId = await lockKey(client, apiKey);
    await addIps(client, keyId, add);
    const gone = await client.query<{ cidr: string }>(
      "DELETE FROM app.api_key_ip WHERE key_id = $1 AND cidr = ANY ($2) RETURNING cidr",
      [keyId, remove],
    );
    const missing = remove.filter((entry) => !gone.rows.some(({ cidr }) => cidr === entry));
    if (missing.length > 0) throw new Error(`not on the whitelist of ${apiKey}: ${missing.join(", ")}`);
    await writeAudit(client, deps.actor, "key.ips", apiKey, { add, remove });
    const { rows } = await client.query<{ cidr: string }>(
      "SELECT cidr FROM app.api_key_ip WHERE key_id = $1 ORDER BY cidr",
      [keyId],
    );
    return rows.map(({ cidr }) => cidr);
  });
}

/**
 * Seals the secrets of all keys anew under the current master key, so that the ones before it can be retired.
 * @returns how many were sealed under another one
 * @throws Error where a secret cannot be opened; then nothing was changed
 */
export async function resealKeys(deps: KeyAdminDeps): Promise<number> {
  return inTransaction(deps.pool, async (client) => {
    const current = deps.masterKeys[0]?.id;
    const { rows } = await client.query<{
      key_id: string;
      api_key: string;
      sealed: Buffer;
      master_key_id: string;
    }>(
      `SELECT key_id, api_key, secret_sealed AS sealed, master_key_id
       FROM app.api_key WHERE master_key_id <> $1 FOR UPDATE`,
      [current],
    );
    for (const row of rows) {
      const { sealed, masterKeyId } = sealAgain(deps.masterKeys, row.key_id, {
        sealed: row.sealed,
        masterKeyId: row.master_key_id,
      });
      await client.query("UPDATE app.api_key SET secret_sealed = $2, master_key_id = $3 WHERE key_id = $1", [
        row.key_id,
        sealed,
        masterKeyId,
      ]);
      await writeAudit(client, deps.actor, "key.reseal", row.api_key, {
        from: row.master_key_id,
        to: masterKeyId,
      });
    }
    return rows.length + (await resealPrevious(client, deps));
  });
}

/** Seals the secrets anew that keys had before their last rotation. @returns how many */
async function resealPrevious(client: pg.PoolClient, { masterKeys, actor }: KeyAdminDeps): Promise<number> {
  const { rows } = await client.query<SealedSecret & { keyId: string; apiKey: string }>(
    `SELECT key_id AS "keyId", api_key AS "apiKey", previous_secret_sealed AS sealed,
       previous_master_key_id AS "masterKeyId"
     FROM app.api_key WHERE previous_master_key_id <> $1 FOR UPDATE`,
    [masterKeys[0]?.id],
  );
  for (const row of rows) {
    const { sealed, masterKeyId } = sealAgain(masterKeys, row.keyId, row);
    await client.query(
      "UPDATE app.api_key SET previous_secret_sealed = $2, previous_master_key_id = $3 WHERE key_id = $1",
      [row.keyId, sealed, masterKeyId],
    );
    await writeAudit(client, actor, "key.reseal", row.apiKey, {
      previous: true,
      from: row.masterKeyId,
      to: masterKeyId,
    });
  }
  return rows.length;
}

function sealAgain(masterKeys: readonly MasterKey[], keyId: string, secret: SealedSecret): SealedSecret {
  return sealSecret(masterKeys, keyId, openSecret(masterKeys, keyId, secret).toString("utf8"));
}

/** Locks a key until the transaction ends. @returns its id @throws Error where there is no such key */
export async function lockKey(client: pg.PoolClient, apiKey: string): Promise<string> {
  const { rows } = await client.query<{ key_id: string }>(
    "SELECT key_id FROM app.api_key WHERE api_key = $1 FOR UPDATE",
    [apiKey],
  );
  if (!rows[0]) throw new Error(`there is no key ${apiKey}`);
  return rows[0].key_id;
}

async function addIps(client: pg.PoolClient, keyId: string, entries: string[]): Promise<void> {
  await client.query(
    "INSERT INTO app.api_key_ip (key_id, cidr) SELECT $1, unnest($2::text[]) ON CONFLICT DO NOTHING",
    [keyId, entries],
  );
}

function parse<Schema extends z.ZodType>(schema: Schema, input: z.input<Schema>): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw new Error(result.error.issues.map((issue) => issue.message).join("; "));
}

function describe({ chainId, productType }: Scope): string {
  return `${chainId}:${productType}`;
}

function servedScopes({ deployments }: KeyAdminDeps): string {
  return deployments.chains
    .flatMap(({ chainId, products }) => products.map(({ productType }) => describe({ chainId, productType })))
    .join(", ");
}
