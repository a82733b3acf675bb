import { type KeyObject, randomBytes, randomUUID } from "node:crypto";
import type pg from "pg";
import type { Hex } from "viem";
import { type IpRange, parseRange } from "../config/ip-range.ts";
import { createBatcher } from "../db/batch.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import type { Access } from "../protocol/enums.ts";
import type { Scope } from "./scope.ts";
import { type MasterKey, openSigningKey, type SealedSecret, sealSecret } from "./secrets.ts";

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
  /** The secret before the last rotation; null where there is none, or it cannot be opened. */
  previous: PreviousSecret | null;
  scopes: readonly Scope[];
  ranges: readonly IpRange[];
  /** When it was read, by the clock of `now`. */
  readAt: number;
}

export interface PreviousSecret {
  secret: KeyObject;
  /** When it stops working, Unix milliseconds. */
  until: number;
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

/**
 * One row per public id asked for, in one statement and so of one snapshot. Who does not exist gets a made-up row of the
 * usual shape ($2 to $4), so that neither the database nor the reading of its answer takes less time.
 */
const LOAD = `
  SELECT q.api_key AS "apiKey", k.key_id IS NOT NULL AS "exists", coalesce(k.key_id, $2::uuid) AS "keyId",
    coalesce(k.access, 'WRITABLE') AS access, coalesce(k.active, true) AS active, k.user_address AS "userAddress",
    coalesce(k.revision, 0) AS revision, (extract(epoch FROM k.expires_at) * 1000)::float8 AS "expiresAt",
    coalesce(k.secret_sealed, $3::bytea) AS sealed, coalesce(k.master_key_id, $4) AS "masterKeyId",
    k.previous_secret_sealed AS "previousSealed", k.previous_master_key_id AS "previousMasterKeyId",
    (extract(epoch FROM k.previous_secret_until) * 1000)::float8 AS "previousUntil",
    ARRAY(SELECT json_build_object('chainId', s.chain_id, 'productType', s.product_type)
          FROM app.api_key_scope s WHERE s.key_id = coalesce(k.key_id, $2::uuid)
          UNION ALL SELECT json_build_object('chainId', 0, 'productType', '') WHERE k.key_id IS NULL) AS scopes,
    ARRAY(SELECT i.cidr FROM app.api_key_ip i WHERE i.key_id = coalesce(k.key_id, $2::uuid)
          UNION ALL SELECT '192.0.2.1' WHERE k.key_id IS NULL) AS ips
  FROM unnest($1::text[]) AS q (api_key)
  LEFT JOIN app.api_key k ON k.api_key = q.api_key`;

interface Row {
  apiKey: string;
  exists: boolean;
  keyId: string;
  access: Access;
  active: boolean;
  userAddress: Hex | null;
  revision: number;
  /** Unix milliseconds. */
  expiresAt: number | null;
  sealed: Buffer;
  masterKeyId: string;
  previousSealed: Buffer | null;
  previousMasterKeyId: string | null;
  /** Unix milliseconds. */
  previousUntil: number | null;
  scopes: Scope[];
  ips: string[];
}

/**
 * Keys by public id, those that exist kept in memory for a few seconds, and with them the only opened secrets. Reads of
 * one tick share one statement.
 */
export function createKeyStore(options: KeyStoreOptions): KeyStore {
  const { pool, masterKeys, now, ttlMs = 5_000, timeoutMs = 2_500 } = options;
  const decoyId = randomUUID();
  const decoySeal = sealSecret(masterKeys, decoyId, randomBytes(32).toString("hex"));
  const decoy = createDecoy(decoyId, decoySeal, masterKeys);
  const known = new Map<string, { key: Key; until: number }>();
  let sweptAt = now();

  /** Secrets of keys that nobody uses any more do not stay in memory. */
  function sweep(time: number): void {
    if (Math.abs(time - sweptAt) < ttlMs) return;
    sweptAt = time;
    for (const [apiKey, { until }] of known) if (until <= time) known.delete(apiKey);
  }

  async function loadAll(apiKeys: string[]): Promise<Key[]> {
    const values = [[...new Set(apiKeys)], decoyId, decoySeal.sealed, decoySeal.masterKeyId];
    const query = { text: LOAD, values, query_timeout: timeoutMs };
    const { rows } = await withDatabaseErrors(() => pool.query<Row>(query));
    const time = now();
    sweep(time);
    const found = new Map<string, Key>();
    for (const row of rows) {
      const key = toKey(row, masterKeys, time);
      found.set(row.apiKey, key);
      if (key.exists) known.set(row.apiKey, { key, until: time + ttlMs });
      else known.delete(row.apiKey);
    }
    return apiKeys.map((apiKey) => found.get(apiKey) ?? decoy);
  }

  return {
    cached(apiKey) {
      const entry = known.get(apiKey);
      return entry && entry.until > now() ? entry.key : decoy;
    },
    load: createBatcher(loadAll, { maxItems: 500, maxRunning: 2, timeoutMs }),
  };
}

function toKey(
  { sealed, masterKeyId, previousSealed, previousMasterKeyId, previousUntil, ips, ...row }: Row,
  masterKeys: readonly MasterKey[],
  readAt: number,
): Key {
  const previous =
    previousSealed && previousMasterKeyId
      ? openSigningKey(masterKeys, row.keyId, { sealed: previousSealed, masterKeyId: previousMasterKeyId })
      : null;
  return {
    ...row,
    secret: openSigningKey(masterKeys, row.keyId, { sealed, masterKeyId }),
    previous: previous && previousUntil !== null ? { secret: previous, until: previousUntil } : null,
    // An entry that is not readable lets nobody in.
    ranges: ips.map(parseRange).filter((range) => range !== null),
    readAt,
  };
}

/** Stands in for a key that is not known yet: nobody knows its secret, and it passes no check. */
function createDecoy(keyId: string, seal: SealedSecret, masterKeys: readonly MasterKey[]): Key {
  return {
    exists: false,
    keyId,
    apiKey: "",
    access: "WRITABLE",
    active: true,
    expiresAt: null,
    userAddress: null,
    revision: 0,
    secret: openSigningKey(masterKeys, keyId, seal),
    previous: null,
    scopes: [{ chainId: 0, productType: "" }],
    ranges: ["192.0.2.1"].map(parseRange).filter((range) => range !== null),
    readAt: 0,
  };
}
