import type { KeyObject } from "node:crypto";
import type pg from "pg";
import type { Hex } from "viem";
import { type IpRange, parseRange } from "../config/ip-range.ts";
import { createBatcher } from "../db/batch.ts";
import { withDatabaseErrors } from "../db/errors.ts";
import type { Access } from "../protocol/enums.ts";
import type { KeyScope } from "./scope.ts";
import { type MasterKey, openSigningKey } from "./secrets.ts";

/** An API key, ready for checking requests against it. */
export interface Key {
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
  /** Secret before the last rotation; null where there is none, or it cannot be opened. */
  previous: PreviousSecret | null;
  scopes: readonly KeyScope[];
  ranges: readonly IpRange[];
  /** Time of the read, by the clock of `now`. */
  readAt: number;
}

export interface PreviousSecret {
  secret: KeyObject;
  /** End of its validity, Unix milliseconds. */
  until: number;
}

export interface KeyStore {
  /** Returns the cached key, or null. It may be stale: use it to accept a request, never to refuse one. */
  cached(apiKey: string): Key | null;
  /** Returns the key as it is now, or null where there is none. @throws ApiError DATABASE_UNAVAILABLE */
  load(apiKey: string): Promise<Key | null>;
}

/** Time limit of the database for each statement of authentication, milliseconds. */
export const AUTH_TIMEOUT_MS = 2_500;

export interface KeyStoreOptions {
  pool: pg.Pool;
  masterKeys: readonly MasterKey[];
  /** Milliseconds. */
  now: () => number;
  /** Time for which a key is used without another read, milliseconds. A claimed nonce confirms it every time. */
  ttlMs?: number;
  timeoutMs?: number;
}

/** Reads everything that is stored of the keys in one statement, and so in one snapshot. */
const LOAD = `
  SELECT k.api_key AS "apiKey", k.key_id AS "keyId", k.access, k.active, k.user_address AS "userAddress", k.revision,
    (extract(epoch FROM k.expires_at) * 1000)::float8 AS "expiresAt",
    k.secret_sealed AS sealed, k.master_key_id AS "masterKeyId",
    k.previous_secret_sealed AS "previousSealed", k.previous_master_key_id AS "previousMasterKeyId",
    (extract(epoch FROM k.previous_secret_until) * 1000)::float8 AS "previousUntil",
    ARRAY(SELECT json_build_object('chainId', s.chain_id, 'productType', s.product_type)
          FROM app.api_key_scope s WHERE s.key_id = k.key_id) AS scopes,
    ARRAY(SELECT i.cidr FROM app.api_key_ip i WHERE i.key_id = k.key_id) AS ips
  FROM app.api_key k WHERE k.api_key = ANY ($1::text[])`;

interface Row {
  apiKey: string;
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
  scopes: KeyScope[];
  ips: string[];
}

/**
 * Creates the store of keys by public id. It keeps a key for a few seconds, and with it the only opened secrets. Reads of
 * one tick share one statement.
 */
export function createKeyStore(options: KeyStoreOptions): KeyStore {
  const { pool, masterKeys, now, ttlMs = 5_000, timeoutMs = AUTH_TIMEOUT_MS } = options;
  const known = new Map<string, { key: Key; until: number }>();
  let sweptAt = now();

  /** Secrets of keys that are no longer used do not stay in memory. */
  function sweep(time: number): void {
    if (Math.abs(time - sweptAt) < ttlMs) return;
    sweptAt = time;
    for (const [apiKey, { until }] of known) if (until <= time) known.delete(apiKey);
  }

  async function loadAll(apiKeys: string[]): Promise<(Key | null)[]> {
    const wanted = [...new Set(apiKeys)];
    const query = { text: LOAD, values: [wanted], query_timeout: timeoutMs };
    const { rows } = await withDatabaseErrors(() => pool.query<Row>(query));
    const time = now();
    sweep(time);
    const found = new Map(rows.map((row) => [row.apiKey, toKey(row, masterKeys, time)]));
    for (const apiKey of wanted) {
      const key = found.get(apiKey);
      if (key) known.set(apiKey, { key, until: time + ttlMs });
      else known.delete(apiKey);
    }
    return apiKeys.map((apiKey) => found.get(apiKey) ?? null);
  }

  return {
    cached(apiKey) {
      const entry = known.get(apiKey);
      return entry && entry.until > now() ? entry.key : null;
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
    // An entry that is not readable matches no caller.
    ranges: ips.map(parseRange).filter((range) => range !== null),
    readAt,
  };
}
