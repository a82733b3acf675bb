import { type KeyObject, randomBytes, randomUUID } from "node:crypto";
import type pg from "pg";
import type { Hex } from "viem";
import { createBatcher } from "../db/batch.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import type { Access } from "../protocol/enums.ts";
import { type IpRange, parseRange } from "./ip.ts";
import type { Scope } from "./scope.ts";
import { type MasterKey, openSigningKey, sealSecret } from "./secrets.ts";

/** An API key, ready for checking requests against it. */
export interface Key {
  /** False: nobody has this public id, and everything else is made up so that checking costs the same. */
  exists: boolean;
  keyId: string;
  apiKey: string;
  access: Access;
  active: boolean;
  /** Unix milliseconds, or null: never. */
  expiresAt: number | null;
  /** Lower case. */
  userAddress: Hex | null;
  revision: number;
  /** Null where the sealed secret cannot be opened. */
  secret: KeyObject | null;
  scopes: readonly Scope[];
  ranges: readonly IpRange[];
}

export interface KeyStore {
  /** What is known of the key without asking the database; the decoy where nothing is. Good for accepting only. */
  cached(apiKey: string): Key;
  /** The key as it is now; the decoy where there is none. @throws ApiError DATABASE_UNAVAILABLE */
  load(apiKey: string): Promise<Key>;
}

export interface KeyStoreOptions {
  pool: pg.Pool;
  masterKeys: readonly MasterKey[];
  /** Milliseconds. */
  now: () => number;
  /** How long a key is used without reading it again, milliseconds. A claimed nonce confirms it every time. */
  ttlMs?: number;
  timeoutMs?: number;
}

/** One row per public id asked for, whether anybody has it or not; one statement, so one snapshot of all its parts. */
const LOAD = `
  SELECT q.api_key, k.key_id, k.access, k.active, k.user_address, k.revision, k.secret_sealed, k.master_key_id,
    (extract(epoch FROM k.expires_at) * 1000)::float8 AS expires_at,
    ARRAY(SELECT json_build_object('chainId', s.chain_id, 'productType', s.product_type)
          FROM app.api_key_scope s WHERE s.key_id = coalesce(k.key_id, $2)) AS scopes,
    ARRAY(SELECT i.cidr FROM app.api_key_ip i WHERE i.key_id = coalesce(k.key_id, $2)) AS ip_entries
  FROM unnest($1::text[]) AS q (api_key)
  LEFT JOIN app.api_key k ON k.api_key = q.api_key`;

interface Row {
  api_key: string;
  key_id: string | null;
  access: Access;
  active: boolean;
  user_address: Hex | null;
  revision: number;
  secret_sealed: Buffer;
  master_key_id: string;
  expires_at: number | null;
  scopes: Scope[];
  ip_entries: string[];
}

/**
 * Keys by public id, those that exist kept in memory for a few seconds, and with them the only opened secrets. Reads of
 * one tick share one statement.
 */
export function createKeyStore(options: KeyStoreOptions): KeyStore {
  const { pool, masterKeys, now, ttlMs = 5_000, timeoutMs = 2_500 } = options;
  const decoy = createDecoy(masterKeys);
  const known = new Map<string, { key: Key; until: number }>();
  let sweptAt = now();

  /** Secrets of keys that nobody uses any more do not stay in memory. */
  function sweep(time: number): void {
    if (Math.abs(time - sweptAt) < ttlMs) return;
    sweptAt = time;
    for (const [apiKey, { until }] of known) if (until <= time) known.delete(apiKey);
  }

  async function loadAll(apiKeys: string[]): Promise<Key[]> {
    const query = { text: LOAD, values: [[...new Set(apiKeys)], decoy.row.key_id], query_timeout: timeoutMs };
    const { rows } = await withDatabaseErrors(() => pool.query<Row>(query));
    const time = now();
    sweep(time);
    const found = new Map<string, Key>();
    for (const row of rows) {
      // A made-up key is built like any other, its secret opened like any other.
      const key = toKey(row.key_id === null ? { ...decoy.row, api_key: row.api_key } : row, masterKeys);
      key.exists = row.key_id !== null;
      found.set(row.api_key, key);
      if (key.exists) known.set(row.api_key, { key, until: time + ttlMs });
      else known.delete(row.api_key);
    }
    return apiKeys.map((apiKey) => found.get(apiKey) ?? decoy.key);
  }

  return {
    cached(apiKey) {
      const entry = known.get(apiKey);
      return entry && entry.until > now() ? entry.key : decoy.key;
    },
    load: createBatcher(loadAll, { maxItems: 500, maxRunning: 2, timeoutMs }),
  };
}

function toKey(row: Row, masterKeys: readonly MasterKey[]): Key {
  const keyId = row.key_id ?? "";
  const sealed = { sealed: row.secret_sealed, masterKeyId: row.master_key_id };
  return {
    exists: true,
    keyId,
    apiKey: row.api_key,
    access: row.access,
    active: row.active,
    expiresAt: row.expires_at,
    userAddress: row.user_address,
    revision: row.revision,
    secret: openSigningKey(masterKeys, keyId, sealed),
    scopes: row.scopes,
    // An entry that is not readable lets nobody in.
    ranges: row.ip_entries.map(parseRange).filter((range) => range !== null),
  };
}

/** Stands in for a key that does not exist: nobody knows its secret, and it passes no check. */
function createDecoy(masterKeys: readonly MasterKey[]): { row: Row & { key_id: string }; key: Key } {
  const keyId = randomUUID();
  const { sealed, masterKeyId } = sealSecret(masterKeys, keyId, randomBytes(32).toString("hex"));
  const row = {
    api_key: "",
    key_id: keyId,
    access: "WRITABLE" as const,
    active: true,
    user_address: null,
    revision: 0,
    secret_sealed: Buffer.from(sealed),
    master_key_id: masterKeyId,
    expires_at: null,
    scopes: [{ chainId: 0, productType: "" }],
    ip_entries: ["192.0.2.1"],
  };
  return { row, key: { ...toKey(row, masterKeys), exists: false } };
}
